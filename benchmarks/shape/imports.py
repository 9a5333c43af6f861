"""Who imports whom: the edges between packages and between their parts, parts in a circle, and the rules kept.

Every import counts, also one inside a function or for type checkers alone.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from benchmarks.shape.sources import FOLDERS, ROOT, Source

TOP = {Path(folder).name: package for package, folder in FOLDERS.items()}
"""Packages by the name under which they are imported."""

Edges = dict[str, set[str]]


def edges(sources: Iterable[Source], of: Callable[[str], str]) -> Edges:
    """Which part imports which other; ``of`` names the part that a module belongs to."""
    found: Edges = defaultdict(set)
    for source in sources:
        part = of(source.module)
        for module in _imported(source):
            if module.partition(".")[0] in TOP and of(module) != part:
                found[part].add(of(module))
    return dict(found)


def package_of(module: str) -> str:
    """The name under which the module's package is imported."""
    return module.partition(".")[0]


def part_of(module: str) -> str:
    """The folder, or the file, right below the package: the first two parts of the name."""
    return ".".join(module.split(".")[:2])


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Parts that reach each other, so that none of them can be understood, or moved, alone; sorted."""
    reached = {part: _reach(graph, part) for part in graph}
    together = {
        tuple(sorted(other for other in reached[part] if part in reached.get(other, ())))
        for part in graph
        if part in reached[part]
    }
    return sorted(map(list, together))


def rules(root: Path = ROOT) -> dict[str, bool]:
    """Each rule of import-linter with whether it is kept."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    wide = {**os.environ, "COLUMNS": "500"}  # a rule's name stays on one line
    said = subprocess.run(command, cwd=root, env=wide, capture_output=True, text=True).stdout
    return {name.strip(): word == "KEPT" for name, word in re.findall(r"^(.+?) (KEPT|BROKEN)\b", said, re.MULTILINE)}


def _imported(source: Source) -> Iterator[str]:
    """Modules by their full names; ``from package import name`` names both, for the name may be a module."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            for one in node.names:
                yield f"{node.module}.{one.name}" if _is_module(node.module, one.name) else node.module


def _is_module(package: str, name: str) -> bool:
    top, _, rest = package.partition(".")
    if top not in TOP:
        return False
    place = ROOT / FOLDERS[TOP[top]] / rest.replace(".", "/") / name
    return place.is_dir() or place.with_suffix(".py").is_file()


def _reach(graph: Mapping[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    todo = [start]
    while todo:
        new = graph.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found
