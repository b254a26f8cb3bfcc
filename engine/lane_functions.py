"""What the functions of `engine.scalars` mean over lanes. Imported only to compile."""

from __future__ import annotations

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from . import scalars
from .exponential import exp_below_one
from .lanes import DOUBLE, INT32, INT64, LaneArray, Lanes, StateArray, as_lanes, splat
from .sincos import BEYOND, EXACT_REDUCTION, near_sincos
from .translation import callable_fast, overload


@intrinsic
def lift_lanes(typing_context, array, x):
    """A number as lanes of the kind that `array` holds."""
    kind = Lanes(array.width)

    def generate(context, builder, sig, args):
        return as_lanes(context, builder, sig.args[1], args[1], kind.width)

    return kind(array, x), generate


@intrinsic
def advance_lanes(typing_context, array, count):
    """The array that begins `count` entries later."""

    def generate(context, builder, sig, args):
        if isinstance(array, LaneArray):
            return builder.gep(args[0], [builder.mul(args[1], ir.Constant(args[1].type, array.width))])
        later = cgutils.create_struct_proxy(array)(context, builder, value=args[0])
        offset = builder.mul(args[1], later.step)
        moved = [builder.add(x, offset) for x in cgutils.unpack_tuple(builder, later.addresses)]
        later.addresses = cgutils.pack_array(builder, moved)
        return later._getvalue()

    return array(array, types.intp), generate


@intrinsic
def lane_address(typing_context, array):
    """The address of the first lane, as an integer."""

    def generate(context, builder, sig, args):
        if isinstance(array, LaneArray):
            return builder.ptrtoint(args[0], INT64)
        value = cgutils.create_struct_proxy(array)(context, builder, value=args[0])
        return cgutils.unpack_tuple(builder, value.addresses)[0]

    return types.int64(array), generate


def _unary(name):
    @intrinsic
    def function(typing_context, x):
        def generate(context, builder, sig, args):
            kind = args[0].type
            called = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(kind, [kind]), f"llvm.{name}.v{sig.return_type.width}f64"
            )
            return builder.call(called, [args[0]])

        return x(x), generate

    return function


lanes_sqrt, lanes_magnitude = _unary("sqrt"), _unary("fabs")


@intrinsic
def lanes_select_less(typing_context, a, b, then, otherwise):
    """Lane by lane: then where a < b, else otherwise."""
    kind = next(x for x in (a, b, then, otherwise) if isinstance(x, Lanes))

    def generate(context, builder, sig, args):
        a, b, then, otherwise = (as_lanes(context, builder, k, x, kind.width) for k, x in zip(sig.args, args))
        return builder.select(builder.fcmp_ordered("<", a, b), then, otherwise)

    return kind(a, b, then, otherwise), generate


@intrinsic
def any_beyond(typing_context, x, limit):
    """Whether some lane is larger than `limit` in size, infinite or NaN."""

    def generate(context, builder, sig, args):
        width = x.width
        magnitude = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(args[0].type, [args[0].type]), f"llvm.fabs.v{width}f64"
        )
        bound = splat(builder, args[1], width)
        outside = builder.fcmp_unordered(">", builder.call(magnitude, [args[0]]), bound)
        bits = builder.bitcast(outside, ir.IntType(width))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(x, types.float64), generate


def _by_lane(name, arity):
    """A function of the C library, lane by lane."""

    @intrinsic
    def one(typing_context, x):
        return x(x), _lanewise(name, 1)

    @intrinsic
    def two(typing_context, y, x):
        return x(y, x), _lanewise(name, 2)

    return one if arity == 1 else two


def _lanewise(name, arity):
    def generate(context, builder, sig, args):
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(DOUBLE, [DOUBLE] * arity), name)
        result = ir.Constant(args[0].type, ir.Undefined)
        for lane in range(sig.return_type.width):
            index = ir.Constant(INT32, lane)
            called = builder.call(function, [builder.extract_element(x, index) for x in args])
            result = builder.insert_element(result, called, index)
        return result

    return generate


sin_by_lane, cos_by_lane, atan2_by_lane = _by_lane("sin", 1), _by_lane("cos", 1), _by_lane("atan2", 2)


@callable_fast
def far_sincos(x):
    # lanes that are near get what they get without a far neighbour
    size = lanes_magnitude(x)
    s, c = near_sincos(x)
    s = lanes_select_less(size, BEYOND, s, sin_by_lane(x))
    return s, lanes_select_less(size, BEYOND, c, cos_by_lane(x))


@overload(scalars.sincos)
def _sincos(x):
    if not isinstance(x, Lanes):
        return None

    def lanes_sincos(x):
        if any_beyond(x, EXACT_REDUCTION):
            return far_sincos(x)
        return near_sincos(x)

    return lanes_sincos


@overload(scalars.sqrt)
def _sqrt(x):
    return (lambda x: lanes_sqrt(x)) if isinstance(x, Lanes) else None


@overload(scalars.exp)
def _exp(x):
    return (lambda x: exp_below_one(x)) if isinstance(x, Lanes) else None


@overload(scalars.atan2)
def _atan2(y, x):
    return (lambda y, x: atan2_by_lane(y, x)) if isinstance(x, Lanes) else None


@overload(scalars.select_less)
def _select_less(a, b, then, otherwise):
    if any(isinstance(x, Lanes) for x in (a, b, then, otherwise)):
        return lambda a, b, then, otherwise: lanes_select_less(a, b, then, otherwise)
    return None


@overload(scalars.lift)
def _lift(array, x):
    if isinstance(array, LaneArray | StateArray):
        return (lambda array, x: x) if isinstance(x, Lanes) else (lambda array, x: lift_lanes(array, x))
    return None


@overload(scalars.after)
def _after(array, count):
    return (lambda array, count: advance_lanes(array, count)) if isinstance(array, LaneArray | StateArray) else None


@overload(scalars.present)
def _present(array):
    return (lambda array: lane_address(array) != 0) if isinstance(array, LaneArray | StateArray) else None


@overload(scalars.eight_zeros)
def _eight_zeros(array):
    if not isinstance(array, LaneArray):
        return None

    def zeros(array):
        zero = lift_lanes(array, 0.0)
        return (zero, zero, zero, zero, zero, zero, zero, zero)

    return zeros


@overload(scalars.store_column)
def _store_column(array, k, step, x):
    if not isinstance(array, LaneArray):
        return None

    def store(array, k, step, x):
        array[k], array[k + step], array[k + 2 * step], array[k + 3 * step] = x[0], x[1], x[2], x[3]
        k += 4 * step
        array[k], array[k + step], array[k + 2 * step], array[k + 3 * step] = x[4], x[5], x[6], x[7]

    return store


@overload(scalars.load_eight)
def _load_eight(array, k):
    if not isinstance(array, LaneArray):
        return None

    def load(array, k):
        a, b, c, d = array[k], array[k + 1], array[k + 2], array[k + 3]
        return (a, b, c, d, array[k + 4], array[k + 5], array[k + 6], array[k + 7])

    return load


@overload(scalars.store_eight)
def _store_eight(array, k, x):
    if not isinstance(array, LaneArray):
        return None

    def store(array, k, x):
        array[k], array[k + 1], array[k + 2], array[k + 3] = x[0], x[1], x[2], x[3]
        array[k + 4], array[k + 5], array[k + 6], array[k + 7] = x[4], x[5], x[6], x[7]

    return store


@overload(scalars.eight_minus)
def _eight_minus(x, s, y):
    if not isinstance(x, types.UniTuple):
        return None

    def minus(x, s, y):
        a, b, c, d = x[0] - s * y[0], x[1] - s * y[1], x[2] - s * y[2], x[3] - s * y[3]
        return (a, b, c, d, x[4] - s * y[4], x[5] - s * y[5], x[6] - s * y[6], x[7] - s * y[7])

    return minus


@intrinsic
def _some_not_positive(typing_context, x):
    def generate(context, builder, sig, args):
        zero = splat(builder, ir.Constant(DOUBLE, 0.0), x.width)
        bits = builder.bitcast(builder.fcmp_unordered("<=", args[0], zero), ir.IntType(x.width))
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(x), generate


@overload(scalars.positive)
def _positive(x):
    return (lambda x: not _some_not_positive(x)) if isinstance(x, Lanes) else None


def work_of_width(width: int):
    """A compiled function that gives the work memory of a block as lanes."""
    kind = LaneArray(width)

    @intrinsic
    def work_of(typing_context, block):
        def generate(context, builder, sig, args):
            entry = builder.load(builder.gep(args[0], [context.get_constant(types.intp, 4)]))
            return builder.inttoptr(entry, context.get_value_type(kind))

        return kind(block), generate

    return work_of
