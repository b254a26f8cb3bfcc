"""Every example runs from anywhere and prints what it printed when it was written."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXAMPLES = sorted(HERE.parent.joinpath("examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_prints_what_it_should(path, tmp_path):
    command = [sys.executable, str(path)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False)
    assert run.stderr == ""
    assert run.returncode == 0
    assert run.stdout == (HERE / "data" / "examples" / f"{path.stem}.txt").read_text(encoding="utf-8")


def test_there_are_examples():
    assert {path.stem for path in EXAMPLES} >= {"planar_2r", "six_axis", "free_flight", "computed_torque", "lqr"}
