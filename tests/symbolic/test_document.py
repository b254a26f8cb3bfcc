"""The example of docs/symbolic.md runs and prints what it says."""

import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "symbolic.md"


def test_the_example_runs(tmp_path):
    code, printed = re.search(r"```python\n(.*?)```\s+```text\n(.*?)```", DOCUMENT.read_text(), re.DOTALL).groups()
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip().splitlines()[-1] == printed.strip()
