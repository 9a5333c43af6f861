"""What lines of a file hold: code, documentation, imports, comments, nothing."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from benchmarks.shape.sources import Source

KINDS = ("code", "documentation", "imports", "comments", "blank")
"""Documentation is docstrings, of attributes too; comments stand on lines of their own."""


def line_kinds(sources: Iterable[Source]) -> dict[str, int]:
    """Lines of each kind, together."""
    found: Counter[str] = Counter()
    for source in sources:
        known = _statements(source.tree)
        for number, line in enumerate(source.lines, 1):
            found[known.get(number) or _plain(line)] += 1
    return {kind: found[kind] for kind in KINDS}


def _statements(tree: ast.Module) -> dict[int, str]:
    """The lines of documentation and of imports."""
    found: dict[int, str] = {}
    for node in ast.walk(tree):
        kind = ""
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            kind = "imports"
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            kind = "documentation"
        if kind and isinstance(node, ast.stmt):
            found |= dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), kind)
    return found


def _plain(line: str) -> str:
    written = line.strip()
    if not written:
        return "blank"
    return "comments" if written.startswith("#") else "code"
