"""Which lines of the reference's solution a suite runs: the solution reports each statement when it is first reached.

The report is a file in the solution's own jail. A suite that reaches through its proxies into that process can write
there: its coverage can be forged. The solution is the caller's, so its text is read here. Not covered: branches within
a line.
"""

from __future__ import annotations

import ast

FILE = "trueward-lines.txt"

_PRELUDE = f"""
import builtins as __trueward_builtins
def __trueward_make(write=open({FILE!r}, "ab", 0).write, seen=set()):
    def reached(line):
        if line not in seen:
            seen.add(line)
            write(b"%d\\n" % line)
    return reached
__trueward_builtins.__trueward_reached = __trueward_make()
del __trueward_make, __trueward_builtins
"""


class _Instrumented(ast.NodeTransformer):
    """Puts a report before each statement of every body."""

    def __init__(self) -> None:
        self.lines: set[int] = set()

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                setattr(node, name, self._reporting(body))
        return node

    def _reporting(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for index, statement in enumerate(body):
            silent = isinstance(statement, (ast.Global, ast.Nonlocal)) or _is_future(statement)
            docstring = index == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not (silent or docstring):
                self.lines.add(statement.lineno)
                call = ast.parse(f"__trueward_reached({statement.lineno})").body[0]
                found.append(ast.copy_location(call, statement))
            found.append(statement)
        return found


def instrument(solution: str) -> tuple[str, frozenset[int]]:
    """The solution that reports, and the lines that it can report. Raises SyntaxError and the like."""
    tree = ast.parse(solution)
    transformer = _Instrumented()
    transformer.visit(tree)
    # what has to come first in a module stays there: its docstring, and imports from the future
    at = sum(1 for statement in tree.body[:1] if _is_docstring(statement))
    while at < len(tree.body) and _is_future(tree.body[at]):
        at += 1
    tree.body[at:at] = ast.parse(_PRELUDE).body
    return ast.unparse(ast.fix_missing_locations(tree)), frozenset(transformer.lines)


def share(report: bytes, lines: frozenset[int]) -> float:
    """The share of the lines that were reached, in [0, 1]; of none 1."""
    reached = {int(word) for word in report.split() if word.isdigit() and len(word) < 9}
    return len(reached & lines) / len(lines) if lines else 1.0


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
