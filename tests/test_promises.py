"""The page on the promises is true: it has each handler on the way of a sample, and nothing on it is invented.

A row of the page names functions by their dotted names and, in its second cell, each handler of theirs as
``except A, B`` or ``suppress A, B``.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/promises.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]

COMPLETE = (
    "app/keys/admission.py",
    "app/kit/body.py",
    "app/http/route.py",
    "app/idempotency/*.py",
    "app/path/*.py",
    "app/lanes/**/*.py",
    "app/admission/**/*.py",
    "app/protocols/trainers/*.py",
    "app/protocols/graders/*.py",
    "app/jobs/*.py",
    "app/replicas/*.py",
    "app/runs/service.py",
    "app/runs/memory.py",
    "rewards/*.py",
    "verifiers/registry.py",
    "verifiers/sandboxed.py",
    "verifiers/grouped.py",
    "verifiers/ballot.py",
    "verifiers/math/verifier.py",
    "verifiers/math/worker.py",
    "verifiers/code/verifier.py",
    "judges/base.py",
    "judges/failure_verdicts.py",
    "sandbox/base.py",
    "sandbox/local/slot.py",
    "sandbox/docker/run.py",
    "sandbox/remote/*.py",
    "client/src/trueward/authoring/verifier.py",
    "client/src/trueward/client/call.py",
    "client/src/trueward/client/awaiting.py",
    "client/src/trueward/client/blocking.py",
)
"""The files whose every handler is on the page: what a sample passes from the request to the answer."""

Handler = tuple[str, str]
"""The function's dotted name, and ``except`` or ``suppress`` with the names of what is caught."""


def module_of(path: Path) -> str:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removeprefix("client.src.").removesuffix(".__init__")


def path_of(module: str) -> Path:
    base = ROOT / "client/src" if module.startswith("trueward") else ROOT
    path = base.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def definitions(path: Path) -> dict[str, ast.AST]:
    """The functions and classes of a file by their names within it, and the file itself under the empty name."""
    found: dict[str, ast.AST] = {}

    def visit(node: ast.AST, name: str) -> None:
        found[name] = node
        for inner in _own(node):
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                visit(inner, f"{name}.{inner.name}".removeprefix("."))

    visit(ast.parse(path.read_text(encoding="utf-8")), "")
    return found


def handlers(path: Path) -> Iterator[Handler]:
    for name, definition in definitions(path).items():
        place = f"{module_of(path)}.{name}".removesuffix(".")
        for node in _own(definition):
            if isinstance(node, ast.ExceptHandler):
                caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                yield place, f"except {', '.join(ast.unparse(one) for one in caught if one)}"
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("suppress", "contextlib.suppress"):
                yield place, f"suppress {', '.join(map(ast.unparse, node.args))}"


def _own(definition: ast.AST) -> Iterator[ast.AST]:
    """What stands in a definition, but not in those inside it."""
    for child in ast.iter_child_nodes(definition):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _own(child)


def rows() -> Iterator[tuple[list[str], list[str]]]:
    """Of each row the places that it names, and the handlers."""
    for where, what in re.findall(r"^\| (`.+?`) \| (.+?) \| .+ \|$", PAGE, re.MULTILINE):
        yield re.findall(r"`([^`]+)`", where), re.findall(r"`((?:except|suppress) [^`]+)`", what)


def told() -> Counter[Handler]:
    return Counter((place, handler) for places, named in rows() for place in places for handler in named)


def complete_files() -> list[Path]:
    return [path for pattern in COMPLETE for path in sorted(ROOT.glob(pattern))]


def split(place: str) -> tuple[Path, str]:
    """The file of a place, and its name there."""
    parts = place.split(".")
    for end in range(len(parts), 0, -1):
        path = path_of(".".join(parts[:end]))
        if path.is_file():
            return path, ".".join(parts[end:])
    return ROOT / place, place


def test_every_handler_on_the_way_of_a_sample_is_on_the_page() -> None:
    there = Counter(handler for path in complete_files() for handler in handlers(path))
    assert there - told() == Counter()


def test_no_handler_is_on_the_page_that_does_not_exist() -> None:
    files = {split(place)[0] for place, _ in told()}
    there = Counter(handler for path in files if path.is_file() for handler in handlers(path))
    assert told() - there == Counter()


def test_every_pattern_finds_files() -> None:
    assert [pattern for pattern in COMPLETE if not any(ROOT.glob(pattern))] == []


def test_every_place_on_the_page_exists() -> None:
    places = {place for named, _ in rows() for place in named}
    assert len(places) > 100
    lost = {place for place in places if not (found := split(place))[0].is_file() or not _defined(*found)}
    assert lost == set()


def _defined(path: Path, name: str) -> bool:
    return bool(name) and name in definitions(path)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.partition("\n")[0][:50])
def test_each_promise_has_its_files_its_failures_and_its_tests(section: str) -> None:
    held = section.partition("**Held by**")[2].partition("\n\n")[0]
    files = [name for name in re.findall(r"`([^`]+)`", held) if "/" in name]
    assert files
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert "| where | what happens | outcome |" in section
    assert re.search(r"^Tests: ", section, re.MULTILINE)


def test_every_test_on_the_page_exists() -> None:
    named = []
    file = ""
    for path, name in re.findall(r"`([\w/]*\.py)?::(\w+)`", PAGE):
        file = path or file
        named.append((ROOT / "tests" / file, name))
    assert len(named) > 100
    assert [str(path) for path, _ in named if not path.is_file()] == []
    assert [(path.name, name) for path, name in named if name not in definitions(path)] == []


def test_there_are_seven_promises() -> None:
    assert [section.partition(".")[0] for section in SECTIONS] == ["1", "2", "3", "4", "5", "6", "7"]
