"""A test program: what it defines, which names it takes from elsewhere, and running it to its very end.

A program that only defines tests is run too: ``unittest`` cases, functions ``test...`` that it never calls, and
HumanEval's ``check(candidate)``; otherwise it would pass whatever the solution does.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any

from .blame import find_imported
from .flaws import BadTest
from .module import is_module
from .steering import find_expected

_BUILTINS = frozenset(vars(builtins))
_BY_TEXT = frozenset({"eval", "exec", "compile", "globals", "locals", "vars", "dir", "getattr", "open", "__import__"})
"""Builtins by which a program can use what it does not name."""


class TestProgram:
    """One test program. Raises SyntaxError where it is none."""

    __test__ = False

    def __init__(self, source: str, file: str) -> None:
        self.source = source
        self.file = file
        tree = ast.parse(source, file)
        self._code = compile(tree, file, "exec", dont_inherit=True)
        self.nodes = nodes = _nodes(tree)
        names = [node for node in nodes if type(node) is ast.Name]
        self._loaded = {node.id for node in names if not _stores(node)}
        self._bound = _bindings(nodes)
        self._asks = any(_names_solution(node) for node in nodes) or bool(_BY_TEXT & self._loaded)
        asserted = {name for node in nodes for part in _conditions(node) for name in _called(part)}
        self._judged = {name for name in asserted & _BUILTINS if not name.startswith("__")}
        attributes = {id(node.value): node.attr for node in nodes if type(node) is ast.Attribute}
        asked: dict[str, set[str]] = {}
        for node in names:
            asked.setdefault(node.id, set()).add(attributes.get(id(node), ""))
        free = {name: taken for name, taken in asked.items() if name not in self._bound and "" not in taken}
        self.modules = {name for name, taken in free.items() if is_module(name, taken)}
        self.classes = classes(tree)
        self.expected = find_expected(nodes)
        self.imported = find_imported(nodes)

    def shadowing(self, entry: str | None) -> set[str]:
        """Builtins that are the solution's in this program, and missing where it does not define them.

        That is the function under test where it is named. Else a program that uses nothing of the solution's tests a
        function of a builtin's name: the one that its assertions call. This hangs on the program alone: a solution
        does not decide what is tested. Raises BadTest where it cannot be told.
        """
        if entry is not None:
            return {entry} & _BUILTINS
        judged = self._judged - self._bound
        if self._asks or not judged or self._loaded - self._bound - _BUILTINS - self.modules:
            return set()
        if len(judged) > 1:
            raise BadTest("which of the functions called is the solution's? an entry_point would tell")
        return judged

    def run(self, space: dict[str, Any], entry: Callable[[], Any] | None) -> None:
        """Runs the program in that namespace, and then the tests that it only defines.

        ``entry`` gives the function under test. Raises whatever the program raises, or BadTest.
        """
        main = _Main(space)
        sys.modules["__main__"] = main
        try:
            exec(self._code, space)  # noqa: S102 - this is what a test program is for
        except SystemExit as leaving:
            if _ended_well(leaving):
                return
            if not self._left(leaving):
                raise
        self._run_cases(main, space)
        for name in self._defined_only(space):
            function = space[name]
            wanted = function.__code__.co_argcount - len(function.__defaults__ or ())
            if name == "check" and wanted == 1:
                if entry is None:
                    raise BadTest("check() is never called, and no entry_point says with what")
                function(entry())
            elif wanted:
                raise BadTest("a test function has parameters")
            else:
                function()

    def _left(self, leaving: SystemExit) -> bool:
        """Whether the program's own text ended it, and as one that is content: no function that the solution called."""
        trace = leaving.__traceback__
        while (trace := trace.tb_next if trace is not None else None) is not None:
            frame = trace.tb_frame
            if frame.f_code.co_filename != self.file and frame.f_globals.get("__name__") != "_sitebuiltins":
                return False
        return leaving.code in (None, False, 0)

    def _defined_only(self, space: dict[str, Any]) -> list[str]:
        return [
            name
            for name, item in list(space.items())
            if type(item) is FunctionType
            and (name.startswith("test") or name == "check")
            and name not in self._loaded
            and item.__code__.co_filename == self.file
        ]

    def _run_cases(self, main: ModuleType, space: dict[str, Any]) -> None:
        if "unittest" not in sys.modules:
            return
        from unittest import TestCase, TestLoader, TestSuite

        from .cases import FirstFailure

        cases = [
            item
            for name, item in list(space.items())
            if isinstance(item, type) and issubclass(item, TestCase) and name in self._bound
        ]
        if cases:
            loader = TestLoader()
            FirstFailure.of(TestSuite(loader.loadTestsFromTestCase(case) for case in cases))


def _names_solution(node: ast.AST) -> bool:
    """Whether a node imports the solution, or holds its name."""
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] == "solution" for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return node.module == "solution"
    return isinstance(node, ast.Constant) and node.value == "solution"


def _conditions(node: ast.AST) -> list[ast.expr]:
    """What a statement ``assert`` or a method ``assert...`` asserts."""
    if isinstance(node, ast.Assert):
        return [node.test]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("assert"):
        return [*node.args, *(keyword.value for keyword in node.keywords)]
    return []


def _called(tree: ast.AST) -> list[str]:
    calls = [node.func for node in _nodes(tree) if isinstance(node, ast.Call)]
    return [function.id for function in calls if isinstance(function, ast.Name)]


class _Main(ModuleType):
    """The module ``__main__`` of a test program, for ``unittest.main`` and dataclasses."""

    def __init__(self, space: dict[str, Any]) -> None:
        super().__init__("__main__")
        vars(self)["_space"] = space

    def __getattr__(self, name: str) -> Any:
        space = vars(self)["_space"]
        if name not in space:  # what it does not bind itself may be the solution's, and no test runner's business
            raise AttributeError(name)
        return space[name]

    def __dir__(self) -> list[str]:
        return list(vars(self)["_space"])


def classes(tree: ast.Module) -> list[str]:
    """The classes that a program defines at its top level, its test cases left out."""
    return [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not any("TestCase" in ast.dump(base) for base in node.bases)
    ]


def find_bindings(tree: ast.Module) -> set[str]:
    """The names that a program binds at its top level."""
    found: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, _DEFINITIONS):
            found.add(statement.name)
        else:
            found |= _bindings(ast.walk(statement))
    return found


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _bindings(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that assignments, definitions, imports, parameters and handlers bind."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            if _stores(node):
                found.add(node.id)
        elif isinstance(node, _DEFINITIONS):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            found.add(node.name)
    return found


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """All nodes, as ``ast.walk`` gives them, in half its time."""
    found = [tree]
    for node in found:  # which grows meanwhile
        for part in vars(node).values():
            if isinstance(part, ast.AST):
                found.append(part)
            elif type(part) is list:
                found += [item for item in part if isinstance(item, ast.AST)]
    return found


def _stores(name: ast.Name) -> bool:
    return type(name.ctx) is not ast.Load


def _ended_well(leaving: SystemExit) -> bool:
    """Whether it was ``unittest.main`` that left, with all tests passed."""
    trace = leaving.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (
        trace is not None
        and trace.tb_frame.f_globals.get("__name__") == "unittest.main"
        and leaving.code in (None, False, 0)
    )
