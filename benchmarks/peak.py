"""The most that one core can do: a loop of fused multiply-adds of vectors, independent of each other."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
from llvmlite import ir

ACCUMULATORS = 12  # more than latency times units, fewer than registers
_engines = []  # own the code


def _loop(width: int) -> ir.Module:
    """accumulators = accumulators * x + y, so many times; their sum is returned, so that nothing is left out."""
    integer, double = ir.IntType(64), ir.DoubleType()
    vector = ir.VectorType(double, width)
    module = ir.Module("peak")
    fma = ir.Function(module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{width}f64")
    function = ir.Function(module, ir.FunctionType(double, [integer]), "peak")
    entry, body, end = (function.append_basic_block(name) for name in ("entry", "body", "end"))
    builder = ir.IRBuilder(entry)
    builder.branch(body)
    builder.position_at_end(body)
    counter = builder.phi(integer)
    counter.add_incoming(ir.Constant(integer, 0), entry)
    x, y = (ir.Constant(vector, [value] * width) for value in (0.999, 0.001))
    before = [builder.phi(vector) for _ in range(ACCUMULATORS)]
    after = [builder.call(fma, [accumulator, x, y]) for accumulator in before]
    for k, accumulator in enumerate(before):
        accumulator.add_incoming(ir.Constant(vector, [float(k)] * width), entry)
        accumulator.add_incoming(after[k], body)
    following = builder.add(counter, ir.Constant(integer, 1))
    counter.add_incoming(following, body)
    builder.cbranch(builder.icmp_signed("<", following, function.args[0]), body, end)
    builder.position_at_end(end)
    total = after[0]
    for accumulator in after[1:]:
        total = builder.fadd(total, accumulator)
    result = ir.Constant(double, 0.0)
    for lane in range(width):
        result = builder.fadd(result, builder.extract_element(total, ir.Constant(ir.IntType(32), lane)))
    builder.ret(result)
    return module


def peak_kernel(width: int):
    """A function of how often, and the operations of one time."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=3)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(_loop(width))), machine)
    engine.finalize_object()
    _engines.append(engine)
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(engine.get_function_address("peak"))
    return function, 2 * ACCUMULATORS * width
