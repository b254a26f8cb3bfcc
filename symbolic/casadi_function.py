"""Functions of CasADi: expression graphs that it differentiates, optimises over, and writes as C."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.model import Model
from .source import source_of


def casadi(
    model: Model,
    name: str,
    *,
    f_ext: bool = False,
    losses: bool = False,
    method: str = "aba",
    frame: str | None = None,
    reference: str = "local",
    kind: str = "spatial",
) -> Any:
    """One of the functions of states as a `casadi.Function`.

    Parameters
    ----------
    model : the robot; any joints, with followers.
    name : the function's name, one of `fs.symbolic.names()`: "rnea", "crba", "frame_jacobian", ...
    f_ext : have forces on the bodies as an input (nb, 6), for functions that take them.
    losses, method, frame, reference, kind : as the function itself has them.

    Returns
    -------
    function : a `casadi.Function` over SX with named inputs (q, qd, qdd, tau, dq, f_ext, ... as the function's own
        parameters) and named outputs. Vectors are columns. Results of three dimensions are stacked: (nv, nv, nv) is
        (nv * nv, nv), poses (nb, 4, 4) are (4 * nb, 4), which NumPy's `reshape` undoes.

    Raises
    ------
    ImportError
        CasADi is not installed: pip install 'featherstone[casadi]'.
    ValueError, TypeError
        A name that is not known, an option that the function has not; `UnknownNameError` for a frame.

    Notes
    -----
    The same source as is compiled, run on symbols: so results agree to rounding. Quaternions are taken to have unit
    length and are not checked; a solver over them needs that as a constraint, or `integrate` as its step. What depends
    on values is `if_else`: the sign of dry friction, small angles in `integrate` and `difference`; CasADi's derivatives
    there are those of the branch that is taken. A mass matrix that is singular gives no error, but infinities.

    Examples
    --------
    >>> import featherstone as fs
    >>> arm = fs.models.load("planar_2r")
    >>> rnea = fs.symbolic.casadi(arm, "rnea")
    >>> rnea.name_in(), rnea.name_out()
    (['q', 'qd', 'qdd'], ['tau'])
    >>> rnea([0.6, -0.9], [0, 0], [0, 0]).full().ravel().round(4)
    array([25.8645,  5.6231])
    """
    library = _import_casadi()
    source = source_of(
        model, name, f_ext=f_ext, losses=losses, method=method, frame=frame, reference=reference, kind=kind
    )
    symbols, given = [], {}
    for parameter, shape in source.inputs.items():
        symbol = library.SX.sym(parameter, *shape)
        symbols.append(symbol)
        # CasADi keeps matrices column by column
        rows = library.vertsplit(library.vec(symbol.T)) if symbol.numel() else []
        given[parameter] = _objects(rows)
    outputs = [_matrix(library, x) for x in source.run(given, float)]
    return library.Function(name, symbols, outputs, list(source.inputs), list(source.results))


def _import_casadi() -> Any:
    try:
        import casadi
    except ImportError as error:
        raise ImportError("symbolic.casadi needs CasADi: pip install 'featherstone[casadi]'") from error
    return casadi


def _objects(values: list[Any]) -> np.ndarray:
    made = np.empty(len(values), object)
    for k, x in enumerate(values):
        made[k] = x
    return made


def _matrix(library: Any, result: np.ndarray) -> Any:
    """A result as CasADi's matrix, row by row."""
    rows = [1, 1, *result.shape][-2:] if result.ndim < 2 else [int(np.prod(result.shape[:-1])), result.shape[-1]]
    if result.ndim == 1:
        rows = [result.size, 1]
    flat = library.SX(library.vertcat(*result.ravel())) if result.size else library.SX(0, 1)
    return library.reshape(flat, rows[1], rows[0]).T
