"""Help, exit status, wrong usage, and how the program behaves in a shell."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import featherstone as fs

COMMANDS = ("info", "check", "simulate", "compare", "warmup", "cache")
OF_A_MODEL = COMMANDS[:4]
HEAVY = {"numba", "llvmlite", "scipy", "matplotlib", "pinocchio", "mujoco"}


def words(text: str) -> str:
    return " ".join(text.split())


def one_line_error(result) -> str:
    """The message of a user's mistake: one line on standard error, nothing on standard output, status 2."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("error: ")
    return result.stderr


def test_help_lists_the_commands(run):
    result = run("--help")
    assert result.exit_code == 0
    assert all(name in result.stdout for name in COMMANDS)
    assert "Exit status: 0 all is well, 1 a check failed, 2 bad usage or input." in words(result.stdout)
    assert run("-h").stdout == result.stdout


def test_no_command_shows_the_help(run):
    result = run()
    assert result.exit_code in (0, 2)
    assert "Usage: featherstone" in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command_has_examples_and_the_shipped_robots(run, name):
    text = words(run(name, "--help").stdout)
    assert f"Examples: featherstone {name} " in text
    assert "--json" in text
    if name in OF_A_MODEL:
        assert all(robot in text for robot in fs.models.names())


def test_version(run):
    assert run("--version").stdout == f"featherstone {fs.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("info",),
        ("info", "planar_2r", "pendulum"),
        ("info", "planar_2r", "--colour"),
        ("simulate", "planar_2r", "--dt", "soon"),
        ("simulate", "planar_2r", "--random", "1.5"),
        ("compare", "planar_2r", "--samples", "many"),
    ],
)
def test_wrong_usage(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Usage: featherstone" in result.stderr


@pytest.mark.parametrize("name", OF_A_MODEL)
@pytest.mark.parametrize("json_too", [False, True])
def test_an_unknown_robot_suggests_the_nearest(run, name, json_too):
    result = run(name, "planar_r2", *(["--json"] if json_too else []))
    assert "MODEL: 'planar_r2' is neither a file nor a shipped robot; did you mean 'planar_2r'?" in one_line_error(
        result
    )


def test_a_name_like_none_lists_all_robots(run):
    assert "shipped robots are 'cart_pole', 'humanoid'" in one_line_error(run("info", "zzzzzz"))


@pytest.mark.parametrize("name", ["info", "simulate", "compare"])
def test_broken_files(run, name, broken):
    assert broken.name in one_line_error(run(name, broken))


@pytest.mark.parametrize("name", OF_A_MODEL)
def test_a_directory(run, name, tmp_path):
    assert "directory" in one_line_error(run(name, tmp_path))


@pytest.mark.parametrize("name", OF_A_MODEL)
def test_a_missing_file(run, name):
    assert one_line_error(run(name, "no/such/robot.urdf")) == "error: no/such/robot.urdf: No such file or directory\n"


def test_a_file_is_preferred_to_a_shipped_robot_of_its_name(run, suspicious, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    suspicious.rename(tmp_path / "pendulum")
    assert json.loads(run("info", "pendulum", "--json").stdout)["name"] == "suspicious"


def test_a_directory_does_not_hide_a_shipped_robot(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum").mkdir()
    assert json.loads(run("info", "pendulum", "--json").stdout)["name"] == "pendulum"


@pytest.mark.parametrize("name", ["info", "simulate", "compare"])
def test_warnings_are_lines_on_standard_error(run, name, suspicious):
    result = run(name, suspicious, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)
    if name == "compare":
        assert result.stderr == ""  # warnings are the business of check
        return
    lines = result.stderr.splitlines()
    assert len(lines) == 2
    assert all(line.startswith(f"warning: {suspicious}:") for line in lines)
    assert "UserWarning" not in result.stderr


def test_the_program_reads_standard_input(program, suspicious):
    result = program("info", "-", "--json", input=suspicious.read_bytes())
    assert result.returncode == 0
    assert json.loads(result.stdout)["name"] == "suspicious"
    assert result.stderr.startswith(b"warning: <string>:")


def test_the_program_tells_a_mistake_in_one_line(program):
    result = program("info", "no_such_robot.urdf")
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.replace(b"\r", b"") == b"error: no_such_robot.urdf: No such file or directory\n"


def test_the_program_on_a_terminal_of_another_encoding(program):
    result = program("info", "planar_2r", environment={"PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0
    assert b"elbow" in result.stdout
    assert result.stderr == b""


def test_nothing_heavy_is_imported_for_help():
    code = """
import sys
from featherstone.cli.main import app
for arguments in (["--help"], ["info", "--help"], ["info", "planar_2r"]):
    try:
        app(arguments)
    except SystemExit as end:
        assert not end.code
print(" ".join({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert HEAVY.isdisjoint(result.stderr.split())
    assert "featherstone" in result.stderr


def test_typer_and_rich_are_only_for_the_command_line():
    code = "import sys, featherstone; print({'typer', 'rich'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert result.stdout == "set()\n"


def test_a_closed_pipe_ends_quietly():
    command = [sys.executable, "-m", "featherstone", "info", "humanoid", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode != 0
    assert err == b""


def test_ctrl_c_ends_with_status_130(tmp_path):
    command = [sys.executable, "-m", "featherstone", "simulate", "planar_2r", "--duration", "10000"]
    command += ["--q0", "0.6,-0.9", "--out", str(tmp_path / "run.npz")]
    colours = dict(os.environ) | {"FORCE_COLOR": "1", "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=colours) as process:
        assert process.stderr is not None
        shown = b""
        while b"simulating" not in shown and process.poll() is None:
            shown += process.stderr.read1()
        time.sleep(0.5)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, b"")
    assert b"nothing was written" in err
    assert b"Traceback" not in err
    assert list(tmp_path.iterdir()) == []
