"""What README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import featherstone as fs

README = Path(__file__).parents[1] / "README.md"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_the_example_prints_what_is_shown_below_it():
    (example,), (shown,) = blocks("python"), blocks("text")
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, check=True)
    assert done.stdout == shown


def test_the_table_of_functions_names_public_ones():
    text = README.read_text(encoding="utf-8")
    table = text[text.index("## What it does") : text.index("On the command line")]
    names = {name.removeprefix("fs.").split(".")[0] for name in re.findall(r"`([A-Za-z_.]+)`", table)}
    methods = {name for name in names if hasattr(fs.Model, name)}
    assert names - methods
    assert all(hasattr(fs, name) for name in names - methods), names


def test_every_public_name_is_there_and_documented():
    for name in fs.__all__:
        assert getattr(fs, name).__doc__, name
