"""What the check finds on every real robot we can get, and what it leaves alone."""

import sysconfig
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from featherstone.parsers.geometry import read_outlines
from featherstone.parsers.urdf import UrdfReading
from featherstone.proof.check import check
from featherstone.proof.extent import lengths_out_of_proportion, measure
from featherstone.proof.geometry_rules import against_shapes
from featherstone.proof.inertia_rules import proportions

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
EMPTY = "ur_description/urdf/ur3.urdf"  # a robot without name and links
FILES = [x for x in sorted(ROBOTS.rglob("*.urdf")) if not x.as_posix().endswith(EMPTY)]

# how often each rule is broken by these files, and by how many of them
COUNTS = {
    ("note", "com-outside"): (2, 1),
    ("note", "effort-zero"): (12, 5),
    ("note", "inertia-too-large"): (190, 16),
    ("note", "mimic-unreachable"): (2, 1),
    ("note", "moving-link-without-mass"): (35, 2),
    ("note", "name-shared"): (15, 4),
    ("note", "point-mass"): (57, 15),
    ("note", "thin-rod"): (12, 8),
    ("warning", "inertia-axes"): (4, 4),
    ("warning", "inertia-not-positive"): (21, 6),
    ("warning", "inertia-too-large"): (68, 11),
    ("warning", "inertia-too-small"): (14, 8),
    ("warning", "inertia-triangle-rule"): (35, 15),
    ("warning", "limits-equal"): (4, 2),
    ("warning", "limits-on-continuous"): (5, 2),
    ("warning", "mass-matrix-ill-conditioned"): (1, 1),
    ("warning", "massless-leaf"): (4, 2),
    ("warning", "mimic-dangling"): (8, 1),
    ("warning", "mimic-on-fixed-joint"): (42, 4),
    ("warning", "mirror-inertia"): (6, 4),
    ("warning", "no-limits"): (8, 2),
    ("warning", "transmission-dangling"): (1, 1),
    ("warning", "velocity-zero"): (12, 5),
}

# looked through link by link: masses, centres of mass, radii of gyration, moments, shapes, limits
SOUND = [
    "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "go2_description/urdf/go2.urdf",
    "so_arm_description/urdf/so101.urdf",
    "solo_description/robots/solo.urdf",
    "solo_description/robots/solo12.urdf",
    "talos_data/robots/talos_full_v2.urdf",
    "talos_data/robots/talos_full_v2_box.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "z1_description/urdf/z1.urdf",
]


@pytest.fixture(scope="module")
def reports():
    return {path: check(path) for path in FILES}


def test_findings_are_as_known(reports):
    found: dict[tuple[str, str], list[Path]] = {}
    for path, report in reports.items():
        for x in report.findings:
            assert x.file == str(path)
            assert x.line is not None
            found.setdefault((x.severity, x.rule), []).append(path)
    assert {rule: (len(paths), len(set(paths))) for rule, paths in found.items()} == COUNTS


def test_every_tensor_that_is_singular_or_worse_although_there_is_mass_is_found(reports):
    """As a point, a rod, or as a tensor that no body has; by an absolute measure, so that tiny ones count as well."""
    links, files = 0, set()
    for path, report in reports.items():
        rules: dict[str | None, set[str]] = {}
        for x in report.findings:
            rules.setdefault(x.name, set()).add(x.rule)
        for link in UrdfReading(path).builder.describe().links:
            if link.mass > 0 and np.linalg.eigvalsh(np.array(link.inertia))[0] <= 1e-12:
                links += 1
                files.add(path)
                known = {"point-mass", "thin-rod", "inertia-not-positive", "inertia-triangle-rule", "inertia-too-small"}
                assert rules[link.name] & known, link.name
    assert (links, len(files)) == (92, 23)


@pytest.mark.parametrize("name", SOUND)
def test_sound_robots_have_no_false_alarm(reports, name):
    report = reports[ROBOTS / name]
    assert [x for x in report.findings if x.severity != "note"] == []
    assert report.ok
    assert report.conditioning.number < 1e3


def test_famous_mistakes_are_found(reports):
    """A hand 0.2 m wide along y has not its least moment about x; a wrist of 0.19 kg is no ball of 1 m across."""
    for name, rule, link in (
        ("panda_description/urdf/panda_collision.urdf", "inertia-axes", "panda_hand"),
        ("ur_description/urdf/ur5_robot.urdf", "inertia-too-large", "wrist_3_link"),
    ):
        assert [(x.rule, x.name) for x in reports[ROBOTS / name].findings] == [(rule, link)]


def findings_about(reading, outlines, description, name):
    extent = measure(description, outlines)
    found = [
        *lengths_out_of_proportion(description, extent),
        *proportions(description, extent),
        *against_shapes(description, outlines, extent),
    ]
    return {x.rule for x in found if x.name == name}


@pytest.mark.parametrize("name", SOUND)
def test_mistakes_of_units_made_in_one_link_are_found(name):
    """kg mm^2, g m^2, t m^2, and grams in any link; a centre of mass in mm if it is not at the link's origin."""
    reading = UrdfReading(ROBOTS / name)
    description = reading.builder.describe()
    outlines, _ = read_outlines(reading)
    made = Counter()
    for k, link in enumerate(description.links):
        if link.mass < 1e-4 or not np.any(link.inertia):
            continue
        for mistake, changes, rules in (
            ("kg mm^2", {"inertia": tuple(map(tuple, 1e6 * np.array(link.inertia)))}, {"inertia-too-large"}),
            ("g m^2", {"inertia": tuple(map(tuple, 1e3 * np.array(link.inertia)))}, {"inertia-too-large"}),
            ("t m^2", {"inertia": tuple(map(tuple, 1e-6 * np.array(link.inertia)))}, {"inertia-too-small"}),
            ("g", {"mass": 1e3 * link.mass}, {"inertia-too-small"}),
            ("mm", {"com": tuple(1e3 * np.array(link.com))}, {"far-away", "com-outside"}),
        ):
            if mistake == "mm" and np.linalg.norm(link.com) < 0.01:
                continue
            links = (*description.links[:k], replace(link, **changes), *description.links[k + 1 :])
            found = findings_about(reading, outlines, replace(description, links=links), link.name)
            assert found & rules, (mistake, link.name)
            made[mistake] += 1
    assert min(made[x] for x in ("kg mm^2", "g m^2", "t m^2", "g", "mm")) >= 2
