"""How many operations an algorithm takes for one state: its source, run on scalars that count."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import featherstone as fs
from featherstone.algorithms.aba import aba_recursion, aba_work
from featherstone.algorithms.crba import crba_recursion, crba_work
from featherstone.algorithms.rnea import rnea_recursion, rnea_work
from featherstone.engine.kernel import field_kinds

KINDS = {"add": "adds", "sub": "adds", "mul": "multiplies", "truediv": "divisions"}
done: Counter[str] = Counter()


class Scalar(float):
    """A float that counts adds, multiplies and divisions; changes of sign are free."""

    def __neg__(self) -> Scalar:
        return Scalar(-float(self))


def _counting(operator: str, kind: str) -> Any:
    operation = getattr(float, operator)

    def count(*operands: float) -> Scalar:
        done[kind] += 1
        return Scalar(operation(*operands))

    return count


for _name, _kind in KINDS.items():
    setattr(Scalar, f"__{_name}__", _counting(f"__{_name}__", _kind))
    setattr(Scalar, f"__r{_name}__", _counting(f"__r{_name}__", _kind))


def sin(x: Scalar) -> Scalar:
    """Sources take the functions of a scalar from the module that defines its class: this one."""
    return Scalar(np.sin(float(x)))


def cos(x: Scalar) -> Scalar:
    """Counted as a pair with the sine."""
    done["sincos"] += 1
    return Scalar(np.cos(float(x)))


def scalars(values: np.ndarray) -> np.ndarray:
    """An array of counting scalars."""
    result = np.empty(np.size(values), object)
    result[:] = [Scalar(x) for x in np.ravel(values)]
    return result


def empty(count: int) -> np.ndarray:
    """Room for that many."""
    return np.empty(count, object)


def operations(name: str, model: fs.Model) -> Counter[str]:
    """Adds, multiplies, divisions and pairs of sine and cosine of one call; the result is checked."""
    rng = np.random.default_rng(0)
    q, qd, qdd = model.random_configuration(rng), *rng.normal(size=(2, model.nv))
    reals = [field for field, kind in field_kinds(type(model.tree)).items() if kind == "Reals"]
    tree = model.tree._replace(**{field: scalars(getattr(model.tree, field)) for field in reals})
    state, n = [scalars(x) for x in (q, qd, qdd)], model.nv
    done.clear()
    if name == "rnea":
        result, expected = empty(n), fs.rnea(model, q, qd, qdd)
        rnea_recursion(tree, *state, None, None, result, empty(rnea_work(tree)))
    elif name == "aba":
        result, expected = empty(n), fs.aba(model, q, qd, qdd)
        aba_recursion(tree, *state, None, None, tree.armature, result, empty(n), empty(n), empty(aba_work(tree)))
    else:
        result, expected = empty(n * n), np.tril(fs.crba(model, q) - np.diag(model.armature))
        result[:] = 0.0
        crba_recursion(tree, state[0], result, empty(n), empty(crba_work(tree)))
    found = Counter(done)
    error = np.abs(result.astype(float) - expected.ravel()).max()
    assert error <= 1e-9 * np.abs(expected).max(), f"{model.name}, {name}: counted results differ by {error:.1e}"
    return found
