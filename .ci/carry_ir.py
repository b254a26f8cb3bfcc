"""Write the LLVM IR of kernels, for one state and for any number of lanes, into a directory of a release.

usage: python .ci/carry_ir.py src/featherstone/engine/ir [KERNEL ...]

Without names it writes all kernels; the gate is always there. The same sources give the same files, byte for byte, with
the same Numba and llvmlite.
"""

import gzip
import json
import sys
from pathlib import Path

from featherstone.engine import loader, shipped
from featherstone.simulation.kernels import all_kernels

directory, names = Path(sys.argv[1]), set(sys.argv[2:])
unknown = names - {kernel.name for kernel in all_kernels()}
if unknown:
    sys.exit(f"no such kernel: {', '.join(sorted(unknown))}; there are {', '.join(x.name for x in all_kernels())}")
directory.mkdir(parents=True, exist_ok=True)
for kernel in [*(x for x in all_kernels() if not names or x.name in names), None]:
    for width in (0, 2, 4, 8) if kernel else (0,):
        code = loader.portable(kernel, width).encode()
        path = directory / f"{loader.symbol_of(kernel, width)}{shipped.SUFFIX}"
        path.write_bytes(gzip.compress(code, mtime=0))
(directory / shipped.MANIFEST).write_text(json.dumps(shipped.manifest_now()))
print(f"{len(list(directory.iterdir()))} files, {sum(x.stat().st_size for x in directory.iterdir()) / 1e6:.1f} MB")
