"""The Python program of a response, parsed within bounds, and its way back into a response. Nothing is run here."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterator
from random import Random

from pydantic import JsonValue

from audits.metamorphic.transformation import Rewrite, Task
from verifiers.code.block import code
from verifiers.extract import NoAnswer

CODE = frozenset({"code"})
LONGEST = 50_000
DEEPEST = 60
"""Levels of a syntax tree: unparsing takes several frames a level."""
_INTROSPECTION = re.compile(
    r"\b(?:locals|globals|vars|dir|eval|exec|compile|inspect|traceback|_getframe|settrace|__code__|__doc__|__file__)\b"
)
"""What can see names, lines or docstrings: a program with one of these is left as it is."""
_TESTS = frozenset({"stdio", "calls", "assertions", "files", "interactive"})
_BROKEN = (SyntaxError, ValueError, RecursionError, MemoryError)


def source(task: Task) -> str | None:
    """The Python program of a response to a task with tests; None where there is none, or it is too long."""
    wanted = task.params.get("language") or (task.sample.metadata or {}).get("language") or "python"
    block = task.params.get("block", "last")
    if wanted not in ("python", "py", "python3") or block != "last" or not any(map(_is_tests, task.sample.references)):
        return None
    found = code(task.sample, None, "last")
    if isinstance(found, NoAnswer) or found.language != "python" or len(found.text) > LONGEST:
        return None
    return found.text


def parse_program(text: str) -> ast.Module | None:
    """None for what is no Python, or is nested too deep."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as that of "\d" in a text
            tree = ast.parse(text)
    except _BROKEN:
        return None
    return tree if _depth_within(tree, DEEPEST) else None


def write_response(program: str) -> str:
    """The response with this program alone."""
    fence = "```"
    while fence in program:
        fence += "`"
    return f"{fence}python\n{program}\n{fence}"


def on_tree(name: str, doc: str, change: Callable[[ast.Module, str, Random], bool]) -> Rewrite:
    """A transformation of the tree; ``change`` works in place and says whether it changed anything."""

    def rewrite(task: Task, dice: Random) -> str | None:
        text = source(task)
        tree = parse_program(text) if text is not None else None
        if text is None or tree is None:
            return None
        before = ast.dump(tree)
        if not change(tree, text, dice) or ast.dump(tree) == before:
            return None
        try:
            return write_response(ast.unparse(ast.fix_missing_locations(tree)))
        except _BROKEN:
            return None

    rewrite.__name__, rewrite.__doc__ = name, doc
    return rewrite


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def sees_itself(text: str) -> bool:
    """Whether the program may look at its own names or lines."""
    return _INTROSPECTION.search(text) is not None


def make_unused_name(text: str, wanted: str) -> str:
    """A name that the program does not have."""
    while wanted in text:
        wanted += "_"
    return wanted


def _is_tests(reference: JsonValue) -> bool:
    if isinstance(reference, str) and reference.lstrip()[:1] == "{":
        try:
            reference = json.loads(reference)
        except (ValueError, RecursionError):
            return False
    return isinstance(reference, dict) and bool(_TESTS & set(reference))


def _depth_within(tree: ast.AST, most: int) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(most):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return True
    return False
