"""The model: immutable, indexed by names, with limits and configurations, drawn and edited."""

import math
import re

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import ALL, ONE_DEGREE, Parts, random_parts, random_q, random_tree, random_v

SIZES = {"revolute": (1, 1), "continuous": (1, 1), "prismatic": (1, 1), "planar": (3, 3), "spherical": (4, 3)}
SIZES |= {"floating": (7, 6), "fixed": (0, 0), "helical": (1, 1), "universal": (2, 2), "cylindrical": (2, 2)}


def sizes(joint):
    """How many coordinates and degrees of freedom a joint has."""
    return (len(joint.screws),) * 2 if joint.type == "composite" else SIZES[joint.type]


@pytest.fixture(params=[{}, {"floating_base": True}, {"mimic": True, "fixed": True}], ids=str)
def model(request):
    return random_tree(3, 11, **request.param)


@pytest.fixture
def arm():
    """A shoulder with limits, an elbow that follows it, a sliding and a free joint."""
    builder = fs.ModelBuilder("arm")
    for name in ("base", "upper", "fore", "slide", "ball", "tool"):
        builder.add_link(name, 1.0, (0.1, 0.0, 0.0), 0.1 * np.eye(3))
    builder.add_joint("shoulder", "revolute", "base", "upper", lower=-1.0, upper=2.0, velocity=3.0, effort=40.0)
    builder.add_joint("elbow", "revolute", "upper", "fore", lower=-9.0, mimic=fs.Mimic("shoulder", -0.5, 0.1))
    builder.add_joint("rail", "prismatic", "fore", "slide", lower=0.0, velocity=0.5)
    builder.add_joint("spin", "continuous", "slide", "ball", lower=-1.0, upper=1.0, effort=5.0)
    builder.add_joint("grip", "fixed", "ball", "tool")
    return builder.build()


class TestImmutable:
    def test_nothing_can_be_set_or_deleted(self, model):
        for name in ("mass", "gravity", "nv", "anything"):
            with pytest.raises(AttributeError, match=f"^Model is immutable, '{name}' cannot be set"):
                setattr(model, name, 1)
            with pytest.raises(AttributeError, match=f"^Model is immutable, '{name}' cannot be deleted"):
                delattr(model, name)

    def test_its_arrays_are_read_only(self, model):
        for name in ("parent", "body_mass", "gravity", "q_lower", "q_upper", "qd_limit", "tau_limit"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(model, name)[...] = 0
        for name in ("damping", "friction", "armature", "quaternion_indices", "zero_rate"):
            assert not getattr(model, name).flags.writeable
        for array in model.tree:
            assert not isinstance(array, np.ndarray) or not array.flags.writeable


class TestNames:
    def test_index_every_coordinate_once(self, model):
        for index, size, column in ((model.q_index, model.nq, 0), (model.qd_index, model.nv, 1)):
            found = []
            for joint, leader in zip(model.joints, model.leaders):
                if leader is None:
                    place = index(joint.name)
                    assert isinstance(place, int) == (sizes(joint)[column] == 1)
                    own = np.arange(size)[place if isinstance(place, slice) else slice(place, place + 1)]
                    assert len(own) == sizes(joint)[column]
                    found += own.tolist()
            assert found == list(range(size))

    def test_name_the_joint_of_each_degree_of_freedom(self, model):
        for joint, leader in zip(model.joints, model.leaders):
            if leader is None:
                for k in np.arange(model.nv)[model.qd_index(joint.name)].reshape(-1):
                    assert model.joint_of_dof(int(k)) == joint.name

    def test_index_bodies_in_order(self, model):
        assert [model.body_index(name) for name in model.body_names] == list(range(model.nb))
        assert len(model.joint_names) == len(model.leaders) == len(model.joints) == model.nb
        assert [joint.child for joint in model.joints] == list(model.body_names)

    def test_frames_tell_their_body_and_pose(self, arm):
        assert arm.frame_names == ("base", "upper", "fore", "slide", "ball", "tool")
        assert [arm.frame(name).body for name in arm.frame_names] == [0, 1, 2, 3, 4, 4]
        np.testing.assert_array_equal(arm.frame("tool").pose, np.eye(4))

    @pytest.mark.parametrize("ask", ["q_index", "qd_index"])
    def test_unknown_joints_suggest_the_nearest(self, arm, ask):
        with pytest.raises(
            fs.UnknownNameError, match=r"^joint: model 'arm' has no joint named 'sholder'; .*'shoulder'"
        ):
            getattr(arm, ask)("sholder")
        with pytest.raises(fs.UnknownNameError, match="no joint named 'grip'"):
            getattr(arm, ask)("grip")
        for name in (None, 3, ["rail"], b"rail"):
            with pytest.raises(fs.UnknownNameError, match=re.escape(f"no joint named {name!r}")):
                getattr(arm, ask)(name)
        with pytest.raises(fs.ModelError, match=r"^joint 'elbow' follows 'shoulder' .*ask for 'shoulder'"):
            getattr(arm, ask)("elbow")

    def test_unknown_bodies_and_frames_suggest_the_nearest(self, arm):
        with pytest.raises(fs.UnknownNameError, match=r"^body: model 'arm' has no body named 'tool'"):
            arm.body_index("tool")  # merged: a frame
        with pytest.raises(fs.UnknownNameError, match="no body named 'uper'; did you mean 'upper'"):
            arm.body_index("uper")
        with pytest.raises(fs.UnknownNameError, match="no frame named 'tol'; did you mean 'tool'"):
            arm.frame("tol")
        with pytest.raises(fs.UnknownNameError, match=re.escape("no frame named ['x']")):
            arm.frame(["x"])


class TestLimits:
    def test_are_those_of_free_joints(self, arm):
        inf = math.inf
        assert arm.q_lower.tolist() == [-1.0, 0.0, -inf]  # a continuous joint has none
        assert arm.q_upper.tolist() == [2.0, inf, inf]
        assert arm.qd_limit.tolist() == [3.0, 0.5, inf]
        assert arm.tau_limit.tolist() == [40.0, inf, 5.0]

    def test_are_infinite_where_there_are_none(self, model):
        assert model.q_lower.shape == model.q_upper.shape == (model.nq,)
        assert np.isneginf(model.q_lower).all()
        assert np.isposinf(model.q_upper).all()
        assert np.isposinf(model.qd_limit).all()
        assert model.tau_limit.shape == (model.nv,)


class TestConfigurations:
    def test_neutral_is_zero_with_unit_quaternions(self, model):
        q = model.neutral()
        assert np.count_nonzero(q) == len(model.quaternion_indices)
        assert (q[model.quaternion_indices + 3] == 1.0).all()
        q[:] = 7.0
        assert model.neutral().max(initial=0.0) <= 1.0

    @pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 5), 4, np.int64(4), [2, 3]])
    def test_random_ones_have_the_shape_asked_for(self, model, shape):
        expected = (int(shape),) if np.ndim(shape) == 0 and not isinstance(shape, tuple) else tuple(shape)
        assert model.random_configuration(0, shape).shape == (*expected, model.nq)

    def test_random_ones_repeat_with_their_seed(self, model):
        first = model.random_configuration(5, (4,))
        np.testing.assert_array_equal(model.random_configuration(5, (4,)), first)
        np.testing.assert_array_equal(model.random_configuration(np.random.default_rng(5), (4,)), first)
        assert (model.random_configuration(6, (4,)) != first).any()

    def test_random_ones_are_configurations(self, model):
        q = model.random_configuration(1, (200,))
        for k in model.quaternion_indices:
            np.testing.assert_allclose(np.linalg.norm(q[:, k : k + 4], axis=-1), 1.0, rtol=0, atol=1e-15)
            # all over the sphere: no component keeps a sign
            assert ((q[:, k : k + 4] > 0.3).any(axis=0) & (q[:, k : k + 4] < -0.3).any(axis=0)).all()
        fs.crba(model, q)

    def test_random_ones_keep_within_limits(self, arm):
        q = arm.random_configuration(2, (500,))
        assert q[:, 0].min() < -0.9
        assert q[:, 0].max() > 1.9
        assert ((q[:, 0] >= -1.0) & (q[:, 0] <= 2.0)).all()
        assert np.abs(q[:, 1]).max() <= 1.0
        assert math.pi * 0.95 < np.abs(q[:, 2]).max() <= math.pi


class TestText:
    def test_repr_is_one_line(self, model):
        assert "\n" not in repr(model)
        assert repr(model).startswith(f"<Model 'random tree': {model.nb} moving bodies, nq {model.nq}, nv {model.nv}, ")

    def test_str_draws_the_tree(self, arm):
        assert str(arm).splitlines() == [
            "<Model 'arm': 4 moving bodies, nq 3, nv 3, fixed base, 6 kg>",
            "(base)",
            "└─ upper [shoulder: revolute] 1 kg",
            "   └─ fore [elbow: revolute, follows shoulder] 1 kg",
            "      └─ slide [rail: prismatic] 1 kg",
            "         └─ ball [spin: continuous] 2 kg",
        ]

    def test_str_draws_branches(self):
        builder = fs.ModelBuilder("fork")
        for name in ("root", "a", "b", "c"):
            builder.add_link(name, 0.5)
        for parent, child in (("root", "a"), ("a", "b"), ("root", "c")):
            builder.add_joint(f"j{child}", "prismatic", parent, child)
        assert str(builder.build()).splitlines()[2:] == [
            "├─ a [ja: prismatic] 0.5 kg",
            "│  └─ b [jb: prismatic] 0.5 kg",
            "└─ c [jc: prismatic] 0.5 kg",
        ]

    def test_str_names_every_body(self, model):
        lines = str(model).splitlines()
        assert len(lines) == model.nb + 2
        for line, body, joint in zip(lines[2:], model.body_names, model.joint_names):
            assert f" {body} [{joint}: " in line


def test_random_rotations_stay_within_the_limit_of_their_joint():
    builder = fs.ModelBuilder("ball")
    for name in ("base", "free", "held"):
        builder.add_link(name, 1.0, inertia=np.eye(3))
    builder.add_joint("wide", "spherical", "base", "free")
    builder.add_joint("narrow", "spherical", "free", "held", upper=0.8)
    q = builder.build().random_configuration(0, (400,))
    angles = 2.0 * np.arctan2(np.linalg.norm(q[:, [4, 5, 6]], axis=-1), q[:, 7])
    assert 0.7 < angles.max() <= 0.8
    assert angles.min() < 0.1
    np.testing.assert_allclose((q[:, 4:] ** 2).sum(-1), 1.0, rtol=1e-14)
    assert (2.0 * np.arccos(np.abs(q[:, 3]))).max() > 3.0
    # about every axis
    assert (np.abs(q[:, 4:7].mean(0)) < 0.05).all()


class TestSizes:
    @pytest.mark.parametrize("kind", ALL)
    def test_of_each_joint_type(self, kind):
        model = random_tree(0, 1, (kind,))
        assert (model.nb, (model.nq, model.nv)) == (1, sizes(model.joints[0]))

    def test_of_a_robot_without_joints(self):
        builder = fs.ModelBuilder("rock")
        builder.add_link("rock", 2.0)
        model = builder.build()
        assert (model.nb, model.nq, model.nv, model.mass) == (0, 0, 0, 2.0)
        assert fs.rnea(model, [], [], []).shape == (0,)
        assert fs.crba(model, np.zeros((3, 0))).shape == (3, 0, 0)
        assert fs.forward_kinematics(model, []).shape == (0, 4, 4)
        assert fs.kinetic_energy(model, [], []) == 0.0

    def test_masses(self, model):
        parts = sum(link.mass for link in model.description.links)
        assert model.mass == pytest.approx(parts, rel=1e-14)
        base = sum(link.mass for link in model.description.links if model.frame(link.name).body == 0)
        assert model.body_mass.sum() == pytest.approx(parts - base, rel=1e-14)


class TestGravity:
    def test_is_of_a_new_model(self, model):
        other = model.with_gravity([1, 2, 3])
        assert other.gravity.tolist() == [1.0, 2.0, 3.0]
        assert model.gravity.tolist() == [0.0, 0.0, -9.81]
        assert (other.name, other.joint_names, other.nq) == (model.name, model.joint_names, model.nq)
        assert other.with_gravity(model.gravity).gravity.tolist() == model.gravity.tolist()


class TestPayload:
    mass, com = 2.5, (0.1, -0.2, 0.3)
    inertia = np.array([[0.4, 0.05, -0.02], [0.05, 0.3, 0.01], [-0.02, 0.01, 0.5]])

    @pytest.mark.parametrize(
        "options", [{}, {"floating_base": True, "gravity": (1.0, 2.0, 3.0)}, {"merge_fixed": False}]
    )
    def test_is_a_link_fixed_to_the_frame(self, options):
        parts = random_parts(7, 6, fixed=True, mimic=True)
        model = parts.build(**options)
        rng = np.random.default_rng(1)
        q, qd, qdd = random_q(model, rng), random_v(model, rng), random_v(model, rng)
        for frame in model.frame_names:
            link = fs.Link("payload", self.mass, self.com, tuple(map(tuple, self.inertia.tolist())))
            bolt = fs.Joint("bolt", "fixed", frame, "payload")
            expected = Parts((*parts.links, link), (*parts.joints, bolt)).build(**options)
            loaded = model.with_payload(frame, self.mass, self.com, self.inertia)
            assert loaded.mass == pytest.approx(expected.mass, rel=1e-14)
            right = fs.rnea(expected, q, qd, qdd)
            np.testing.assert_allclose(fs.rnea(loaded, q, qd, qdd), right, rtol=0, atol=1e-13 * np.abs(right).max())
            assert loaded.joint_names == model.joint_names

    def test_is_of_a_new_model(self, model):
        before = fs.gravity_torque(model, model.neutral())
        model.with_payload(model.body_names[-1], 5.0)
        np.testing.assert_array_equal(fs.gravity_torque(model, model.neutral()), before)

    def test_is_a_point_unless_it_has_an_inertia(self, model):
        name = model.body_names[-1]
        one, other = model.with_payload(name, 5.0, self.com), model.with_payload(name, 5.0, self.com, np.zeros((3, 3)))
        q = model.random_configuration(0)
        np.testing.assert_array_equal(fs.crba(one, q), fs.crba(other, q))

    def test_of_no_mass_changes_nothing_but_rounding(self, model):
        q = model.random_configuration(0)
        H = fs.crba(model, q)
        np.testing.assert_allclose(fs.crba(model.with_payload(model.body_names[0], 0.0), q), H, rtol=0, atol=1e-13)

    def test_adds_up(self, model):
        name, q = model.body_names[-1], model.random_configuration(0)
        twice = model.with_payload(name, 1.0, self.com).with_payload(name, 1.5, self.com)
        H = fs.crba(model.with_payload(name, 2.5, self.com), q)
        np.testing.assert_allclose(fs.crba(twice, q), H, rtol=0, atol=1e-13 * np.abs(H).max())

    def test_on_the_fixed_base_is_felt_by_no_joint(self):
        model = random_tree(8, 4, ONE_DEGREE)
        q = model.random_configuration(0)
        loaded = model.with_payload("base", 5.0, self.com)
        np.testing.assert_array_equal(fs.gravity_torque(loaded, q), fs.gravity_torque(model, q))
        assert loaded.mass == pytest.approx(model.mass + 5.0)

    @pytest.mark.parametrize(
        ("bad", "pattern"),
        [
            ((-1.0,), "mass: expected a number >= 0"),
            ((math.nan,), "mass: expected a finite number"),
            ((1.0, (0, 0)), "com: expected three finite numbers"),
            ((1.0, (0, 0, 0), np.ones(3)), "inertia: expected a 3x3 matrix"),
            ((1.0, (0, 0, 0), np.triu(np.ones((3, 3)))), "inertia: expected a symmetric matrix"),
        ],
    )
    def test_of_numbers_that_make_no_sense(self, arm, bad, pattern):
        with pytest.raises(fs.ModelError, match=f"payload.*{pattern}"):
            arm.with_payload("tool", *bad)

    def test_on_an_unknown_frame(self, arm):
        with pytest.raises(fs.UnknownNameError, match="no frame named 'tol'; did you mean 'tool'"):
            arm.with_payload("tol", 1.0)
