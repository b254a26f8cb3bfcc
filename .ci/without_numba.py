"""Fail unless an installed release makes machine code of all kernels from its LLVM IR, without Numba."""

import sys
import time

import featherstone as fs
from featherstone.engine import cache, loader, shipped
from featherstone.simulation.kernels import all_kernels

assert not cache.contents(), cache.contents()
robot = fs.models.load("quadruped")
begin = time.perf_counter()
fs.rnea(robot, robot.neutral(), robot.zero_rate, robot.zero_rate)
first = time.perf_counter() - begin
jobs = [(None, 0), *((kernel, width) for kernel in all_kernels() for width in (0, loader.lane_width()))]
for job in jobs:
    loader.prepare(*job)
if "numba" in sys.modules:
    sys.exit("Numba was imported")
if {loader.symbol_of(*job) for job in jobs} - set(shipped.symbols()):
    sys.exit("the release does not carry all kernels")
print(f"{len(jobs)} kernels without Numba; the first call took {first:.2f} s, all {time.perf_counter() - begin:.1f} s")
