"""Fail unless a wheel holds what git tracks of the rooms, and LLVM IR; and an sdist the rooms, tests and docs."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

wheel, sdist = sys.argv[1:]
tracked = subprocess.run(["git", "ls-files", "-s"], capture_output=True, text=True, check=True).stdout.splitlines()
paths = [line.split("\t", 1)[1] for line in tracked if not line.startswith("120000")]
rooms = {link.name for link in Path("src/featherstone").iterdir() if link.is_symlink()}
wanted = {f"featherstone/{path}" for path in paths if path.split("/")[0] in rooms}
wanted |= {path.removeprefix("src/") for path in paths if path.startswith("src/featherstone/")}
with zipfile.ZipFile(wheel) as archive:
    held = {name for name in archive.namelist() if ".dist-info/" not in name}
carried = {name for name in held if name.startswith("featherstone/engine/ir/")}
if not carried:
    sys.exit("wheel: no LLVM IR")
held -= carried
if held != wanted:
    sys.exit(f"wheel: missing {sorted(wanted - held)}, surplus {sorted(held - wanted)}")
with tarfile.open(sdist) as archive:
    names = {name.split("/", 1)[-1] for name in archive.getnames()}
missing = [path for path in ("LICENSE", "README.md", "CHANGELOG.md", "tests", "docs", "examples") if path not in names]
if missing:
    sys.exit(f"sdist: missing {missing}")
print(f"wheel and sdist are complete: {len(held)} files in the wheel, {len(carried)} of LLVM IR")
