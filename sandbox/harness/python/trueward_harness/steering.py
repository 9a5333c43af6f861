"""Exceptions that steer whoever calls: by one of these a solution would end a loop or a task of the tests' quietly.

``all(map(check, cases))`` takes a StopIteration that ``check`` raises for the end of the cases, and a group of tasks
takes a CancelledError for a task that nobody wants any more. Where the text of the tests names none, none is expected.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

_NAMES = frozenset({"StopIteration", "StopAsyncIteration", "CancelledError"})
_ENDS = {"next": "StopIteration", "anext": "StopAsyncIteration"}


def find_expected(nodes: Iterable[ast.AST]) -> set[str]:
    """Those that the text of the tests names."""
    words = (getattr(node, "id", None) or getattr(node, "attr", None) for node in nodes)
    return {word for word in words if word in _NAMES}


def steers(error: BaseException, step: object) -> set[str]:
    """By which of them an exception steers; ``step``: the special method that was asked for, whose own end is none."""
    return {kind.__name__ for kind in type(error).__mro__} & _NAMES - {_ENDS.get(str(step), "")}
