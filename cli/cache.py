"""`featherstone warmup` and `featherstone cache`: compiled code, made beforehand, shown and removed."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from .options import AsJson
from .terminal import CHECK_FAILED, INTERRUPTED, command, console, line, print_json, print_table, progress


@command
def warmup(as_json: AsJson = False) -> None:
    """Compile everything now, so that no later call has to wait."""
    from ..engine import cache, loader
    from ..engine.kernel import Kernel
    from ..simulation.kernels import all_kernels

    if cache.directory() is None:
        line("error", "there is no private directory to keep compiled code in; set FEATHERSTONE_CACHE_DIR", "bold red")
        raise typer.Exit(CHECK_FAILED)
    widths = (0, loader.lane_width())
    jobs: list[tuple[Kernel | None, int]] = [(kernel, width) for kernel in all_kernels() for width in widths]
    jobs.append((None, 0))
    begin = time.perf_counter()
    ready = sum(cache.has(loader.symbol_of(*job)) for job in jobs)
    done = 0
    try:
        with progress("compiling") as report:
            for job in jobs:
                loader.prepare(*job)
                done += 1
                if callable(report):
                    report(done / len(jobs))
    except KeyboardInterrupt:
        line("interrupted", f"{done} of {len(jobs)} kernels are ready and stay so", "bold red")
        raise typer.Exit(INTERRUPTED) from None
    seconds = time.perf_counter() - begin
    if as_json:
        print_json({"kernels": len(jobs), "compiled": len(jobs) - ready, "seconds": seconds, "path": _path()})
    else:
        console().print(f"{len(jobs)} kernels are ready, {len(jobs) - ready} of them compiled now in {seconds:.1f} s")
        console().print(f"kept in {_path()}", soft_wrap=True)


def _path() -> str:
    from ..engine import cache

    return str(cache.directory())


@command
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove the compiled code of all versions.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show where compiled code is kept, for which versions, and how much."""
    from ..engine import cache as kept
    from ..engine import shipped

    before = kept.contents()
    if clear:
        kept.clear()
    after = kept.contents()
    if as_json:
        versions = [{"path": str(x.path), "files": x.files, "bytes": x.size, "current": x.current} for x in after]
        print_json(
            {
                "path": str(kept.base_directory()),
                "usable": kept.directory() is not None,
                "removed": len(before) - len(after),
                "carried": shipped.symbols(),
                "versions": versions,
            }
        )
        return
    out = console()
    if clear:
        removed = sum(x.size for x in before) - sum(x.size for x in after)
        out.print(f"removed {removed / 1e6:.1f} MB from {kept.base_directory()}", soft_wrap=True)
        return
    if kept.directory() is None:
        out.print(f"{kept.base_directory()} cannot be used: each process compiles anew", soft_wrap=True)
    else:
        out.print(f"compiled code is kept in {kept.base_directory()}", soft_wrap=True)
    carried = len(shipped.symbols())
    out.print(f"the package carries LLVM IR: {carried} files\n" if carried else "the package carries no LLVM IR\n")
    rows = [
        [x.path.name, "this version" if x.current else "another", str(x.files), f"{x.size / 1e6:.1f}"] for x in after
    ]
    if rows:
        print_table("Versions", ["directory", "", "files", "MB"], rows, left=2)
