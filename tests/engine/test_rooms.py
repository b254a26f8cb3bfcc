"""The rooms of the house and the one way in which imports flow."""

import ast
from pathlib import Path

import pytest

import featherstone as fs

PACKAGE = Path(fs.__file__).parent
BELOW = {  # what each room stands on
    "engine": set(),
    "spatial": {"engine"},
    "model": {"engine", "spatial"},
    "algorithms": {"engine", "spatial", "model"},
    "parsers": {"engine", "spatial", "model"},
    "simulation": {"engine", "spatial", "model", "algorithms"},
    "identification": {"engine", "spatial", "model", "algorithms", "simulation"},
    "symbolic": {"engine", "spatial", "model", "algorithms"},
    "compat": {"engine", "spatial", "model", "algorithms", "parsers"},
    "proof": {"engine", "spatial", "model", "algorithms", "parsers", "simulation", "symbolic", "compat"},
    "cli": {"engine", "spatial", "model", "algorithms", "parsers", "simulation", "compat", "proof"},
}
FILES = [(room, path.relative_to(PACKAGE / room)) for room in BELOW for path in sorted((PACKAGE / room).rglob("*.py"))]


def imports(room, path):
    """The rooms that a file imports from, also within functions and for types only; "" is the door."""
    source = (PACKAGE / room / path).read_text(encoding="utf-8")
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level > len(path.parts):
            named = node.module.split(".")[:1] if node.module else [alias.name for alias in node.names]
            found |= {name if name in BELOW else "" for name in named}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module.split(".")[0] == "featherstone":
            found.add(f"absolute: {node.module}")
        elif isinstance(node, ast.Import):
            found |= {f"absolute: {x.name}" for x in node.names if x.name.split(".")[0] == "featherstone"}
    return found


def test_every_room_is_known():
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert rooms == set(BELOW)


@pytest.mark.parametrize(("room", "path"), FILES, ids=[f"{room}/{path.as_posix()}" for room, path in FILES])
def test_imports_flow_one_way(room, path):
    """Each room imports itself and what is below it, by relative imports."""
    assert imports(room, path) <= BELOW[room] | {room}


def test_imports_are_seen():
    assert imports("algorithms", Path("rnea.py")) == {"engine", "spatial", "model"}
    assert any("parsers" in imports(room, path) for room, path in FILES if room == "cli")
    assert not imports("engine", Path("kernel.py"))


def test_rooms_below_have_rooms_below():
    """Nothing stands on what stands on it."""
    for room, below in BELOW.items():
        for other in below:
            assert room not in BELOW[other]
