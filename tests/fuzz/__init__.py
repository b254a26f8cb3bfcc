"""Damaged and huge robot files, each a function of a seed and a number: see `python -m tests.fuzz --help`."""
