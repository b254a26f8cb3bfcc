"""Sines and cosines of all coordinates of one state at once, GROUP of them in lanes. Imported only to compile."""

from __future__ import annotations

import operator

from numba.core import cgutils, types
from numba.extending import intrinsic, models, register_model

from . import lane_functions, scalars  # noqa: F401, what sincos means over lanes
from .compiler import NUMBERS, REALS, advance
from .lanes import LaneArray, StateArray
from .translation import callable_plain, overload

GROUP = 4


class WithSines(types.Type):
    """Coordinates of one state, and where their sines and cosines are."""

    def __init__(self) -> None:
        super().__init__(name="WithSines")


WITH_SINES = WithSines()
PARTS = ("values", "sines", "cosines")


@register_model(WithSines)
class _WithSinesModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [(part, REALS) for part in PARTS])


@intrinsic
def _join(typing_context, values, sines, cosines):
    def generate(context, builder, sig, args):
        joined = cgutils.create_struct_proxy(WITH_SINES)(context, builder)
        for part, x in zip(PARTS, args):
            setattr(joined, part, x)
        return joined._getvalue()

    return WITH_SINES(REALS, REALS, REALS), generate


def _reader(part):
    @intrinsic
    def read(typing_context, q, k):
        def generate(context, builder, sig, args):
            pointer = getattr(cgutils.create_struct_proxy(WITH_SINES)(context, builder, value=args[0]), part)
            return builder.load(builder.gep(pointer, [args[1]]))

        return types.float64(WITH_SINES, types.intp), generate

    return read


value_at, sine_at, cosine_at = (_reader(part) for part in PARTS)


@intrinsic
def _in_lanes(typing_context, reals):
    """The same memory as an array of GROUP lanes."""

    def generate(context, builder, sig, args):
        return args[0]

    return LaneArray(GROUP)(REALS), generate


@callable_plain
def _group(q, sines, cosines, k):
    s, c = scalars.sincos(_in_lanes(advance(q, k))[0])
    _in_lanes(advance(sines, k))[0] = s
    _in_lanes(advance(cosines, k))[0] = c


@overload(scalars.with_sines)
def _with_sines(q, count, room):
    if isinstance(q, LaneArray | StateArray):
        return lambda q, count, room: q
    if q != REALS:
        return None

    def one_state(q, count, room):
        sines, cosines = room, advance(room, count)
        if count < GROUP:
            for k in range(count):
                sines[k], cosines[k] = scalars.sincos(q[k])
        else:
            for k in range(0, count - GROUP, GROUP):
                _group(q, sines, cosines, k)
            _group(q, sines, cosines, count - GROUP)  # the last ones, some of them once more
        return _join(q, sines, cosines)

    return one_state


@overload(scalars.sincos_at)
def _sincos_at(q, k):
    if q == WITH_SINES:
        return lambda q, k: (sine_at(q, k), cosine_at(q, k))
    return lambda q, k: scalars.sincos(q[k])


@overload(operator.getitem)
def _getitem(q, k):
    return (lambda q, k: value_at(q, k)) if q == WITH_SINES else None


@overload(scalars.lift)
def _lift(array, x):
    return (lambda array, x: float(x)) if array == WITH_SINES and isinstance(x, NUMBERS) else None
