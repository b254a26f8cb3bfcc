"""Python in processes of its own, for what depends on how a process starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def start_python(code: str, **environment: str) -> subprocess.Popen[str]:
    """A new process, with the tests importable; warnings about numbers are errors."""
    return subprocess.Popen(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> Any:
    """What it printed, as JSON, when it ended well."""
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return json.loads(output)


def run_python(code: str, **environment: str) -> Any:
    """What a new process prints, as JSON."""
    return finish(start_python(code, **environment))
