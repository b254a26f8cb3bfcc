"""Closed forms by SymPy, for robots that are small enough to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.model import Model
from .source import source_of


@dataclass(frozen=True)
class ClosedForm:
    """A function of states as expressions of SymPy.

    Attributes
    ----------
    name : the function's name.
    symbols : for each input its symbols, in an object array of the input's shape.
    results : for each output its expressions, in an object array of the output's shape.
    """

    name: str
    symbols: dict[str, np.ndarray]
    results: dict[str, np.ndarray]

    @property
    def expression(self) -> Any:
        """The first output: an expression, a Matrix of SymPy's, or an Array if it has more than two dimensions."""
        return _shown(next(iter(self.results.values())))

    def simplify(self) -> ClosedForm:
        """The same with every expression simplified; slow but for small robots."""
        import sympy

        simpler = np.frompyfunc(lambda x: sympy.simplify(x), 1, 1)
        found = {name: _objects(simpler(x), x.shape) for name, x in self.results.items()}
        return ClosedForm(self.name, self.symbols, found)

    def lambdify(self, modules: str = "numpy") -> Any:
        """A Python function of the inputs, arrays or lists each, that gives the first output as an array."""
        import sympy

        entries = [x for given in self.symbols.values() for x in given.ravel()]
        result = next(iter(self.results.values()))
        evaluate = sympy.lambdify(entries, list(result.ravel()), modules, cse=True)
        sizes = {name: x.size for name, x in self.symbols.items()}

        def function(*inputs: Any) -> np.ndarray:
            if len(inputs) != len(sizes):
                raise TypeError(f"{self.name}: expected {', '.join(sizes)}, got {len(inputs)} arguments")
            values: list[float] = []
            for (name, size), x in zip(sizes.items(), inputs):
                array = np.ravel(np.asarray(x, float))
                if array.size != size:
                    raise ValueError(f"{name}: expected {size} numbers, got {array.size}")
                values += array.tolist()
            return np.array(evaluate(*values), float).reshape(result.shape)

        return function


def sympy(
    model: Model,
    name: str,
    *,
    f_ext: bool = False,
    losses: bool = False,
    method: str = "aba",
    frame: str | None = None,
    reference: str = "local",
    kind: str = "spatial",
    exact: bool = False,
) -> ClosedForm:
    """One of the functions of states as closed forms of SymPy, for small robots.

    Parameters
    ----------
    model : the robot. Expressions grow quickly: two or three joints are readable, more than six take long.
    name : the function's name, one of `fs.symbolic.names()`.
    f_ext, losses, method, frame, reference, kind : as in `fs.symbolic.casadi`.
    exact : take the model's numbers as the fractions that float64 holds instead of as decimal numbers.

    Returns
    -------
    form : a `ClosedForm`: `.symbols`, `.results`, `.expression`, `.simplify()`, `.lambdify()`.

    Raises
    ------
    ImportError
        SymPy is not installed: pip install 'featherstone[sympy]'.
    ValueError, TypeError
        As `fs.symbolic.casadi`.

    Notes
    -----
    Symbols are real and have the names of the inputs with an index, q0, q1, qd0. What depends on values is `Piecewise`.

    Examples
    --------
    >>> import featherstone as fs
    >>> form = fs.symbolic.sympy(fs.models.load("pendulum"), "gravity_torque")
    >>> print(form.expression[0])
    4.905*sin(q0)
    """
    try:
        import sympy as library
    except ImportError as error:
        raise ImportError("symbolic.sympy needs SymPy: pip install 'featherstone[sympy]'") from error
    source = source_of(
        model, name, f_ext=f_ext, losses=losses, method=method, frame=frame, reference=reference, kind=kind
    )
    symbols = {
        parameter: _objects(
            [library.Symbol(f"{parameter}{k}", real=True) for k in range(int(np.prod(shape, dtype=int)))], shape
        )
        for parameter, shape in source.inputs.items()
    }
    number = library.Rational if exact else _plain(library)
    results = source.run(symbols, number)
    found = {
        output: _objects([library.sympify(x) for x in result.ravel()], result.shape)
        for output, result in zip(source.results, results)
    }
    return ClosedForm(name, symbols, found)


def _plain(library: Any) -> Any:
    """Numbers as SymPy's, zeros and ones as such, so that what vanishes does."""
    return lambda x: library.Integer(int(x)) if float(x).is_integer() and abs(x) < 1e6 else library.Float(x)


def _objects(values: Any, shape: tuple[int, ...]) -> np.ndarray:
    made = np.empty(int(np.prod(shape, dtype=int)), object)
    made[:] = list(np.ravel(np.asarray(values, object)))
    return made.reshape(shape)


def _shown(result: np.ndarray) -> Any:
    import sympy

    if result.ndim == 0:
        return result[()]
    if result.ndim <= 2:
        return sympy.Matrix(result.tolist())
    return sympy.Array(result.tolist())
