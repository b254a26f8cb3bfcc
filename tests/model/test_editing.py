"""Edited robots: what is left moves as it did in the whole robot, and nothing else changes."""

import numpy as np
import pytest

import featherstone as fs

from ..random_trees import ALL, random_tree

NEAR = 1e-12
# the case of a public fault: stack-of-tasks/pinocchio#2746
ARMATURE = (0.11, 0.23, 0.07)


def tree(seed, **options):
    return random_tree(seed, 11, ALL, floating_base=bool(seed % 2), fixed=True, massless=False, **options)


def without(model, name):
    """The indices of coordinates and degrees of freedom that are not a joint's."""
    q, v = np.arange(model.nq), np.arange(model.nv)
    return np.delete(q, model.q_index(name)), np.delete(v, model.qd_index(name))


def scaled_error(found, right):
    return np.abs(found - right).max(initial=0.0) / max(1.0, np.abs(right).max(initial=0.0))


def pair():
    model = fs.ModelBuilder("pair")
    for name in ("base", "a", "b"):
        model.add_link(name, 1.0, (0, 0, 0), np.eye(3))
    model.add_joint("one", "revolute", "base", "a", axis=(0, 0, 1))
    model.add_joint("two", "revolute", "a", "b", axis=(0, 0, 1), mimic=fs.Mimic("one"))
    return model


class TestLock:
    @pytest.mark.parametrize("seed", range(8))
    def test_the_rest_moves_as_in_the_whole_robot(self, seed):
        model, rng = tree(seed), np.random.default_rng(seed)
        q, qd = model.random_configuration(rng), rng.normal(size=model.nv)
        for name in model.joint_names:
            less = model.lock(name, q[model.q_index(name)])
            keep_q, keep_v = without(model, name)
            assert (less.nq, less.nv) == (len(keep_q), len(keep_v))
            still = qd.copy()
            still[model.qd_index(name)] = 0.0
            H = fs.crba(model, q)[np.ix_(keep_v, keep_v)]
            assert scaled_error(fs.crba(less, q[keep_q]), H) < NEAR
            bias = fs.bias_torque(model, q, still)[keep_v]
            assert scaled_error(fs.bias_torque(less, q[keep_q], qd[keep_v]), bias) < NEAR
            for frame in model.frame_names:
                assert scaled_error(fs.frame_pose(less, q[keep_q], frame), fs.frame_pose(model, q, frame)) < NEAR
            assert np.array_equal(less.armature, model.armature[keep_v])
            assert np.array_equal(less.damping, model.damping[keep_v])
            assert np.array_equal(less.q_upper, model.q_upper[keep_q])
            assert less.joint_names == tuple(x for x in model.joint_names if x != name)

    def test_several_at_once_are_one_by_one(self):
        model = fs.models.load("seven_axis")
        names = model.joint_names[1:4]
        values = [0.3, -0.4, 0.5]
        one_by_one = model
        for name, value in zip(names, values):
            one_by_one = one_by_one.lock(name, value)
        for less in (model.lock(names, values), model.lock(dict(zip(names, values)))):
            q = np.linspace(-0.4, 0.7, less.nq)
            assert scaled_error(fs.crba(less, q), fs.crba(one_by_one, q)) < NEAR
        leaders = [name for name, leader in zip(model.joint_names, model.leaders) if leader is None]
        everything = model.lock(leaders)
        assert (everything.nb, everything.nv) == (0, 0)

    def test_followers_are_locked_with_their_leader(self):
        model = random_tree(3, 6, mimic=True, fixed=True, massless=False)
        rng = np.random.default_rng(1)
        q = model.random_configuration(rng)
        leader = next(name for name in model.leaders if name is not None)
        less = model.lock(leader, q[model.q_index(leader)])
        keep_q, _ = without(model, leader)
        for frame in model.frame_names:
            assert scaled_error(fs.frame_pose(less, q[keep_q], frame), fs.frame_pose(model, q, frame)) < NEAR
        follower = model.joint_names[model.leaders.index(leader)]
        assert follower not in less.joint_names
        with pytest.raises(fs.ModelError, match="follows"):
            model.lock(follower, 0.1)

    def test_armature_of_the_others_is_kept(self):
        builder = fs.ModelBuilder("hinges")
        builder.add_link("base")
        for k, armature in enumerate(ARMATURE, start=1):
            builder.add_link(f"link{k}", 1.0, (0.1, 0.0, 0.0), np.eye(3) * 0.01)
            parent = f"link{k - 1}" if k > 1 else "base"
            builder.add_joint(f"j{k}", "revolute", parent, f"link{k}", axis=(0, 0, 1), armature=armature)
        less = builder.build().lock(["j2"], [0.4])
        assert less.armature.tolist() == [ARMATURE[0], ARMATURE[2]]

    @pytest.mark.parametrize(
        ("names", "values", "error", "said"),
        [
            ("nowhere", 0.0, fs.UnknownNameError, "no joint named 'nowhere'"),
            ("joint_1", np.nan, ValueError, "joint 'joint_1': expected finite numbers"),
            ("joint_1", [1.0, 2.0], ValueError, "joint 'joint_1': expected one number"),
            (["joint_1", "joint_2"], [1.0], ValueError, "expected one for each of the 2 joints, got 1"),
            (["joint_1"], 0.5, ValueError, "expected one for each of the 1 joints, got 0.5; put it into a list"),
            (["joint_1"], np.array(0.5), ValueError, "expected one for each of the 1 joints"),
            (["joint_1"], {"joint_1": 0.3}, TypeError, "in the order of the names, got a mapping; give it alone"),
            (5, None, TypeError, "joint_names: expected a name, several or a mapping"),
            ({"joint_1": 1.0}, 2.0, TypeError, "beside a mapping"),
            ("joint_1", "high", ValueError, "joint 'joint_1': expected finite numbers"),
        ],
    )
    def test_wrong_values(self, names, values, error, said):
        with pytest.raises(error, match=said):
            fs.models.load("six_axis").lock(names, values)

    def test_a_quaternion_must_be_one(self):
        with pytest.raises(ValueError, match="unit length"):
            tree(1).lock("root_joint", [0, 0, 0, 0, 0, 0, 2.0])


class TestAttach:
    def test_the_mass_matrix_of_a_hand_on_an_arm(self):
        """The energy of both, the hand carried along: with the arm at rest it is the hand's own."""
        arm, hand = fs.models.load("six_axis"), fs.models.load("planar_2r")
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], (0.1, 0.0, 0.2)
        both = arm.attach(hand, arm.frame_names[-1], prefix="hand_", pose=pose)
        assert both.nv == arm.nv + hand.nv
        assert both.mass == pytest.approx(arm.mass + hand.mass, rel=1e-14)
        q = np.linspace(-0.5, 0.6, both.nq)
        H = fs.crba(both, q)
        assert scaled_error(H[arm.nv :, arm.nv :], fs.crba(hand, q[arm.nq :])) < NEAR
        held = fs.frame_pose(arm, q[: arm.nq], arm.frame_names[-1]) @ pose @ fs.frame_pose(hand, q[arm.nq :], "tip")
        assert scaled_error(fs.frame_pose(both, q, "hand_tip"), held) < NEAR

    def test_what_cannot_be_attached(self):
        arm = fs.models.load("planar_2r")
        with pytest.raises(fs.ModelError, match="prefix"):
            arm.attach(arm, "tip")
        with pytest.raises(fs.UnknownNameError):
            arm.attach(arm, "hand", prefix="b_")
        with pytest.raises(ValueError, match="pose"):
            arm.attach(arm, "tip", prefix="b_", pose=np.eye(3))
        with pytest.raises(ValueError, match="rotation"):
            arm.attach(arm, "tip", prefix="b_", pose=np.diag([2.0, 1.0, 1.0, 1.0]))
        with pytest.raises(TypeError, match="expected a Model"):
            arm.attach("planar_2r", "tip")

    def test_mimic_relations_keep_their_meaning(self):
        followed, free = pair().build(), pair().build(mimic=False)
        assert followed.attach(followed, "b", prefix="x_").nv == 2
        assert free.attach(free, "b", prefix="x_").nv == 4
        with pytest.raises(fs.ModelError, match=r"'two' of the .* not applied there .mimic=False. and would be"):
            followed.attach(free, "b", prefix="x_")
        with pytest.raises(fs.ModelError, match=r"is applied there .mimic=True. and would not be here; load both with"):
            free.attach(followed, "b", prefix="x_")
        arm = fs.models.load("planar_2r")
        assert free.attach(arm, "b", prefix="x_").nv == 4


class TestOthers:
    @pytest.mark.parametrize("seed", range(4))
    def test_a_subtree_is_the_robot_with_all_else_held(self, seed):
        model = random_tree(seed, 11, ALL, massless=False)
        link = model.body_names[2]
        branch = model.subtree(link)
        q = model.random_configuration(seed)
        every = np.arange(model.nq)
        keep_q = np.concatenate([every[:0], *(np.atleast_1d(every[model.q_index(x)]) for x in branch.joint_names)])
        here = fs.frame_pose(model, q, link)
        for frame in branch.frame_names:
            seen = np.linalg.inv(here) @ fs.frame_pose(model, q, frame)
            assert scaled_error(fs.frame_pose(branch, q[keep_q], frame), seen) < 1e-11

    def test_a_subtree_may_float(self):
        model = fs.models.load("six_axis")
        assert model.subtree(model.body_names[3], floating_base=True).nv == 6 + 2

    def test_a_follower_cannot_leave_its_leader(self):
        model = pair()
        with pytest.raises(fs.ModelError, match="follows 'one', which is not behind 'a'; lock 'one' first"):
            model.build().subtree("a")
        assert model.build().lock("one", 0.2).subtree("a").nv == 0

    def test_where_mimic_is_not_applied_the_relation_is_dropped(self):
        branch = pair().build(mimic=False).subtree("a")
        assert (branch.nv, branch.joints[0].mimic) == (1, None)
        assert fs.crba(branch, [0.3]) == pytest.approx(1.0)

    def test_names_come_in_mappings(self):
        with pytest.raises(TypeError, match="links: expected a mapping of old names to new ones, got <method"):
            pair().build().rename(links=str.upper)

    def test_names(self):
        model = random_tree(5, 6, mimic=True, fixed=True, massless=False)
        other = model.rename(
            links={name: f"new_{name}" for name in model.frame_names},
            joints={name: f"new_{name}" for name in model.joint_names},
            name="another",
        )
        assert other.name == "another"
        assert other.joint_names == tuple(f"new_{name}" for name in model.joint_names)
        q = model.random_configuration(0)
        np.testing.assert_array_equal(fs.crba(other, q), fs.crba(model, q))
        with pytest.raises(fs.UnknownNameError):
            model.rename(links={"nowhere": "x"})
        first, second = model.joint_names[:2]
        with pytest.raises(fs.ModelError, match="two would have that name"):
            model.rename(joints={first: second})
        with pytest.raises(fs.ModelError, match="expected a new name"):
            model.rename(joints={first: ""})

    def test_masses(self):
        model = tree(2)
        q = model.random_configuration(0)
        heavy = model.scale(3.0)
        assert scaled_error(fs.gravity_torque(heavy, q), 3.0 * fs.gravity_torque(model, q)) < NEAR
        assert heavy.mass == pytest.approx(3.0 * model.mass, rel=1e-14)
        one = model.frame_names[-1]
        light = model.scale(0.0, one)
        masses = {link.name: link.mass for link in model.description.links}
        assert light.mass == pytest.approx(model.mass - masses[one], rel=1e-13)
        for factor in (-1.0, np.nan, np.inf, "2", True):
            with pytest.raises(ValueError, match="factor"):
                model.scale(factor)
        with pytest.raises(fs.UnknownNameError):
            model.scale(2.0, ["nowhere"])

    def test_the_robot_itself_is_not_changed(self):
        model = fs.models.load("six_axis")
        before = model.description
        model.lock("joint_1", 0.2), model.scale(2.0), model.rename(name="x"), model.subtree(model.body_names[1])
        assert model.description is before
