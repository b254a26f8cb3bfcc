"""Sine and cosine of float64, alone or in lanes, to two units in the last place. Imported only to compile.

One source for both, so that one state and a batch get the same bits.
"""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from .translation import callable_fast

INT64 = ir.IntType(64)

# Range reduction by pi/2 in three parts (Cody and Waite, 1980): the first two have 33 bits, so that their products with
# an integer below 2^20 are exact. Polynomials on (-pi/4, pi/4): the minimax coefficients of fdlibm.
EXACT_REDUCTION = 1e5
BEYOND = 100000.00000000001  # the next number
TWO_OVER_PI = 0.6366197723675814
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
ROUNDING = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer, whose bits are then the lowest ones


@intrinsic
def to_quadrant(typing_context, shifted, s, c):
    """Sine and cosine in the quadrant whose number is in the low bits of `shifted`."""

    def generate(context, builder, sig, args):
        kind = args[0].type
        vector = isinstance(kind, ir.VectorType)
        integers = ir.VectorType(INT64, kind.count) if vector else INT64

        def constant(x):
            return ir.Constant(integers, [x] * kind.count if vector else x)

        k = builder.bitcast(args[0], integers)
        odd = builder.icmp_unsigned("!=", builder.and_(k, constant(1)), constant(0))
        swapped = builder.select(odd, args[2], args[1]), builder.select(odd, args[1], args[2])
        results = []
        for value, quadrant in zip(swapped, (k, builder.add(k, constant(1)))):
            sign = builder.shl(builder.and_(quadrant, constant(2)), constant(62))
            results.append(builder.bitcast(builder.xor(builder.bitcast(value, integers), sign), kind))
        return context.make_tuple(builder, sig.return_type, results)

    return types.UniTuple(s, 2)(shifted, s, c), generate


@callable_fast
def near_sincos(x):
    """Sine and cosine of an angle within EXACT_REDUCTION."""
    shifted = x * TWO_OVER_PI + ROUNDING
    k = shifted - ROUNDING
    r = ((x - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3
    z = r * r
    s = r + r * z * (
        -1.66666666666666324348e-01
        + z
        * (
            8.33333333332248946124e-03
            + z
            * (
                -1.98412698298579493134e-04
                + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))
            )
        )
    )
    half = 0.5 * z
    w = 1.0 - half
    c = w + (
        ((1.0 - w) - half)
        + z
        * z
        * (
            4.16666666666666019037e-02
            + z
            * (
                -1.38888888888741095749e-03
                + z
                * (
                    2.48015872894767294178e-05
                    + z
                    * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))
                )
            )
        )
    )
    return to_quadrant(shifted, s, c)
