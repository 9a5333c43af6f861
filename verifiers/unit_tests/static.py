"""Runs in the sandbox: what the text of a test suite shows without running it. Standard library only.

Standard input is the suite, standard output one JSON object: ``syntax_error`` (text or null), ``tests`` (names in
order), ``smells`` (by smell, the tests that have it). The properties follow those of Steenhoek et al. (arXiv
2310.02368): a test asserts something and calls something, and has none of the listed smells. A test is a function
named ``test...``, at the top or in a class; a suite without one, but with statements of its own, is a single test
named ``<module>``. This file is sent to the sandbox as text; nothing of it runs in the service.
"""

from __future__ import annotations

import ast
import json
import sys
import warnings
from collections.abc import Iterator
from typing import Union

_Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]  # noqa: UP007 - the sandbox's Python may be an older one
_CHECKS = ("assert", "fail", "raises", "warns", "approx")
_CONDITIONS = (ast.If, ast.IfExp, ast.While) + ((ast.Match,) if hasattr(ast, "Match") else ())
_EXITS = {"exit", "_exit", "quit", "abort", "kill", "skip", "skipTest", "xfail"}
_WAITS = {"sleep", "wait"}


def each_test(tree: ast.Module) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Each test's name and body."""
    found = False
    for node in tree.body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        for member in members:
            if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)) and member.name.startswith("test"):
                found = True
                name = f"{node.name}.{member.name}" if isinstance(node, ast.ClassDef) else member.name
                yield name, member.body
    if not found:
        silent = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
        body = [node for node in tree.body if not isinstance(node, silent)]
        if any(is_assertion(node) for statement in body for node in ast.walk(statement)):
            yield "<module>", body


def smells_of(body: list[ast.stmt]) -> Iterator[str]:
    nodes = [node for statement in body for node in ast.walk(statement)]
    assertions = [node for node in nodes if is_assertion(node)]
    written = [ast.dump(node) for node in assertions]
    if not assertions:
        yield "no_assertion"
    if len(set(written)) < len(written):
        yield "duplicate_assertion"
    if any(is_trivial(node) for node in assertions):
        yield "trivial_assertion"
    if not any(isinstance(node, ast.Call) and not find_callee(node).startswith(_CHECKS) for node in nodes):
        yield "no_call"
    if any(isinstance(node, _CONDITIONS) for node in nodes):
        yield "conditional"
    if any(isinstance(node, ast.Try) for node in nodes):
        yield "exception_handling"
    names = {find_callee(node) for node in nodes if isinstance(node, ast.Call)}
    if "print" in names:
        yield "print"
    if names & _WAITS:
        yield "sleep"
    if names & _EXITS:
        yield "exit_or_skip"


def is_assertion(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and find_callee(node).startswith(_CHECKS[:4]))


def is_trivial(node: ast.AST) -> bool:
    """Whether what is asserted depends on no name at all."""
    if isinstance(node, ast.Assert):
        parts: list[ast.AST] = [node.test]
    elif isinstance(node, ast.Call) and find_callee(node).startswith("assert"):
        parts = [*node.args, *(word.value for word in node.keywords)]
    else:
        return False
    return not any(isinstance(inner, ast.Name) for part in parts for inner in ast.walk(part))


def find_callee(node: ast.Call) -> str:
    """The last name of what is called."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def main() -> None:
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    report: dict[str, object] = {"syntax_error": None, "tests": [], "smells": {}}
    warnings.simplefilter("ignore")
    try:
        tree = ast.parse(text)
        compile(tree, "suite", "exec")
        tests = list(each_test(tree))
        smells: dict[str, list[str]] = {}
        for name, body in tests:
            for smell in smells_of(body):
                smells.setdefault(smell, []).append(name[:100])
        report.update(tests=[name[:100] for name, _ in tests], smells=smells)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as failure:
        report["syntax_error"] = str(failure)[:200] or type(failure).__name__
    print(json.dumps(report))


if __name__ == "__main__":
    main()
