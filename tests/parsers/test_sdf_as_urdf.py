"""One robot in two formats is one robot: the shipped robots and real ones, written as SDFormat in many ways."""

import random
import sys
import sysconfig
import warnings
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest

import featherstone as fs
from featherstone.model.urdf_writer import rpy_from_rotation

ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
REAL = [
    "panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf", "talos_data/robots/talos_reduced.urdf",
    "go2_description/urdf/go2.urdf", "anymal_b_simple_description/robots/anymal.urdf",
]  # fmt: skip
SOURCES = [*(Path(fs.models.__file__).parent / "robots").glob("*.urdf"), *(ROBOTS / name for name in REAL)]
TYPES = {"spherical": "ball"}


def numbers(values):
    return " ".join(map(repr, map(float, values)))


def posed(T, relative_to=None):
    where = f" relative_to={quoteattr(relative_to)}" if relative_to else ""
    return f"<pose{where}>{numbers([*T[:3, 3], *rpy_from_rotation(T[:3, :3].tolist())])}</pose>"


def shape(position, rotation):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return T


def to_sdf(description, choose, tied):
    """The description in SDFormat; `choose` draws in which frame each pose and each axis is given."""
    world = {}  # the pose of each link at zero
    into = {joint.child: joint for joint in description.joints}
    for name in [link.name for link in description.links]:
        chain = [name]
        while chain[-1] not in world and chain[-1] in into:
            chain.append(into[chain[-1]].parent)
        for x in reversed(chain):
            joint = into.get(x)
            world.setdefault(x, world[joint.parent] @ shape(joint.position, joint.rotation) if joint else np.eye(4))
    lines = []
    for link in description.links:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = link.inertia
        moments = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), (xx, xy, xz, yy, yz, zz))
        tensor = "".join(f"<{key}>{x!r}</{key}>" for key, x in moments)
        other = choose([None, *(x for x in world if x != link.name and is_before(x, link.name, into))])
        T = world[link.name] if other is None else np.linalg.inv(world[other]) @ world[link.name]
        lines.append(
            f"<link name={quoteattr(link.name)}>{posed(T, other)}<inertial>{posed(shape(link.com, np.eye(3)))}"
            f"<mass>{link.mass!r}</mass><inertia>{tensor}</inertia></inertial></link>"
        )
    for joint in description.joints:
        T = world[joint.child]
        other = choose([None, joint.parent, joint.child, "__model__"])
        moved = {joint.parent: np.linalg.inv(world[joint.parent]) @ T, "__model__": T}.get(other, np.eye(4))
        of_axis = choose([None, joint.parent, "__model__"])
        R = {joint.parent: world[joint.parent][:3, :3].T @ T[:3, :3], "__model__": T[:3, :3]}.get(of_axis, np.eye(3))
        where = f" expressed_in={quoteattr(of_axis)}" if of_axis else ""
        limits = {key: getattr(joint, key) for key in ("lower", "upper", "velocity", "effort")}
        limit = "".join(f"<{key}>{x!r}</{key}>" for key, x in limits.items())
        losses = f"<damping>{joint.damping!r}</damping><friction>{joint.friction!r}</friction>"
        mimic = ""
        if joint.mimic:
            m = joint.mimic
            mimic = (
                f"<mimic joint={quoteattr(m.joint)}><multiplier>{m.multiplier!r}</multiplier>"
                f"<offset>{m.offset + 0.5 * m.multiplier!r}</offset><reference>0.5</reference></mimic>"
            )
        lines.append(
            f'<joint name={quoteattr(joint.name)} type="{TYPES.get(joint.type, joint.type)}">{posed(moved, other)}'
            f"<parent>{joint.parent}</parent><child>{joint.child}</child>"
            f"<axis><xyz{where}>{numbers(R @ joint.axis)}</xyz><limit>{limit}</limit>"
            f"<dynamics>{losses}</dynamics>{mimic}</axis></joint>"
        )
    choose(lines, shuffle=True)
    root = next(x for x in world if x not in into)
    tie = f'<joint name="tie" type="fixed"><parent>world</parent><child>{root}</child></joint>'
    return f'<sdf version="1.11"><model name="{description.name}">{tie if tied else ""}{"".join(lines)}</model></sdf>'


def is_before(x, link, into):
    """Whether link x is nearer to the root than the other, so that no pose is relative to itself."""
    while link in into:
        link = into[link].parent
        if link == x:
            return True
    return False


def chooser(seed):
    rng = random.Random(seed)

    def choose(items, shuffle=False):
        if shuffle:
            rng.shuffle(items)
            return None
        return rng.choice(items)

    return choose


def in_order_of(model, other, x, index):
    """A vector of the other model's in this model's order of joints."""
    y = np.full_like(x, np.nan)
    for name in other.joint_names:
        try:
            y[..., getattr(model, index)(name)] = x[..., getattr(other, index)(name)]
        except ValueError:
            assert other.leaders[other.joint_names.index(name)]  # followers have no coordinates
    return y


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "free"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_dynamics_are_those_of_the_urdf(source, tied):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        known = fs.load_urdf(source, floating_base=not tied)
        # in SDFormat links and joints share their names, and the world is no link
        joints = {joint.name for joint in known.description.joints}
        for name in {link.name for link in known.description.links} & {*joints, "world"}:
            known = known.rename(links={name: f"{name}_"})
        for seed in range(3):
            read = fs.load_sdf(to_sdf(known.description, chooser(seed), tied))
            assert (read.nq, read.nv, read.mass) == (known.nq, known.nv, pytest.approx(known.mass, rel=1e-12))
            same(known, read, seed)


def same(known, read, seed):
    rng = np.random.default_rng(seed)
    q = known.random_configuration(rng)
    qd, qdd = rng.normal(size=(2, known.nv))
    mine = in_order_of(read, known, q, "q_index"), in_order_of(read, known, qd, "qd_index")
    accelerations = in_order_of(read, known, qdd, "qd_index")
    expected = fs.rnea(known, q, qd, qdd)
    found = in_order_of(known, read, fs.rnea(read, *mine, accelerations), "qd_index")
    # a pose is a product of as many as the chain is long, each rounded; the largest entry stands for all
    tolerance = 100 * known.nb * sys.float_info.epsilon * max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
    for what in ("q_lower", "q_upper"):
        expected = in_order_of(read, known, getattr(known, what), "q_index")
        np.testing.assert_array_equal(getattr(read, what), expected)
    for what in ("damping", "friction", "qd_limit", "tau_limit"):
        expected = in_order_of(read, known, getattr(known, what), "qd_index")
        np.testing.assert_array_equal(getattr(read, what), expected)
