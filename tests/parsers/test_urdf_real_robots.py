"""Every real robot we can get loads, and weighs what Pinocchio says."""

import json
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest

import featherstone as fs
from featherstone.parsers.errors import ParseError
from featherstone.parsers.urdf import load_urdf, read_urdf

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
FILES = sorted(ROBOTS.rglob("*.urdf"))
EMPTY = "ur_description/urdf/ur3.urdf"  # a robot without name and links
MODELS = [p.relative_to(ROBOTS).as_posix() for p in FILES if not p.as_posix().endswith(EMPTY)]

# in a process of its own: Pinocchio says on stderr, not by an error, that it left out what it could not read
PINOCCHIO = """
import json, sys
import pinocchio
masses = {}
for path in json.load(sys.stdin):
    masses[path] = sum(inertia.mass for inertia in pinocchio.buildModelFromUrdf(path).inertias)
print(json.dumps(masses))
"""


@pytest.fixture(scope="module")
def pinocchio_masses():
    paths = json.dumps([str(ROBOTS / name) for name in MODELS])
    run = subprocess.run([sys.executable, "-c", PINOCCHIO], input=paths, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return json.loads(run.stdout)


def test_there_are_68_robots():
    assert len(MODELS) == 68


@pytest.mark.parametrize("name", MODELS)
def test_mass_is_that_of_pinocchio(name, pinocchio_masses):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        models = [
            load_urdf(ROBOTS / name, floating_base=floating, merge_fixed=merge)
            for floating in (False, True)
            for merge in (False, True)
        ]
    expected = pinocchio_masses[str(ROBOTS / name)]
    # both add up the same numbers, in different orders
    tolerance = 2 * len(models[0].frame_names) * sys.float_info.epsilon
    for model in models:
        assert model.mass == pytest.approx(expected, rel=tolerance)
    assert models[3].nv == models[1].nv + 6


def test_the_empty_robot_is_refused():
    with pytest.raises(ParseError, match=r"ur3\.urdf:6: robot: expected at least one <link>, got none"):
        load_urdf(ROBOTS / EMPTY)


# how often each rule is broken by these files, and by how many of them
COUNTS = {
    "inertia-not-positive": (21, 6),
    "inertia-triangle-rule": (35, 15),
    "limits-on-continuous": (5, 2),
    "massless-leaf": (4, 2),
    "mimic-dangling": (8, 1),
    "mimic-on-fixed-joint": (42, 4),
    "no-limits": (8, 2),
}


def test_findings_are_as_known():
    found: dict[str, list[str]] = {}
    for name in MODELS:
        for finding in read_urdf(ROBOTS / name)[1]:
            found.setdefault(finding.rule, []).append(name)
    assert {rule: (len(names), len(set(names))) for rule, names in found.items()} == COUNTS
