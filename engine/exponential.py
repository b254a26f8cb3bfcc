"""The exponential of float64 that is at most zero, alone or in lanes. Imported only to compile."""

from __future__ import annotations

from llvmlite import ir
from numba.extending import intrinsic

from . import scalars
from .sincos import INT64, ROUNDING
from .translation import callable_fast

LEAST = -708.0  # exp of it is the smallest power of e that is a normal number
LOG2_E = 1.4426950408889634
# ln 2 in two parts, the first with 32 bits, so that its product with an exponent is exact
LN_2_HIGH, LN_2_LOW = 0.6931471803691238, 1.9082149292705877e-10


@intrinsic
def times_power_of_two(typing_context, x, shifted):
    """x 2^n with the integer n in the low bits of `shifted`."""

    def generate(context, builder, sig, args):
        kind = args[0].type
        vector = isinstance(kind, ir.VectorType)
        integers = ir.VectorType(INT64, kind.count) if vector else INT64

        def constant(n):
            return ir.Constant(integers, [n] * kind.count if vector else n)

        biased = builder.add(builder.bitcast(args[1], integers), constant(1023))
        power = builder.bitcast(builder.shl(biased, constant(52)), kind)
        return builder.fmul(args[0], power)

    return x(x, x), generate


@callable_fast
def exp_below_one(x):
    """e^x for x <= 0."""
    x = scalars.select_less(x, LEAST, LEAST, x)
    shifted = x * LOG2_E + ROUNDING
    n = shifted - ROUNDING
    r = (x - n * LN_2_HIGH) - n * LN_2_LOW
    # Taylor's polynomial: on (-ln 2 / 2, ln 2 / 2) what is left out is below 1e-17
    p = 1.0 + r * (
        1.0
        + r
        * (
            0.5
            + r
            * (
                0.16666666666666666
                + r
                * (
                    0.041666666666666664
                    + r
                    * (
                        0.008333333333333333
                        + r
                        * (
                            0.001388888888888889
                            + r
                            * (
                                0.0001984126984126984
                                + r
                                * (
                                    2.48015873015873e-05
                                    + r
                                    * (
                                        2.7557319223985893e-06
                                        + r
                                        * (
                                            2.755731922398589e-07
                                            + r
                                            * (
                                                2.505210838544172e-08
                                                + r * (2.08767569878681e-09 + r * 1.6059043836821613e-10)
                                            )
                                        )
                                    )
                                )
                            )
                        )
                    )
                )
            )
        )
    )
    return times_power_of_two(p, shifted)
