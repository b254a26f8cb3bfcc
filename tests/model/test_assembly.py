"""From links and joints to a tree: its order, what is no tree, who follows whom, where frames are."""

import math
import re

import numpy as np
import pytest
from scipy.linalg import expm

import featherstone as fs
from featherstone.model.elements import canonical_rotation

from ..random_trees import ALL, random_parts, random_q


def build(edges, **options):
    """Links of 1 kg and hinges, from (parent, child) pairs or triples with fields of the joint."""
    builder = fs.ModelBuilder("tree")
    links = dict.fromkeys(name for parent, child, *_ in edges for name in (parent, child))
    for name in links:
        builder.add_link(name, 1.0, (0.1, 0.0, 0.0), 0.1 * np.eye(3))
    for parent, child, *fields in edges:
        given = {"type": "revolute"} | (fields[0] if fields else {})
        builder.add_joint(f"j_{child}", parent=parent, child=child, **given)
    return builder.build(**options)


class TestOrder:
    def test_is_depth_first_with_children_as_they_were_added(self):
        edges = [("root", "b"), ("root", "a"), ("b", "d"), ("a", "e"), ("b", "c"), ("d", "f")]
        model = build(edges)
        assert model.body_names == ("b", "d", "f", "c", "a", "e")
        assert model.joint_names == tuple(f"j_{name}" for name in model.body_names)
        assert model.parent.tolist() == [-1, 0, 1, 0, -1, 4]

    def test_keeps_that_order_when_a_joint_comes_before_its_parents(self):
        assert build([("b", "c"), ("a", "b"), ("a", "x")]).body_names == ("b", "c", "x")

    def test_goes_on_through_fixed_joints(self):
        edges = [("root", "plate", {"type": "fixed"}), ("plate", "a"), ("root", "b"), ("plate", "c")]
        model = build(edges)
        assert model.body_names == ("a", "c", "b")
        assert model.frame_names == ("root", "plate", "a", "c", "b")
        assert build(edges, merge_fixed=False).body_names == ("plate", "a", "c", "b")

    def test_parents_come_before_children_in_any_tree(self):
        for seed in range(20):
            parts = random_parts(seed, 12, fixed=True)
            order = np.random.default_rng(seed).permutation(len(parts.joints))
            model = parts.build(order=order)
            assert (model.parent < np.arange(model.nb)).all()
            # depth first: a body's parent is the one before it, or an ancestor of that
            for b in range(1, model.nb):
                above, ancestors = b - 1, {-1}
                while above >= 0:
                    ancestors.add(above)
                    above = int(model.parent[above])
                assert int(model.parent[b]) in ancestors

    def test_a_floating_base_comes_first(self):
        model = build([("root", "a")], floating_base=True)
        assert model.joint_names == ("root_joint", "j_a")
        assert model.body_names == ("root", "a")
        assert (model.nq, model.nv) == (8, 7)


def raises(pattern, element=None):
    return pytest.raises(fs.ModelError, match=pattern, check=lambda error: error.element == element)


class TestNoTree:
    def test_no_links(self):
        with raises("^robot 'void': expected at least one link, got none"):
            fs.ModelBuilder("void").build()

    def test_two_roots(self):
        with raises("^links 'a' and 'c' both have no parent; expected one root", ("link", "c")):
            build([("a", "b"), ("c", "d")])

    def test_two_parents(self):
        builder = fs.ModelBuilder("loop")
        for name in "abc":
            builder.add_link(name)
        for name, parent, child in (("p", "a", "b"), ("q", "a", "c"), ("r", "b", "c")):
            builder.add_joint(name, "revolute", parent, child)
        with raises("^link 'c' is the child of two joints: 'q' and 'r'; a robot must be a tree", ("link", "c")):
            builder.build()

    def test_a_link_that_carries_itself(self):
        with raises("^links form a cycle: 'a' <- 'a'; a robot must be a tree", ("link", "a")):
            build([("a", "a")])

    @pytest.mark.parametrize("edges", [["ab", "ba"], ["ra", "bc", "cd", "db"], ["xy", "yz", "zx", "ra", "rb"]])
    def test_a_circle(self, edges):
        with pytest.raises(fs.ModelError, match=r"^links form a cycle: '[a-z]' <- .*; a robot must be a tree"):
            build([tuple(edge) for edge in edges])

    @pytest.mark.parametrize("role", ["parent", "child"])
    def test_a_link_that_does_not_exist(self, role):
        builder = fs.ModelBuilder("torn")
        builder.add_link("base")
        builder.add_link("rod")
        ends = {"parent": "base", "child": "rod"} | {role: "rode"}
        builder.add_joint("hinge", "revolute", **ends)
        with raises(f"^joint 'hinge': {role}: there is no link 'rode'", ("joint", "hinge")):
            builder.build()

    def test_the_floating_bases_joint_keeps_its_name(self):
        builder = fs.ModelBuilder("taken")
        builder.add_link("base")
        builder.add_link("rod", 1.0)
        builder.add_joint("root_joint", "revolute", "base", "rod")
        assert builder.build().joint_names == ("root_joint",)
        with raises("^joint 'root_joint': the name is kept for the floating base", ("joint", "root_joint")):
            builder.build(floating_base=True)


def follow(joint, *numbers):
    return {"mimic": fs.Mimic(joint, *numbers)}


class TestMimic:
    def test_followers_have_no_coordinates(self):
        model = build([("r", "a"), ("a", "b", follow("j_a", -2.0, 0.5)), ("b", "c")])
        assert (model.nb, model.nq, model.nv) == (3, 2, 2)
        assert model.leaders == (None, "j_a", None)
        assert (model.q_index("j_c"), model.qd_index("j_c")) == (1, 1)
        with pytest.raises(fs.ModelError, match=r"^joint 'j_b' follows 'j_a' and has no coordinate of its own"):
            model.q_index("j_b")

    def test_chains_multiply(self):
        """c = -3 b + 1, b = 2 a + 0.5: c = -6 a - 0.5; in the order of the file or against it."""
        edges = [("r", "a"), ("r", "b", follow("j_a", 2.0, 0.5)), ("r", "c", follow("j_b", -3.0, 1.0))]
        for given in (edges, edges[::-1]):
            model = build(given)
            full = build(given, mimic=False)
            assert set(model.leaders) == {None, "j_a"}
            q = np.zeros(3)
            for name, angle in (("j_a", 0.3), ("j_b", 1.1), ("j_c", -2.3)):
                q[full.q_index(name)] = angle
            poses = fs.forward_kinematics(model, [0.3])
            np.testing.assert_allclose(poses, fs.forward_kinematics(full, q), rtol=0, atol=1e-15)

    def test_can_be_left_out(self):
        model = build([("r", "a"), ("a", "b", follow("j_a"))], mimic=False)
        assert (model.nv, model.leaders) == (2, (None, None))

    @pytest.mark.parametrize(
        ("followed", "circle"),
        [
            ({"a": "b", "b": "a"}, "'j_a' -> 'j_b' -> 'j_a'"),
            ({"a": "a"}, "'j_a' -> 'j_a'"),
            ({"a": "b", "b": "c", "c": "b"}, "'j_b' -> 'j_c' -> 'j_b'"),
        ],
    )
    def test_a_circle_is_an_error(self, followed, circle):
        plain = circle.replace("'", "")
        pattern = f"^joint 'j_a': mimic relations form a cycle: ({re.escape(circle)}|{re.escape(plain)})"
        with raises(pattern, ("joint", "j_a")):
            build([("r", name, follow(f"j_{followed[name]}") if name in followed else {}) for name in "abc"])

    def test_a_leader_that_does_not_exist_is_an_error(self):
        with raises("^joint 'j_a': mimic: there is no moving joint 'j_x' to follow", ("joint", "j_a")):
            build([("r", "a", follow("j_x"))])

    def test_a_fixed_leader_is_an_error(self):
        with raises("^joint 'j_a': mimic: there is no moving joint 'j_b' to follow", ("joint", "j_a")):
            build([("r", "a", follow("j_b")), ("r", "b", {"type": "fixed"})])

    @pytest.mark.parametrize("kind", ["planar", "spherical", "floating"])
    def test_joints_of_several_degrees_neither_follow_nor_lead(self, kind):
        expected = f"mimic: expected joints of one degree of freedom, .* is {kind}"
        with pytest.raises(fs.ModelError, match=f"^joint 'j_a': {expected}"):
            build([("r", "a", follow("j_b")), ("r", "b", {"type": kind})])
        with pytest.raises(fs.ModelError, match=f"^joint 'j_a': {expected}"):
            build([("r", "a", {"type": kind} | follow("j_b")), ("r", "b")])

    def test_a_follower_that_stands_still(self):
        """Multiplier zero: the joint stays at its offset and is felt by no one."""
        model = build([("r", "a"), ("a", "b", follow("j_a", 0.0, 0.7))])
        full = build([("r", "a"), ("a", "b")])
        H = fs.crba(full, [0.2, 0.7])
        np.testing.assert_allclose(fs.crba(model, [0.2]), H[:1, :1], rtol=1e-15)


@pytest.mark.parametrize(
    "axis",
    [
        (0, 0, 1),
        (0, 0, -1),
        (1, 0, 0),
        (-1, 0, 0),
        (0, 1, 0),
        (0.6, 0, -0.8),
        (1e-9, 0, 1),
        (1e-9, -1e-9, -1),
        (1, 0, 1e-17),
        (1, 0, -1e-17),
        (-0.48, 0.6, 0.64),
    ],
)
def test_canonical_rotations_take_z_to_the_axis(axis):
    unit = np.array(axis) / math.hypot(*axis)
    R = canonical_rotation(tuple(unit.tolist()))
    np.testing.assert_allclose(R @ [0.0, 0.0, 1.0], unit, rtol=0, atol=1e-15)
    np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0, atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-15)


def cross(w):
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def turned(axis, angle):
    """Rodrigues' formula."""
    k = cross(axis)
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k


def from_quaternion(x):
    k = cross(x[:3])
    return np.eye(3) + 2.0 * x[3] * k + 2.0 * k @ k


def pose(R, p):
    return np.block([[R, np.reshape(p, (3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]])


def joint_pose(joint, q):
    """How a joint moves its child, in the joint frame of the description."""
    axis = np.array(joint.axis)
    if joint.type in ("revolute", "continuous"):
        return pose(turned(axis, q), np.zeros(3))
    if joint.type == "prismatic":
        return pose(np.eye(3), q * axis)
    if joint.type == "planar":
        # the plane's own axes are those of the least rotation that takes z to the normal
        Z = canonical_rotation(joint.axis)
        return pose(turned(axis, q[2]), Z @ [q[0], q[1], 0.0])
    if joint.type == "spherical":
        return pose(from_quaternion(q), np.zeros(3))
    if joint.type == "floating":
        return pose(from_quaternion(q[3:]), q[:3])
    moved = np.eye(4)
    for screw, x in zip(screws_of(joint), np.atleast_1d(q)):
        moved = moved @ expm(x * twist(screw))
    return moved


def screws_of(joint):
    """The unit screws (w; v) of a joint that turns, slides or does both, one after another."""
    axis, still = np.array(joint.axis), np.zeros(3)
    if joint.type == "helical":
        return [(*axis, *(joint.pitch * axis))]
    if joint.type == "cylindrical":
        return [(*axis, *still), (*still, *axis)]
    if joint.type == "universal":
        return [(*axis, *still), (*joint.axis2, *still)]
    return joint.screws


def twist(screw):
    """The matrix (4, 4) of a screw."""
    (x, y, z), v = screw[:3], screw[3:]
    return np.array([[0.0, -z, y, v[0]], [z, 0.0, -x, v[1]], [-y, x, 0.0, v[2]], [0.0, 0.0, 0.0, 0.0]])


@pytest.mark.parametrize("seed", range(6))
def test_frames_are_where_the_description_has_them(seed):
    """Canonical frames are nobody's business: all poses are products of the description's own joint frames."""
    parts = random_parts(seed, 12, ALL, fixed=True)
    model = parts.build(order=np.random.default_rng(seed).permutation(len(parts.joints)))
    q = random_q(model, seed)
    expected = {"base": np.eye(4)}
    for joint in (joint for _ in parts.joints for joint in parts.joints):  # as often as the tree may be deep
        if joint.parent in expected and joint.child not in expected:
            fixed = joint.type == "fixed"
            built = joint if fixed else next(x for x in model.joints if x.name == joint.name)
            moving = np.eye(4) if fixed else joint_pose(built, q[model.q_index(joint.name)])
            expected[joint.child] = expected[joint.parent] @ pose(np.array(joint.rotation), joint.position) @ moving
    assert set(expected) == set(model.frame_names)
    for name, right in expected.items():
        np.testing.assert_allclose(fs.frame_pose(model, q, name), right, rtol=0, atol=1e-13)
    poses = fs.forward_kinematics(model, q)
    np.testing.assert_allclose(poses, [expected[name] for name in model.body_names], rtol=0, atol=1e-13)
