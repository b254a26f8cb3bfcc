"""How the tests of the command line run it: in this process, or as a program of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from typer.testing import CliRunner

from featherstone.cli.main import app

BROKEN = {
    "missing.urdf": None,
    "junk.urdf": b"\x7fELF\x02\x01\x01\x00\xff\xfe\x00junk",
    "empty.urdf": b"",
    "cut.urdf": b'<robot name="r"><link name="a"/>',
    "other.urdf": b"<svg/>",
    "loop.urdf": b"""<robot name="loop"><link name="a"/><link name="b"/>
<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>""",
}

SUSPICIOUS = """<robot name="suspicious">
  <link name="base"/>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="3"/></inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 2"/><limit lower="-1" upper="1" effort="5" velocity="2"/>
  </joint>
</robot>
"""


@pytest.fixture
def run() -> Callable[..., Any]:
    """Run the command line in this process; whatever it raises but its exit is an error of the test."""

    def invoke(*arguments: object, **options: Any) -> Any:
        result = CliRunner().invoke(app, [str(x) for x in arguments], prog_name="featherstone", **options)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert "Traceback" not in result.output
        return result

    return invoke


@pytest.fixture
def program() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run `python -m featherstone` in a process of its own."""

    def start(*arguments: object, environment: dict[str, str] | None = None, **options: Any) -> Any:
        command = [sys.executable, "-m", "featherstone", *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, timeout=300, env=dict(os.environ) | (environment or {}), **options
        )

    return start


@pytest.fixture
def suspicious(tmp_path):
    """A robot that loads with two warnings."""
    path = tmp_path / "suspicious.urdf"
    path.write_text(SUSPICIOUS)
    return path


@pytest.fixture(params=sorted(BROKEN))
def broken(request, tmp_path):
    """A file that is no robot, or is not there."""
    path = tmp_path / request.param
    if BROKEN[request.param] is not None:
        path.write_bytes(BROKEN[request.param])
    return path
