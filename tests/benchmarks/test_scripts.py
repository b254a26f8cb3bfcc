"""What the benchmarks stand on: counts that can be done by hand, equal robots in all engines, tables put in place."""

import re
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_operations_are_counted_apart():
    from counting import Scalar, done, sin

    done.clear()
    x = Scalar(3.0)
    y = -(2.0 * x + 1.0 - x) / 2.0
    assert (float(y), type(y), dict(done)) == (-2.0, Scalar, {"multiplies": 1, "adds": 2, "divisions": 1})
    assert type(sin(x)) is Scalar


def test_each_body_of_a_chain_costs_the_same():
    from counting import operations
    from robots import chain

    for name in ("rnea", "aba"):
        counts = [operations(name, chain(n)) for n in (5, 10, 15)]
        assert counts[0]["sincos"] == 5
        for kind in ("adds", "multiplies"):
            small, middle, large = (count[kind] for count in counts)
            assert large - middle == middle - small > 0


def test_robots_are_the_same_in_all_engines():
    import mujoco
    import pinocchio as pin
    from robots import binary_tree, in_mujoco, in_pinocchio

    import featherstone as fs

    model = binary_tree(7)
    assert model.parent.tolist() == [-1, 0, 1, 1, 0, 4, 4]
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 7))
    expected = fs.rnea(model, q, qd, qdd)
    theirs, data = in_pinocchio(model), in_mujoco(model)
    state = mujoco.MjData(data)
    state.qpos[:], state.qvel[:], state.qacc[:] = q, qd, qdd
    mujoco.mj_inverse(data, state)
    allowed = 7 * 32 * np.finfo(float).eps * np.abs(expected).max()
    assert np.abs(pin.rnea(theirs, theirs.createData(), q, qd, qdd) - expected).max() < allowed
    assert np.abs(state.qfrc_inverse - expected).max() < allowed


def test_the_peak_kernel_does_what_it_says():
    from peak import ACCUMULATORS, peak_kernel

    function, operations = peak_kernel(2)
    assert operations == 2 * 2 * ACCUMULATORS
    expected = sum(2 * (0.999 * k + 0.001) for k in range(ACCUMULATORS))
    assert function(1) == pytest.approx(expected, rel=1e-14)


def test_tables_are_put_between_their_markers():
    from run_all import rewritten, tables_in

    printed = "machine\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nwords\n| c |\n|---|\n"
    tables = tables_in(printed)
    assert tables == ["| a | b |\n|---|---|\n| 1 | 2 |", "| c |\n|---|"]
    text = "before\n<!-- table: x -->\nold\n<!-- end -->\nbetween\n<!-- table: y -->\n<!-- end -->\n"
    assert rewritten(text, {"x": tables[0], "y": tables[1]}) == (
        f"before\n<!-- table: x -->\n{tables[0]}\n<!-- end -->\nbetween\n<!-- table: y -->\n{tables[1]}\n<!-- end -->\n"
    )
    with pytest.raises(ValueError, match="'z', found 0"):
        rewritten(text, {"z": ""})


def test_every_table_has_its_place():
    from run_all import README, SCRIPTS

    places = re.findall(r"<!-- table: (.+) -->\n(?:.*\n)*?<!-- end -->", README.read_text(encoding="utf-8"))
    assert sorted(places) == sorted(["machine", *(name for script in SCRIPTS for name in script.tables)])
    for script in SCRIPTS:
        assert (BENCHMARKS / f"{script.name}.py").is_file()
