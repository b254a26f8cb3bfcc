"""Functions of CasADi give what compiled code gives, and CasADi differentiates them."""

import subprocess
import sys

import casadi
import numpy as np
import pytest

import featherstone as fs

from ..functions import arrays_for, deepest_frame
from ..identities.robots import robot as named

ROBOTS = ("star bolted", "branches", "star floating", "random mimic")
FRAMED = {"frame_pose", "frame_jacobian", "frame_jacobian_rate", "frame_velocity", "frame_acceleration"}
FRAMED |= {"kinematic_hessian"}
FORCED = {"rnea", "bias_torque", "aba", "forward_dynamics", "rnea_derivatives", "aba_derivatives"}
FORCED |= {"rnea_second_derivatives", "generalized_momentum_rate"}


def options_of(name, model):
    options = {"frame": deepest_frame(model)} if name in FRAMED else {}
    if name in FRAMED - {"frame_pose"}:
        options["reference"] = "local_world_aligned"
    return options


def states_of(model, seed):
    states = arrays_for(model, seed, ())
    return {name: states[name] for name in states}


def public(name, model, given, options):
    found = getattr(fs, name)(model, **given, **options)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("function", fs.symbolic.names())
@pytest.mark.parametrize("robot", ROBOTS)
def test_every_function_gives_what_compiled_code_gives(robot, function):
    model = named(robot).model
    options = options_of(function, model)
    forced = {"f_ext": True} if function in FORCED else {}
    made = fs.symbolic.casadi(model, function, **options, **forced)
    states = states_of(model, 3)
    given = {name: states[name] for name in made.name_in()}
    assert ("f_ext" in given) == (function in FORCED)
    expected = public(function, model, given, options)
    found = made(*given.values())
    found = found if isinstance(found, tuple) else (found,)
    assert len(found) == len(expected) == made.n_out()
    for x, right in zip(found, expected):
        x = np.asarray(x.full()).reshape(np.shape(right))
        assert np.abs(x - right).max(initial=0.0) <= 1e-11 * max(1.0, np.abs(right).max(initial=0.0))


@pytest.mark.parametrize("losses", [False, True])
@pytest.mark.parametrize("method", ["aba", "cholesky"])
def test_options_are_the_functions_own(method, losses):
    model = named("branches").model
    made = fs.symbolic.casadi(model, "forward_dynamics", method=method, losses=losses)
    states = states_of(model, 5)
    given = {name: states[name] for name in made.name_in()}
    right = fs.forward_dynamics(model, **given, method=method, losses=losses)
    found = made(*given.values()).full().ravel()
    assert np.abs(found - right).max() <= 1e-11 * np.abs(right).max()


@pytest.mark.parametrize("kind", ["spatial", "classical"])
@pytest.mark.parametrize("reference", ["local", "world", "local_world_aligned"])
def test_frames_in_every_reference(reference, kind):
    model = named("branches").model
    options = {"frame": deepest_frame(model), "reference": reference, "kind": kind}
    made = fs.symbolic.casadi(model, "frame_acceleration", **options)
    states = states_of(model, 6)
    given = {name: states[name] for name in made.name_in()}
    right = fs.frame_acceleration(model, **given, **options)
    assert np.abs(made(*given.values()).full().ravel() - right).max() <= 1e-12 * np.abs(right).max()


def test_casadi_differentiates_as_we_do():
    """Of angles and lengths, where tangent coordinates are coordinates; CasADi's own differentiation."""
    model = fs.models.load("seven_axis")
    rnea = fs.symbolic.casadi(model, "rnea", f_ext=True)
    symbols = [casadi.SX.sym(name, *rnea.size_in(name)) for name in rnea.name_in()]
    by = [casadi.jacobian(rnea(*symbols), x) for x in symbols[:3]]
    derivatives = casadi.Function("d", symbols, by)
    states = states_of(model, 7)
    given = {name: states[name] for name in rnea.name_in()}
    for x, right in zip(derivatives(*given.values()), fs.rnea_derivatives(model, **given)):
        assert np.abs(x.full() - right).max() <= 1e-11 * max(1.0, np.abs(right).max())


def test_a_step_of_a_solver():
    """The posture in which the least torque of an arm is needed, by CasADi's IPOPT: no torque of gravity is left."""
    model = fs.models.load("planar_2r")
    torque = fs.symbolic.casadi(model, "gravity_torque")
    q = casadi.SX.sym("q", 2)
    problem = {"x": q, "f": casadi.sumsqr(torque(q))}
    quiet = {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"}
    found = casadi.nlpsol("solver", "ipopt", problem, quiet)(x0=[-1.2, 0.3])["x"].full().ravel()
    assert np.abs(fs.gravity_torque(model, found)).max() < 1e-6


def test_c_code_can_be_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fs.symbolic.casadi(fs.models.load("six_axis"), "rnea").generate("rnea.c")
    assert "casadi_real" in (tmp_path / "rnea.c").read_text()


def test_names_that_are_not_there():
    arm = fs.models.load("planar_2r")
    with pytest.raises(ValueError, match=r"^name: expected one of aba, .*got 'rmea'; did you mean 'rnea'\?"):
        fs.symbolic.casadi(arm, "rmea")
    for name in (None, 3, ["rnea"]):
        with pytest.raises(ValueError, match=r"^name: expected one of"):
            fs.symbolic.casadi(arm, name)
    with pytest.raises(TypeError, match=r"^model: expected a Model, got str"):
        fs.symbolic.casadi("planar_2r", "rnea")
    weightless = fs.ModelBuilder("weightless")
    weightless.add_link("base", 1.0, (0, 0, 0), np.eye(3))
    weightless.add_link("arm")
    weightless.add_joint("shoulder", "revolute", "base", "arm", axis=(0, 0, 1))
    for name in ("center_of_mass", "centroidal_momentum", "centroidal_momentum_matrix", "composite_inertia"):
        with pytest.raises(ValueError, match=r"^model: expected bodies with mass, 'weightless' has none that moves"):
            fs.symbolic.casadi(weightless.build(), name)
    with pytest.raises(ValueError, match=r"^frame: frame_jacobian needs one"):
        fs.symbolic.casadi(arm, "frame_jacobian")
    with pytest.raises(KeyError, match="tip"):
        fs.symbolic.casadi(arm, "frame_jacobian", frame="tips")
    with pytest.raises(ValueError, match=r"^reference: expected 'local', 'world'"):
        fs.symbolic.casadi(arm, "frame_jacobian", frame="tip", reference="here")
    with pytest.raises(ValueError, match=r"^method: expected 'aba'"):
        fs.symbolic.casadi(arm, "forward_dynamics", method="lu")
    with pytest.raises(TypeError, match=r"^losses: expected True or False"):
        fs.symbolic.casadi(arm, "rnea", losses=1)
    for option, value in (
        ("f_ext", True),
        ("losses", True),
        ("frame", "tip"),
        ("reference", "world"),
        ("kind", "classical"),
    ):
        with pytest.raises(ValueError, match=rf"^{option}: crba has no such option"):
            fs.symbolic.casadi(arm, "crba", **{option: value})


def test_nothing_is_imported_before_it_is_used():
    code = "import sys, featherstone as fs; fs.symbolic.names(); print('casadi' in sys.modules, 'sympy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]


def test_what_to_install_is_told(monkeypatch):
    arm = fs.models.load("planar_2r")
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(ImportError, match=r"pip install 'featherstone\[casadi\]'"):
        fs.symbolic.casadi(arm, "rnea")
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(ImportError, match=r"pip install 'featherstone\[sympy\]'"):
        fs.symbolic.sympy(arm, "rnea")


def test_every_function_of_states_is_there():
    """Those with a way into machine code; others take more than a state, or are made of these."""
    gated = {name for name in fs.__all__ if hasattr(getattr(fs, name), "way")}
    assert gated - {"relative_jacobian"} <= set(fs.symbolic.names()) <= set(fs.__all__)
