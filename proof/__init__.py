"""Comparison with other engines, and checks of a model."""
