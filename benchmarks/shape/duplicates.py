"""Functions of one shape: the same syntax tree, but for names, constants, annotations, decorators and docstrings.

Only whole functions are compared, of at least ``LEAST`` lines without their docstring. That two have one shape says
where to look, not that they are one piece: a table of columns has the shape of another table of columns.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from benchmarks.shape.sizes import length
from benchmarks.shape.sources import Function, Source

LEAST = 6
_UNSEEN = ("annotation", "returns", "decorator_list", "type_params", "ctx", "type_comment")


def duplicates(sources: Iterable[Source]) -> list[list[str]]:
    """The places (``path:line name``) of each shape that several functions have, longest first."""
    places: defaultdict[tuple[str, ...], list[tuple[int, str]]] = defaultdict(list)
    for source in sources:
        for name, function in source.functions():
            lines = length(function) - _docstring_lines(function)
            if lines >= LEAST:
                places[tuple(shape(function))].append((lines, f"{source.path}:{function.lineno} {name}"))
    several = sorted((found for found in places.values() if len(found) > 1), key=lambda found: -max(found)[0])
    return [[where for _, where in found] for found in several]


def pairs(groups: Iterable[list[str]]) -> int:
    """How many pairs of one shape there are."""
    return sum(len(group) * (len(group) - 1) // 2 for group in groups)


def shape(node: ast.AST) -> Iterator[str]:
    """The kinds of a tree's nodes in order, with the ends of what they enclose."""
    yield type(node).__name__
    for field, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        if field == "body" and isinstance(node, Function) and ast.get_docstring(node, clean=False) is not None:
            children = children[1:]
        for child in children:
            if isinstance(child, ast.AST) and field not in _UNSEEN:
                yield field
                yield from shape(child)
    yield "."


def _docstring_lines(function: Function) -> int:
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is None or first.end_lineno is None:
        return 0
    return first.end_lineno - first.lineno + 1
