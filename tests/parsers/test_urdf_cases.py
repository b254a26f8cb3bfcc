"""Small files that some reader got wrong once, with what is right: total mass and inverse dynamics at one state."""

import warnings
from pathlib import Path

import numpy as np
import pytest

import featherstone as fs
from featherstone.parsers.errors import ParseError
from featherstone.parsers.urdf import load_urdf

CASES = Path(__file__).parents[1] / "data" / "urdf_cases"
TOLERANCE = 1e-9  # relative; the numbers below have 13 digits

# file: mass, torques with a fixed base, torques with a free base, and its load as (force, moment)
EXPECTED = {
    "01_continuous_joint": (
        2.0,
        {"spin": -5.393110574993},
        {"spin": -7.409338518687},
        (10.24901168527, -3.106624847646, 22.79808594027, 1.298829696376, -2.28483267605, -0.8633971254194),
    ),
    "02_joint_order": (
        6.7,
        {"Zed": 7.567, "joint_10": 2.687725479643, "joint_2": -1.706609147042, "tip": 0.025},
        {"Zed": 8.783857894737, "joint_10": 3.376678176742, "joint_2": -2.567009108284, "tip": 0.03387681110339},
        (37.27494955053, -9.045162637853, 78.8232971868, 3.755688710607, -1.927552305093, -1.857759290092),
    ),
    "03_inertial_rpy": (
        3.0,
        {"hinge": 2.0},
        {"hinge": 2.675181977346},
        (16.82115789474, -3.961263157895, 34.94210526316, 2.675181977346, -0.7904757909496, 1.39937470161),
    ),
    "04_fixed_rotated_child": (
        3.5,
        {"hinge": 0.7410923858482},
        {"hinge": -1.33149852446},
        (18.98801946819, -3.974452296922, 40.58436687217, 3.532075363083, -5.574089212088, -1.33149852446),
    ),
    "05_root_mass": (
        5.0,
        {"hinge": -0.6522633068369},
        {"hinge": 0.5446635798971},
        (27.92423206869, -6.945391026602, 57.99511569707, 0.8731348966218, -2.540371107971, -0.4390159696802),
    ),
    "06_same_name_link_joint": (
        1.4,
        {"hip": 1.521453321312, "knee": 0.3324495532136},
        {"hip": -0.3406177551663, "knee": 0.2295378056169},
        (7.636336102961, -1.337067071755, 16.86178647638, -0.3100443402569, -0.3406177551663, 0.1252429038165),
    ),
    "07_no_inertial_moving_leaf": (
        1.0,
        {"free_marker": 0.0, "hinge": 0.075},
        {"free_marker": 0.0, "hinge": -0.6596963142781},
        (5.300172347588, -0.9912954367272, 11.74364291323, 1.13204046577, -2.062903246743, -0.6596963142781),
    ),
    "08_skew_nonunit_axis": (
        1.5,
        {"skew": -2.03398698802, "slide": 5.455514155089},
        {"skew": -1.47938887167, "slide": 6.870579057441},
        (8.329237752797, -2.475765509733, 17.99932509921, -0.3723658881186, -2.059515038465, -0.02661467501917),
    ),
    "09_mimic_offset": (
        0.5,
        {"left_finger": 0.2, "right_finger": 3.393},
        {"left_finger": -0.1053642105263, "right_finger": 3.875360526316},
        (2.926676315789, -0.5823705263158, 6.133534210526, 0.9128300526316, 1.019366710526, -0.3426900526316),
    ),
    "10_whitespace_vectors": (
        1.25,
        {"hinge": 0.09161487664056},
        {"hinge": -1.445896188337},
        (6.455466578188, -1.926825556282, 14.60260076085, 3.804813215484, 1.394761218452, -1.445896188337),
    ),
    "11_single_link": (
        1.5,
        {},
        {},
        (8.410278947368, -2.004631578947, 17.45875263158, 0.04909263157895, 0.1559055789474, 0.0375),
    ),
}
# the base's state, velocities linear first
POSITION, QUATERNION = (0.4, -0.3, 0.2), np.array([0.1, -0.2, 0.3, 0.9]) / np.sqrt(0.95)
VELOCITY, ACCELERATION = (0.1, 0.2, 0.3, -0.4, 0.5, -0.6), (1, -2, 3, 0.5, -0.25, 0.75)


def load(name, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.ModelWarning)
        return load_urdf(CASES / f"{name}.urdf", mimic=False, **options)


def angular_first(x):
    return np.roll(x, 3)


def state(model, joints, floating_base):
    q, qd, qdd = model.neutral(), np.full(model.nv, np.nan), np.full(model.nv, np.nan)
    for k, joint in enumerate(sorted(joints)):
        q[model.q_index(joint)] = 0.3 + 0.2 * k
        qd[model.qd_index(joint)] = 0.5 - 0.3 * k
        qdd[model.qd_index(joint)] = 1.0 + 0.5 * k
    if floating_base:
        q[model.q_index("root_joint")] = (*POSITION, *QUATERNION)
        qd[model.qd_index("root_joint")] = angular_first(VELOCITY)
        qdd[model.qd_index("root_joint")] = angular_first(ACCELERATION)
    return q, qd, qdd


@pytest.mark.parametrize("merge_fixed", [True, False], ids=["merged", "unmerged"])
@pytest.mark.parametrize("floating_base", [False, True], ids=["fixed", "floating"])
@pytest.mark.parametrize("name", EXPECTED)
def test_mass_and_torques_are_right(name, floating_base, merge_fixed):
    mass, fixed, floating, base_load = EXPECTED[name]
    torques = floating if floating_base else fixed
    model = load(name, floating_base=floating_base, merge_fixed=merge_fixed)
    assert model.mass == pytest.approx(mass, rel=1e-15)
    assert model.nv == len(fixed) + (6 if floating_base else 0)
    tau = fs.rnea(model, *state(model, fixed, floating_base))
    # relative to the size of the load: a torque of zero is a difference of products of that size
    scale = max(map(abs, (*torques.values(), *base_load)))
    for joint, expected in torques.items():
        assert tau[model.qd_index(joint)] == pytest.approx(expected, abs=TOLERANCE * scale)
    if floating_base:
        found = tau[model.qd_index("root_joint")]
        np.testing.assert_allclose(found, angular_first(base_load), rtol=0, atol=TOLERANCE * scale)


def test_children_keep_the_order_of_the_file_and_parents_come_first():
    assert load("02_joint_order").joint_names == ("joint_2", "tip", "joint_10", "Zed")


def test_links_and_joints_are_two_name_spaces():
    model = load("06_same_name_link_joint")
    assert model.joint_names == ("hip", "knee")
    assert model.body_names == ("knee", "foot")


def test_continuous_joints_have_no_position_limits():
    model = load("01_continuous_joint")
    assert (model.q_lower[0], model.q_upper[0]) == (-np.inf, np.inf)


def test_mimic_applies_multiplier_and_offset():
    model = load_urdf(CASES / "09_mimic_offset.urdf")
    assert model.nv == 1
    tau = fs.rnea(model, [0.3], [0.5], [1.0])
    # G^T tau with G = (1, -0.5)
    np.testing.assert_allclose(tau, [-1.1965], rtol=TOLERANCE)


def test_blanks_and_number_forms_are_xml():
    link = load("10_whitespace_vectors").description.links[1]
    assert link.mass == 1.25
    assert link.com == (0.1, 0.2, 0.3)
    # the trace does not change with the axes
    assert np.trace(link.inertia) == pytest.approx(0.06, rel=1e-15)


def test_a_link_of_two_parents_is_refused_with_both_joints_named():
    with pytest.raises(ParseError) as caught:
        load_urdf(CASES / "12_two_parents.urdf")
    expected = "12_two_parents.urdf:43: link 'tip' is the child of two joints: 'close_left' and 'close_right'"
    assert expected in str(caught.value)
    assert (caught.value.element, caught.value.name, caught.value.line) == ("link", "tip", 43)
