"""Write the LLVM IR of kernels, for one state and for any number of lanes, into a directory of a release.

usage: python .ci/carry_ir.py src/featherstone/engine/ir [KERNEL ...]

Without names it writes all kernels; the gate is always there. The same sources give the same files, byte for byte, with
the same Numba and llvmlite.
"""

import gzip
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from featherstone.engine import loader, shipped
from featherstone.simulation.kernels import all_kernels

KERNELS = {kernel.name: kernel for kernel in all_kernels()}


def write(directory: Path, name: str | None, width: int) -> None:
    """The IR of one kernel for one state (width 0) or for lanes; of the gate where there is no name."""
    kernel = KERNELS[name] if name else None
    code = loader.portable(kernel, width).encode()
    path = directory / f"{loader.symbol_of(kernel, width)}{shipped.SUFFIX}"
    path.write_bytes(gzip.compress(code, mtime=0))


def main() -> None:
    directory, names = Path(sys.argv[1]), sys.argv[2:] or list(KERNELS)
    unknown = set(names) - set(KERNELS)
    if unknown:
        sys.exit(f"no such kernel: {', '.join(sorted(unknown))}; there are {', '.join(KERNELS)}")
    directory.mkdir(parents=True, exist_ok=True)
    jobs = [(name, width) for name in names for width in (0, 2, 4, 8)] + [(None, 0)]
    with ProcessPoolExecutor() as pool:
        list(pool.map(write, [directory] * len(jobs), *zip(*jobs)))
    (directory / shipped.MANIFEST).write_text(json.dumps(shipped.manifest_now()))
    print(f"{len(list(directory.iterdir()))} files, {sum(x.stat().st_size for x in directory.iterdir()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
