"""Public faults of dynamics engines, robots on a base: each with a model, inputs and right numbers to 12 digits."""

import numpy as np
import pytest

import featherstone as fs

from .cases import FOLDER, frame_jacobian, load, near, numbers


class TestLockKeepsArmature:
    name = "04_lock_keeps_armature"

    @pytest.fixture
    def case(self):
        return fs.load_mjcf(FOLDER / f"{self.name}.xml"), numbers(self.name)

    def test_the_joints_that_stay_keep_their_armature(self, case):
        model, right = case
        locked = model.lock(right["lock"])
        assert locked.joint_names == ("j1", "j3")
        np.testing.assert_array_equal(locked.armature, right["armature"])
        H = fs.crba(locked, right["q"])
        assert near(H, right["mass_matrix"])
        assert not near(np.diag(H), right["diagonal_without_armature"])
        assert near(fs.bias_torque(locked, right["q"], right["qd"]), right["bias"])
        for method in ("aba", "cholesky"):
            assert near(fs.forward_dynamics(locked, right["q"], right["qd"], right["tau"], method=method), right["qdd"])

    def test_they_are_rows_and_columns_of_the_full_model(self, case):
        model, right = case
        kept = [model.qd_index("j1"), model.qd_index("j3")]
        assert near(fs.crba(model, right["q_full"])[np.ix_(kept, kept)], right["mass_matrix"])
        assert near(fs.bias_torque(model, right["q_full"], right["qd_full"])[kept], right["bias"])


class TestJacobianRate:
    name = "08_jacobian_rate"

    @pytest.fixture
    def case(self):
        return load(self.name), numbers(self.name)

    @pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned"])
    def test_numbers(self, case, reference):
        model, right = case
        q, qd, of = right["q"], right["qd"], right[reference]
        assert near(fs.frame_jacobian(model, q, "tool", reference), of["jacobian"])
        rate = fs.frame_jacobian_rate(model, q, qd, "tool", reference)
        assert near(rate, of["jacobian_rate"])
        assert near(rate @ qd, of["rate_times_qd"])

    def test_in_axes_that_do_not_turn_it_belongs_to_the_classical_acceleration(self, case):
        model, right = case
        state, aligned = (right["q"], right["qd"], np.zeros(3), "tool"), "local_world_aligned"
        classical = fs.frame_acceleration(model, *state, aligned, kind="classical")
        spatial = fs.frame_acceleration(model, *state, aligned)
        assert near(classical, right["classical_acceleration_at_zero_qdd"])
        assert near(classical, right[aligned]["rate_times_qd"])
        assert near(spatial, right["spatial_acceleration_local_world_aligned_at_zero_qdd"])
        assert not near(spatial, classical)
        for reference in ("local", "world"):
            assert near(fs.frame_acceleration(model, *state, reference), right[reference]["rate_times_qd"])

    def test_it_is_the_same_robot(self, case):
        model, right = case
        assert near(fs.rnea(model, right["q"], right["qd"], [1.5, 0.8, -2.0]), right["tau_check"])


class TestTiltedGravity:
    name = "09_tilted_gravity"

    @pytest.mark.parametrize("kind", [list, tuple, np.array])
    def test_numbers(self, kind):
        model, right = load(self.name), numbers(self.name)
        tilted, weightless = model.with_gravity(kind(right["gravity"])), model.with_gravity((0, 0, 0))
        q, qd, qdd = (right[key] for key in ("q", "qd", "qdd"))
        assert near(fs.gravity_torque(tilted, q), right["gravity_torque"])
        energy = fs.potential_energy(tilted, q)
        assert near(energy, right["potential_energy"])
        assert near(energy - fs.potential_energy(tilted, tilted.neutral()), right["potential_difference"])
        assert near(fs.rnea(tilted, q, qd, qdd), right["tau"])
        assert near(fs.rnea(weightless, q, qd, qdd), right["tau_weightless"])
        assert not fs.gravity_torque(weightless, q).any()
        assert near(fs.gravity_torque(model, q), right["gravity_torque_default"])
        np.testing.assert_array_equal(model.gravity, (0.0, 0.0, -9.81))
        for method in ("aba", "cholesky"):
            assert near(fs.forward_dynamics(tilted, q, qd, np.zeros(3), method=method), right["qdd_free"])

    @pytest.mark.parametrize("gravity", [9.81, [0.0, -9.81], [0.0, 0.0, float("nan")], "down", None])
    def test_gravity_is_three_finite_numbers(self, gravity):
        with pytest.raises(ValueError, match="gravity: expected three finite numbers"):
            load(self.name).with_gravity(gravity)


class TestMassless:
    name = "10_massless_inside_or_outside"

    def test_inside_is_harmless(self):
        model, right = load("10_massless_inside"), numbers(self.name)
        q, qd, tau = (right[key] for key in ("q", "qd", "tau"))
        H = fs.crba(model, q)
        assert near(H, right["mass_matrix"])
        assert near(np.linalg.eigvalsh(H), right["eigenvalues"])
        assert near(fs.bias_torque(model, q, qd), right["bias"])
        for method in ("aba", "cholesky"):
            assert near(fs.forward_dynamics(model, q, qd, tau, method=method), right["qdd"])

    @pytest.fixture
    def outside(self):
        return load("10_massless_outside"), numbers(self.name)

    def test_outside_has_inverse_dynamics(self, outside):
        model, right = outside
        assert near(fs.crba(model, right["q"]), right["outside_mass_matrix"])
        assert near(fs.rnea(model, right["q"], right["qd"], right["outside_qdd_given"]), right["outside_tau"])

    @pytest.mark.parametrize("shape", [(), (5,)])
    @pytest.mark.parametrize(
        "call",
        [
            lambda m, q, qd, tau: fs.aba(m, q, qd, tau),
            lambda m, q, qd, tau: fs.forward_dynamics(m, q, qd, tau, method="cholesky"),
            lambda m, q, qd, tau: fs.cholesky(m, q),
            lambda m, q, qd, tau: fs.mass_matrix_inverse(m, q),
        ],
    )
    def test_outside_has_no_forward_dynamics(self, outside, call, shape):
        model, right = outside
        state = [np.broadcast_to(right[key], (*shape, 2)) for key in ("q", "qd", "tau")]
        with pytest.raises(fs.SingularMassMatrixError, match="'j2'") as error:
            call(model, *state)
        assert error.value.joint == "j2"


class TestPlanarJointAxes:
    name = "11_planar_joint_axes"

    def test_numbers(self):
        model, right = load(self.name), numbers(self.name)
        q, qd, qdd, dq, q1 = (np.array(right[key]) for key in ("q", "qd", "qdd", "dq", "q1"))
        assert near(fs.frame_pose(model, q, "top")[:3, 3], right["top_position"])
        assert near(frame_jacobian(model, q, "top") @ qd, right["top_velocity"])
        assert near(fs.crba(model, q), right["mass_matrix"])
        assert near(fs.bias_torque(model, q, qd), right["bias"])
        assert near(fs.rnea(model, q, qd, qdd), right["tau"])
        for method in ("aba", "cholesky"):
            assert near(fs.forward_dynamics(model, q, qd, np.zeros(4), method=method), right["qdd_free"])
        assert near(fs.kinetic_energy(model, q, qd), right["kinetic_energy"])
        assert near(fs.integrate(model, q, dq), right["integrated"])
        assert near(fs.difference(model, q, q1), right["difference"])
        assert near(fs.integrate(model, q, fs.difference(model, q, q1)), q1)


class TestDampingAgainstMotion:
    name = "12_damping_against_motion"

    @pytest.fixture
    def case(self):
        return load(self.name), numbers(self.name)

    def test_a_free_wheel_slows_down_as_an_exponential(self, case):
        model, right = case
        start = [right["wheel_rate_start"], 0.0]
        run = fs.simulate(model, [0, 0], start, duration=right["time"], dt=1e-3, method="rk4")
        assert near(run.qd[-1, 0], right["wheel_rate"], 1e-9)
        assert near(run.q[-1, 0], right["wheel_angle"], 1e-9)

    def test_numbers(self, case):
        model, right = case
        q, qd, qdd = (np.array(right[key]) for key in ("q", "qd", "qdd"))
        assert near(model.damping, right["damping"])
        without, with_losses = (fs.rnea(model, q, qd, qdd, losses=losses) for losses in (False, True))
        assert near(without, right["tau_without_losses"])
        assert near(with_losses, right["tau_with_losses"])
        assert near((with_losses - without) @ qd, right["power_lost"])
        for method in ("aba", "cholesky"):
            for tau, losses in ((without, False), (with_losses, True)):
                assert near(fs.forward_dynamics(model, q, qd, tau, method=method, losses=losses), qdd)
