"""The Python files of the project, by package, each with its text and its syntax tree.

Left out are programs that are data: the attacks and the solutions that benchmarks send into sandboxes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "client": "client/src/trueward",
    "trainer": "trainer/src/trueward_trainer",
    "sandbox": "sandbox",
    "verifiers": "verifiers",
    "judges": "judges",
    "rewards": "rewards",
    "audits": "audits",
    "app": "app",
    "benchmarks": "benchmarks",
    "tests": "tests",
}
"""Each package with its folder."""

BESIDE = ("benchmarks", "tests")
"""Packages that are no part of what is installed: nothing imports them."""

_DATA = ("benchmarks/attacks/", "benchmarks/programs/")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One file: its package, its path from the root, its text."""

    package: str
    path: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @cached_property
    def module(self) -> str:
        """Its name as other modules import it."""
        parts = Path(self.path).relative_to(Path(FOLDERS[self.package]).parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Every function with its qualified name; one that is inside another comes after it, as ``outer.inner``."""
        yield from _functions(self.tree, "")


def read(root: Path = ROOT) -> list[Source]:
    """Every source of the project, in order of package and path; files that git ignores are left out by name."""
    found = []
    for package, folder in FOLDERS.items():
        for path in sorted((root / folder).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if not name.startswith(_DATA) and "build" not in path.parts:
                found.append(Source(package, name, path.read_text(encoding="utf-8")))
    return found


def _functions(node: ast.AST, inside: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield inside + child.name, child
            yield from _functions(child, f"{inside}{child.name}.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{inside}{child.name}.")
        else:
            yield from _functions(child, inside)
