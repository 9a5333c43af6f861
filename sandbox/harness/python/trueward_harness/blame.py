"""Whose doing it is that a test cannot be run: its author's, or that of what the solution gave it.

A test that calls ``eval`` with the solution's text meets a SyntaxError of the solution's making, and one that calls the
solution while its file is imported may never come to its tests. Such a test is not passed; it is not broken.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from .surroundings import Surroundings


class Blame:
    """What is known of the tests, and whether they have asked the solution for anything yet."""

    def __init__(self, consulted: bool = False, surroundings: Surroundings | None = None) -> None:
        self.surroundings = surroundings
        """Of tests in a process of their own."""
        self.consulted = consulted
        """Whether the solution was called, or lacked what it was asked for: until then nothing can be its doing."""
        self.imported: AbstractSet[str] = frozenset()
        """The modules that the tests' text imports."""
        self.files: AbstractSet[str] = frozenset()
        """The files of the tests' text."""
        self._folder = os.getcwd()  # noqa: PTH109 - pathlib would cost every start
        self.has_tests = True
        """Whether the tests' text holds tests at all."""

    def is_authors(self, error: SyntaxError | ImportError) -> bool:
        """Whether a text that does not parse, or a module that is missing, is the author's and not the solution's."""
        if not self.consulted:
            return True
        if isinstance(error, SyntaxError):
            return error.filename is not None and self.is_own(error.filename)  # else a text that was evaluated
        return error.name is not None and root(error.name) in self.imported

    def is_own(self, file: str) -> bool:
        """Whether a file is one of the tests' text."""
        path = os.path.normpath(os.path.join(self._folder, file))  # noqa: PTH118
        return os.path.relpath(path, self._folder) in self.files

    def misses_file(self, error: FileNotFoundError) -> bool:
        """Whether the tests look for a file of a name that they gave to the solution, which has other files."""
        return self.surroundings is not None and self.surroundings.misses_own(error.__traceback__)

    @property
    def left_no_test(self) -> bool:
        """Whether it may be the solution's doing that none of the tests was run."""
        return self.consulted and self.has_tests


def root(module: str) -> str:
    """The first part of a module's name."""
    return module.partition(".")[0]


def find_imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The modules that a text imports by name, each by its first part."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {root(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(root(node.module))
    return found


def has_tests(nodes: Iterable[ast.AST]) -> bool:
    """Whether a text defines what a test runner looks for."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, kinds) and node.name.startswith("test") for node in nodes)
