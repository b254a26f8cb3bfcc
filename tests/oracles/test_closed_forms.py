"""Joints, rotors and springs against Lagrange's equations of small systems, derived from their energies."""

from fractions import Fraction as F

import numpy as np
import pytest
from sympy import QQ

import featherstone as fs
from featherstone.algorithms.crba import CRBA
from featherstone.algorithms.rnea import RNEA

from ..rounding import U, bounded, constants, solve_error
from .lagrange import Body, Motion, exact, pose, shift, turn

COUNT = 12  # states of each system
CONSTANTS = 16.0  # roundings of an axis that is made a rotation, and of a decimal axis of nearly unit length
GRAVITY = (1.5, -2.0, -9.0)
# axes whose length is 1 in rational numbers
AXIS = (F(12, 25), F(-3, 5), F(16, 25))
ACROSS = (F(3, 5), F(0), F(4, 5))
SKEW = (F(-2, 7), F(3, 7), F(6, 7))
TURNED = ((0, -1, 0), (F(3, 5), 0, F(-4, 5)), (F(4, 5), 0, F(3, 5)))
MOUNT = (0.25, 0.125, -0.375)
# heavy, and with no symmetry: mass, centre, inertia about it
CARRIER = (3.0, (0.25, -0.125, 0.5), ((0.5, 0.0625, -0.125), (0.0625, 0.75, 0.03125), (-0.125, 0.03125, 0.625)))
BODY = (7.0, (-0.25, 0.375, 0.125), ((1.5, 0.25, -0.125), (0.25, 1.25, 0.375), (-0.125, 0.375, 0.875)))


def numbers(x):
    """Rational numbers as floats, row by row."""
    return tuple(numbers(row) if isinstance(row, (tuple, list)) else float(row) for row in x)


def from_bodies(n, place, more=None):
    """Lagrange's equations of bodies that are placed by n coordinates."""
    return Motion(n, place, GRAVITY, more)


def robot(*joints):
    """A carrier and a body, or a body alone, each behind a joint; the last joint's frame is turned and moved."""
    builder = fs.ModelBuilder("system")
    builder.add_link("base")
    parent = "base"
    links = (("carrier", CARRIER), ("body", BODY))[2 - len(joints) :]
    for k, ((kind, fields), (link, (mass, com, inertia))) in enumerate(zip(joints, links)):
        builder.add_link(link, mass, com, inertia)
        place = {"rotation": numbers(TURNED), "position": MOUNT} if k == len(joints) - 1 else {}
        builder.add_joint(f"j{k}", kind, parent, link, **place, **fields)
        parent = link
    return builder.build(gravity=GRAVITY)


def mounted():
    """The last joint's frame on its carrier."""
    return pose(exact(TURNED), exact(MOUNT))


def assert_moves_as(model, motion):
    """Inverse dynamics, the mass matrix and forward dynamics, to the rounding of ours alone."""
    rng = np.random.default_rng(model.nv)
    q, qd, qdd = rng.uniform(-3.0, 3.0, (3, COUNT, model.nv))
    tree = constants(model, CONSTANTS)
    torque = bounded(RNEA, model, [q, qd, qdd], (model.nv,), tree)
    H = bounded(CRBA, model, [q], (model.nv, model.nv), tree)
    expected = motion.torque(q, qd, qdd)
    assert np.abs(torque.error).max() < 1e-10 * np.abs(expected).max()
    assert (np.abs(fs.rnea(model, q, qd, qdd) - expected) <= torque.error).all()
    assert (np.abs(fs.crba(model, q) - motion.mass_matrix(q)) <= H.error).all()
    for method in ("aba", "cholesky"):
        found = fs.forward_dynamics(model, q, qd, expected, method=method)
        assert (np.abs(found - qdd) <= solve_error(H, qdd, 2.0 * torque.error + U * np.abs(expected))).all()
    assert np.abs(expected).max() > 10.0


class TestJoints:
    @pytest.mark.parametrize("second", [ACROSS, SKEW], ids=["askew", "more so"])
    def test_universal(self, second):
        model = robot(("universal", {"axis": numbers(AXIS), "axis2": numbers(second)}))
        assert_moves_as(model, from_bodies(2, lambda a, b: [Body(mounted() @ turn(AXIS, a) @ turn(second, b), *BODY)]))

    def test_universal_on_a_carrier(self):
        model = robot(
            ("revolute", {"axis": numbers(SKEW)}), ("universal", {"axis": numbers(AXIS), "axis2": numbers(ACROSS)})
        )

        def bodies(c, a, b):
            carried = turn(SKEW, c)
            return [
                Body(carried, *CARRIER),
                Body(carried @ mounted() @ turn(AXIS, a) @ turn(ACROSS, b), *BODY),
            ]

        assert_moves_as(model, from_bodies(3, bodies))

    @pytest.mark.parametrize("pitch", [0.25, -1.5])
    def test_helical_on_a_carrier(self, pitch):
        model = robot(("revolute", {"axis": numbers(SKEW)}), ("helical", {"axis": numbers(AXIS), "pitch": pitch}))

        def bodies(c, a):
            return [
                Body(turn(SKEW, c), *CARRIER),
                Body(turn(SKEW, c) @ mounted() @ shift(AXIS, a.q * exact(pitch)[()]) @ turn(AXIS, a), *BODY),
            ]

        assert_moves_as(model, from_bodies(2, bodies))

    def test_cylindrical_on_a_carrier(self):
        model = robot(("prismatic", {"axis": numbers(SKEW)}), ("cylindrical", {"axis": numbers(AXIS)}))

        def bodies(c, a, s):
            carried = shift(SKEW, c.q)
            moved = turn(AXIS, a) @ shift(AXIS, s.q)
            return [Body(carried, *CARRIER), Body(carried @ mounted() @ moved, *BODY)]

        assert_moves_as(model, from_bodies(3, bodies))

    def test_composite_of_a_turn_off_the_origin_a_skew_screw_and_a_slide(self):
        point, pitch = (0.5, -0.25, 0.125), 0.375
        moment = np.cross(point, numbers(AXIS)).tolist()
        pitched = [pitch * float(x) for x in SKEW]
        screws = [(*numbers(AXIS), *moment), (*numbers(SKEW), *pitched), (0.0, 0.0, 0.0, *numbers(ACROSS))]
        model = robot(("revolute", {"axis": numbers(ACROSS)}), ("composite", {"screws": screws}))
        to, back = shift(point), shift(point, -1)

        def bodies(c, a, b, s):
            screw = shift(SKEW, b.q * exact(pitch)[()]) @ turn(SKEW, b)
            moved = to @ turn(AXIS, a) @ back @ screw @ shift(ACROSS, s.q)
            return [Body(turn(ACROSS, c), *CARRIER), Body(turn(ACROSS, c) @ mounted() @ moved, *BODY)]

        assert_moves_as(model, from_bodies(4, bodies))


def test_a_nut_sinks_along_its_screw():
    """(I + m p^2) qdd = tau - m g p about a vertical axis through the centre."""
    m, inertia, pitch, g = 2.0, 0.5, 0.125, 9.0
    builder = fs.ModelBuilder("nut")
    builder.add_link("spindle")
    builder.add_link("nut", m, inertia=inertia * np.eye(3))
    builder.add_joint("thread", "helical", "spindle", "nut", axis=(0, 0, 1), pitch=pitch)
    model = builder.build(gravity=(0, 0, -g))
    tau = np.array([[-3.0], [0.0], [2.25], [7.0]])
    expected = (tau - m * g * pitch) / (inertia + m * pitch**2)
    found = fs.aba(model, np.full((4, 1), 0.7), np.full((4, 1), -5.0), tau)
    np.testing.assert_allclose(found, expected, rtol=16 * U, atol=16 * U)
    # the torque that holds it is the weight's over the thread
    assert fs.gravity_torque(model, [0.3])[0] == pytest.approx(m * g * pitch, rel=8 * U)


ROTOR = fs.Rotor(0.015625, -12.0, True, numbers(AXIS))


def with_rotor(rotor, gyroscopic, kind="revolute"):
    """A carrier on a hinge, a body on a joint whose motor sits on the carrier, its axis skew to all."""
    J, n = exact(rotor.inertia)[()], exact(rotor.ratio)[()]

    def bodies(a, b):
        carried = turn(SKEW, a)
        moved = turn(ACROSS, b) if kind == "revolute" else shift(ACROSS, b.q)
        return [Body(carried, *CARRIER), Body(carried @ mounted() @ moved, *BODY)]

    def spin(motion, placed):
        fast = motion.qd[1] * n
        if not gyroscopic:
            return fast**2 * J * QQ(1, 2), 0
        # the carrier has it as if it stood still: its spin in space, without the carrier's own
        still = exact(TURNED) @ exact(AXIS) @ placed[0].angular_velocity(motion)
        return ((still + fast) ** 2 - still**2) * J * QQ(1, 2), 0

    model = robot(("revolute", {"axis": numbers(SKEW)}), (kind, {"axis": numbers(ACROSS), "rotor": rotor}))
    return model, from_bodies(2, bodies, spin)


class TestRotors:
    @pytest.mark.parametrize("kind", ["revolute", "prismatic"])
    def test_that_spin_about_a_skew_axis_on_a_moving_carrier(self, kind):
        model, motion = with_rotor(ROTOR, True, kind)
        assert_moves_as(model, motion)
        q = np.array([[0.3, -0.4]])
        couples = fs.crba(model, q) - fs.crba(with_rotor(fs.Rotor(0.015625, -12.0), False, kind)[0], q)
        assert abs(couples[0, 0, 1]) > 0.01

    def test_that_only_reflect_their_inertia(self):
        """n^2 J on the joint, and nothing else."""
        model, motion = with_rotor(fs.Rotor(0.015625, -12.0), gyroscopic=False)
        assert_moves_as(model, motion)
        bare = robot(("revolute", {"axis": numbers(SKEW)}), ("revolute", {"axis": numbers(ACROSS)}))
        q = np.array([0.3, -0.4])
        added = fs.crba(model, q) - fs.crba(bare, q)
        np.testing.assert_allclose(added, np.diag([0.0, 144 * 0.015625]), rtol=0, atol=64 * U * 10.0)

    def test_are_bodies_of_their_own_that_follow_the_joint(self):
        """The same robot with the rotor taken out of the carrier, as a wheel on the carrier that follows the hinge."""
        model, _ = with_rotor(ROTOR, gyroscopic=True)
        along = np.array(numbers(TURNED)) @ numbers(AXIS)
        builder = fs.ModelBuilder("explicit")
        builder.add_link("base")
        mass, com, inertia = CARRIER
        builder.add_link("carrier", mass, com, np.array(inertia) - ROTOR.inertia * np.outer(along, along))
        builder.add_link("body", *BODY)
        builder.add_link("wheel", 0.0, (0, 0, 0), ROTOR.inertia * np.outer(ROTOR.axis, ROTOR.axis))
        place = {"rotation": numbers(TURNED), "position": MOUNT}
        builder.add_joint("j0", "revolute", "base", "carrier", axis=numbers(SKEW))
        builder.add_joint("j1", "revolute", "carrier", "body", axis=numbers(ACROSS), **place)
        follows = fs.Mimic("j1", ROTOR.ratio)
        builder.add_joint("shaft", "revolute", "carrier", "wheel", axis=ROTOR.axis, mimic=follows, **place)
        explicit = builder.build(gravity=GRAVITY)
        q, qd, qdd = np.random.default_rng(3).uniform(-3.0, 3.0, (3, COUNT, 2))
        torques = [bounded(RNEA, m, [q, qd, qdd], (2,), constants(m, CONSTANTS)) for m in (model, explicit)]
        found = [fs.rnea(m, q, qd, qdd) for m in (model, explicit)]
        assert (np.abs(found[0] - found[1]) <= torques[0].error + torques[1].error).all()
        assert np.abs(found[0]).max() > 10.0


def two_masses(M, B, stiffness, weight):
    """Spong's elastic joint: a link of inertia M about its hinge, a motor B, a spring; angles from the horizontal."""
    M, B, stiffness, weight = exact([M, B, stiffness, weight])

    def energies(motion, bodies):
        link, motor = motion.angles
        T = (link.rate**2 * M + motor.rate**2 * B) * QQ(1, 2)
        return T, (motor.q - link.q) ** 2 * stiffness * QQ(1, 2) + link.sin * weight

    return from_bodies(2, lambda link, motor: [], energies)


class TestElasticJoints:
    M, B, STIFFNESS, MASS, REACH = 0.75, 0.0625 * 64.0, 300.0, 2.0, 0.5

    def link(self, builder):
        builder.add_link("base")
        about_com = (self.M - self.MASS * self.REACH**2) * np.eye(3)
        builder.add_link("arm", self.MASS, (self.REACH, 0, 0), about_com)

    def motion(self):
        return two_masses(self.M, self.B, self.STIFFNESS, self.MASS * 9.0 * self.REACH)

    def assert_moves(self, model, springs, order):
        """`order`: the places of link and motor."""
        q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, COUNT, 2))
        expected = self.motion().torque(q, qd, qdd)
        state = [np.empty_like(x) for x in (q, qd, qdd)]
        for x, given in zip(state, (q, qd, qdd)):
            x[:, order] = given
        spring = springs(*state[:2])
        tau = fs.rnea(model, *state) - spring
        # a product and three sums on each side
        allowed = 32 * U * (np.abs(expected) + self.STIFFNESS * np.abs(q).sum(-1, keepdims=True) + 20.0)
        assert (np.abs(tau[:, order] - expected) <= allowed).all()
        found = fs.aba(model, state[0], state[1], tau + spring)
        np.testing.assert_allclose(found, state[2], rtol=0, atol=allowed.max() / min(self.M, self.B))
        assert np.abs(expected).max() > 100.0

    def test_by_hand_from_two_joints_and_a_spring(self):
        builder = fs.ModelBuilder("by hand")
        self.link(builder)
        builder.add_link("rotor", inertia=self.B * np.eye(3))
        builder.add_joint("hinge", "revolute", "base", "arm", axis=(0, -1, 0))
        builder.add_joint("shaft", "revolute", "base", "rotor", axis=(0, -1, 0))
        model = builder.build(gravity=(0, 0, -9.0))
        pull = self.STIFFNESS * np.array([[-1.0, 1.0], [1.0, -1.0]])
        self.assert_moves(model, lambda q, qd: q @ pull, [0, 1])

    def test_as_the_package_makes_them(self):
        builder = fs.ModelBuilder("elastic")
        self.link(builder)
        drive = {"rotor": fs.Rotor(0.0625, 8.0)}
        builder.add_joint("hinge", "revolute", "base", "arm", axis=(0, -1, 0), **drive)
        flexible = fs.elastic(builder.build(gravity=(0, 0, -9.0)), {"hinge": self.STIFFNESS})
        order = [int(flexible.link_v[0]), int(flexible.motor_v[0])]
        self.assert_moves(flexible.model, flexible.torque, order)
