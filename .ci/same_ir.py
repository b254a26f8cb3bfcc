"""Fail unless the sources give the LLVM IR that a release carries, here made anew for some kernels, in another order.

usage: python .ci/same_ir.py src/featherstone/engine/ir
"""

import gzip
import sys
from pathlib import Path

from featherstone.engine import loader, shipped
from featherstone.simulation.kernels import all_kernels

directory = Path(sys.argv[1])
jobs = [(None, 0), *[(kernel, width) for kernel in all_kernels() for width in (4, 0)][::-3]]
for job in jobs:
    symbol = loader.symbol_of(*job)
    if gzip.decompress((directory / f"{symbol}{shipped.SUFFIX}").read_bytes()).decode() != loader.portable(*job):
        sys.exit(f"{symbol}: the sources give other IR")
print(f"{len(jobs)} kernels give the IR that is carried")
