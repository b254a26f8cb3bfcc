"""Public faults of dynamics engines, floating robots: each with a model, inputs and right numbers to 12 digits."""

import numpy as np
import pytest

import featherstone as fs

from ..slopes import slope
from .cases import center_of_mass, frame_jacobian, load, near, numbers


class TestContactForceInWorldAxes:
    name = "01_contact_force_in_world_axes"

    @pytest.fixture
    def case(self):
        return load(self.name, floating_base=True), numbers(self.name)

    def force_on_shin(self, model, right):
        """The force at the foot, moved to the shin's origin and turned to its axes."""
        q, F, C = (np.array(right[key]) for key in ("q", "force_world", "couple_world"))
        shin, foot = (fs.frame_pose(model, q, frame) for frame in ("shin", "foot"))
        R, arm = shin[:3, :3], foot[:3, 3] - shin[:3, 3]
        f_ext = np.zeros((model.nb, 6))
        f_ext[model.body_index("shin")] = np.concatenate([R.T @ (C + np.cross(arm, F)), R.T @ F])
        return f_ext

    def test_force(self, case):
        model, right = case
        assert near(self.force_on_shin(model, right)[model.body_index("shin")], right["f_ext_shin"])

    def test_torques(self, case):
        model, right = case
        state = [right[key] for key in ("q", "qd", "qdd")]
        assert near(fs.rnea(model, *state), right["tau_without"])
        assert near(fs.rnea(model, *state, self.force_on_shin(model, right)), right["tau_with"])

    def test_free_accelerations(self, case):
        model, right = case
        state = (right["q"], right["qd"], np.zeros(model.nv), self.force_on_shin(model, right))
        for method in ("aba", "cholesky"):
            assert near(fs.forward_dynamics(model, *state, method=method), right["qdd_free"])

    def test_jacobian_of_the_foot_carries_the_force(self, case):
        model, right = case
        J = np.array(right["jacobian_local_world_aligned"])
        assert near(fs.frame_jacobian(model, right["q"], "foot", "local_world_aligned"), J)
        assert near(frame_jacobian(model, np.array(right["q"]), "foot"), J, 1e-8)
        wrench = np.concatenate([right["couple_world"], right["force_world"]])
        state = [right[key] for key in ("q", "qd", "qdd")]
        with_force = fs.rnea(model, *state, self.force_on_shin(model, right))
        assert near(with_force, fs.rnea(model, *state) - J.T @ wrench)


class TestClassicalOrSpatialAcceleration:
    name = "02_classical_or_spatial_acceleration"

    @pytest.fixture
    def case(self):
        return load(self.name, floating_base=True), numbers(self.name)

    @pytest.mark.parametrize("state", ["still", "moving"])
    @pytest.mark.parametrize("reference", ["local", "local_world_aligned", "world"])
    def test_spatial(self, case, state, reference):
        model, right = case
        given = right["q"], right[state]["qd"], right[state]["qdd"]
        assert near(fs.frame_acceleration(model, *given, "imu", reference), right[state][f"spatial_{reference}"])

    def test_what_an_accelerometer_feels_does_not_depend_on_the_velocity(self, case):
        model, right = case
        found = [
            fs.frame_acceleration(model, right["q"], x["qd"], x["qdd"], "imu", "local_world_aligned", kind="classical")
            for x in (right["still"], right["moving"])
        ]
        assert near(found[0], right["still"]["classical_local_world_aligned"])
        assert near(found[1], right["moving"]["classical_local_world_aligned"])
        assert near(*found)

    def test_the_difference_is_omega_x_v(self, case):
        model, right = case
        x = right["moving"]
        v = fs.frame_velocity(model, right["q"], x["qd"], "imu", "local_world_aligned")
        added = np.subtract(x["classical_local_world_aligned"], x["spatial_local_world_aligned"])
        assert near(np.cross(v[:3], v[3:]), added[3:])

    def test_gravity_plays_no_part(self, case):
        model, right = case
        given = right["q"], right["moving"]["qd"], right["moving"]["qdd"], "imu"
        found, weightless = (fs.frame_acceleration(m, *given) for m in (model, model.with_gravity((0, 0, 0))))
        np.testing.assert_array_equal(found, weightless)


class TestStateFromAnotherEngine:
    name = "03_state_from_another_engine"

    @pytest.fixture
    def case(self):
        return load(self.name, floating_base=True), numbers(self.name)

    def test_mujocos_state_in_this_engines_coordinates(self, case):
        model, right = case
        x, v = np.array(right["mujoco_qpos"]), np.array(right["mujoco_qvel"])
        q = np.concatenate([x[:3], x[4:7], x[3:4], x[7:]])
        R = fs.forward_kinematics(model, q)[0, :3, :3]
        qd = np.concatenate([v[3:6], R.T @ v[:3], v[6:]])
        assert near(q, right["q"])
        assert near(qd, right["qd"])

    def test_numbers(self, case):
        model, right = case
        q, qd = np.array(right["q"]), np.array(right["qd"])
        self.check(model, q, qd, right)
        flipped = q.copy()
        flipped[3:7] *= -1.0
        self.check(model, flipped, qd, right)

    def test_a_quaternion_of_nearly_unit_length_gives_the_same_numbers(self, case):
        model, right = case
        q = np.array(right["q"])
        q[3:7] *= 1.0 + 1e-7
        self.check(model, q, np.array(right["qd"]), right)

    @pytest.mark.parametrize("factor", [1.5, 0.5, 0.0, 1.0 + 1e-5, 1.0 - 1e-5])
    def test_a_quaternion_of_another_length_is_an_error(self, case, factor):
        model, right = case
        q = np.array(right["q"])
        q[3:7] *= factor
        for call in (
            lambda: fs.crba(model, q),
            lambda: fs.bias_torque(model, q, right["qd"]),
            lambda: fs.kinetic_energy(model, q, right["qd"]),
            lambda: fs.integrate(model, q, right["qd"]),
        ):
            with pytest.raises(ValueError, match=r"q: expected a quaternion .* unit length for joint 'root_joint'"):
                call()

    def check(self, model, q, qd, right):
        assert near(fs.bias_torque(model, q, qd), right["bias"])
        assert near(fs.crba(model, q), right["mass_matrix"])
        assert near(fs.kinetic_energy(model, q, qd), right["kinetic_energy"])
        assert near(fs.potential_energy(model, q), right["potential_energy"])
        assert near(center_of_mass(model, q), right["com"])
        assert near(fs.center_of_mass(model, q), right["com"])
        assert near(fs.center_of_mass_velocity(model, q, qd), right["com_velocity_world"])
        velocity, _ = slope(lambda t: center_of_mass(model, fs.integrate(model, q, t * qd)), 0.0)
        assert near(velocity, right["com_velocity_world"])


class TestRotatedFixedChildren:
    name = "05_rotated_fixed_children"

    @pytest.mark.parametrize("merge_fixed", [True, False])
    def test_links_add_up_to_one_body(self, merge_fixed):
        model, right = load(self.name, floating_base=True, merge_fixed=merge_fixed), numbers(self.name)
        H = fs.crba(model, right["q"])
        assert model.nb == (1 if merge_fixed else 3)
        assert near(model.mass, right["mass"])
        assert near(H, right["mass_matrix"])
        assert near(H[:3, :3], right["inertia_about_origin"])
        c = center_of_mass(model, right["q"])
        assert near(c, right["com"])
        moved = model.mass * (c @ c * np.eye(3) - np.outer(c, c))
        assert near(H[:3, :3] - moved, right["inertia_about_com"])
        assert near(fs.bias_torque(model, right["q2"], right["qd2"]), right["bias"])


class TestFullMassMatrixOfOnesOwn:
    name = "06_full_mass_matrix_of_ones_own"

    @pytest.fixture
    def case(self):
        return load(self.name, floating_base=True), numbers(self.name)

    def test_numbers(self, case):
        model, right = case
        M = fs.crba(model, right["q"])
        np.testing.assert_array_equal(M, M.T)
        assert near(M, right["mass_matrix"])
        assert near(fs.crba(model, right["q2"]), right["mass_matrix_q2"])
        assert near(M @ right["qdd"], right["mass_matrix_times_qdd"])
        assert near(fs.bias_torque(model, right["q"], right["qd"]), right["bias"])
        assert near(fs.rnea(model, right["q"], right["qd"], right["qdd"]), right["tau"])
        assert near(M @ right["qdd"] + fs.bias_torque(model, right["q"], right["qd"]), right["tau"])

    def test_later_calls_leave_earlier_results_alone(self, case):
        model, right = case
        M = fs.crba(model, right["q"])
        kept = M.copy()
        q, qd, qdd = np.array(right["q2"]), np.array(right["qd"]), np.array(right["qdd"])
        fs.crba(model, q)
        fs.rnea(model, q, qd, qdd)
        fs.aba(model, q, qd, qdd)
        fs.cholesky(model, q)
        run = fs.simulate(model, q, qd, duration=0.01, dt=0.001)
        np.testing.assert_array_equal(M, kept)
        trajectory = run.q.copy()
        q[:], qd[:], M[:] = 0.0, 0.0, 0.0
        np.testing.assert_array_equal(run.q, trajectory)
        assert near(fs.crba(model, right["q"]), right["mass_matrix"])

    def test_arrays_of_the_model_are_read_only(self, case):
        model, _ = case
        arrays = [x for x in vars(model).values() if isinstance(x, np.ndarray) and x is not model.packed]
        assert len(arrays) > 8
        for array in arrays:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


class TestDifferenceNearHalfTurn:
    name = "07_difference_near_half_turn"

    @pytest.mark.parametrize("row", range(5))
    def test_numbers(self, row):
        model, right = load(self.name, floating_base=True), numbers(self.name)
        case = right["rows"][row]
        q0, q1, expected = np.array(right["q0"]), np.array(case["q1"]), np.array(case["difference"])
        flipped = q1.copy()
        flipped[3:7] *= -1.0
        d = fs.difference(model, q0, q1)
        angle = np.linalg.norm(d[:3])
        assert angle <= np.pi * (1.0 + 2.0**-52)
        assert near(angle, case["angle"], 1e-9)
        if case["angle_below_pi"] > 0.0:
            assert near(d, expected, 1e-9)
            np.testing.assert_array_equal(fs.difference(model, q0, flipped), d)
        else:  # the rotation vector and its opposite are both right
            assert near(d[:3] * np.sign(d[0]), expected[:3], 1e-9)
        for end in (q1, flipped):
            reached = fs.integrate(model, q0, fs.difference(model, q0, end))
            reached[3:7] *= np.sign(reached[3:7] @ end[3:7])
            assert near(reached, end, 1e-12)
