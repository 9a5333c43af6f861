"""Values of Python that JSON cannot write: ``{"python": "<literal>"}`` anywhere in arguments and expected values.

A literal is what ``ast.literal_eval`` reads (numbers, texts, bytes, tuples, lists, dicts, sets, None, booleans) and
the names ``nan`` and ``inf``. It is read here, on the host, with bounds on length and depth; nothing is evaluated.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

from pydantic import JsonValue

LONGEST = 100_000
"""Characters of one literal."""

DEEPEST = 64
"""Containers that may stand in each other."""

KEY = "python"

_NAMES = {"nan": float("nan"), "inf": float("inf")}


class NotLiteral(ValueError):
    """Why a value of the reference cannot be read."""


@dataclass(frozen=True, slots=True)
class Exact:
    """An expected value that was written as a literal: a tuple is no list."""

    value: object


def value(written: JsonValue, *, exact: bool = False, depth: int = 0) -> object:
    """What a value of the reference stands for; with ``exact`` each literal is wrapped in :class:`Exact`.

    Raises :class:`NotLiteral`.
    """
    if depth > DEEPEST:
        raise NotLiteral(f"a value is nested more than {DEEPEST} deep")
    if isinstance(written, list):
        return [value(item, exact=exact, depth=depth + 1) for item in written]
    if isinstance(written, dict):
        if written.keys() == {KEY}:
            found = _literal(written[KEY])
            return Exact(found) if exact else found
        return {name: value(item, exact=exact, depth=depth + 1) for name, item in written.items()}
    return written


def _literal(text: JsonValue) -> object:
    if not isinstance(text, str):
        raise NotLiteral(f'the literal in {{"{KEY}": ...}} is a text, not {type(text).__name__}')
    if len(text) > LONGEST:
        raise NotLiteral(f"a literal has more than {LONGEST} characters")
    try:
        with warnings.catch_warnings():
            # a doubtful escape is the author's to doubt
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
            _bound(tree)
            found: object = ast.literal_eval(_Names().visit(tree))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as failure:
        raise NotLiteral(f"not a literal of Python: {str(failure)[:100] or type(failure).__name__}") from failure
    return found


def _bound(tree: ast.AST) -> None:
    layer: list[ast.AST] = [tree]
    for _ in range(DEEPEST + 1):
        layer = [
            child for node in layer for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)
        ]
        if not layer:
            return
    raise ValueError(f"nested more than {DEEPEST} deep")


class _Names(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(_NAMES[node.id]) if node.id in _NAMES else node
