"""Handlers that catch everything: ``except:``, ``except Exception``, ``except BaseException``, in a tuple too.

Each owes its reason, as a comment on its line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.shape.sources import Source

_BROAD = frozenset({"Exception", "BaseException"})
_RULE = re.compile(r"#\s*(?:noqa|type|pragma|pylint)\b:?\s*[\w\[\], ]*?(?=\s-|#|$)")
"""What is in a comment for a tool, and is no reason."""


@dataclass(frozen=True, slots=True)
class Broad:
    """Broad handlers, those of them without a reason as ``path:line``, and the lines that they are among."""

    handlers: int
    without_reason: list[str]
    lines: int

    @property
    def per_thousand(self) -> float:
        return 1000 * self.handlers / self.lines if self.lines else 0.0


def broad(sources: Iterable[Source]) -> Broad:
    handlers = lines = 0
    without_reason = []
    for source in sources:
        lines += len(source.lines)
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ExceptHandler) and _is_broad(node.type):
                handlers += 1
                if not _has_reason(source.lines[node.lineno - 1]):
                    without_reason.append(f"{source.path}:{node.lineno}")
    return Broad(handlers, without_reason, lines)


def _is_broad(caught: ast.expr | None) -> bool:
    if isinstance(caught, ast.Tuple):
        return any(map(_is_broad, caught.elts))
    return caught is None or (isinstance(caught, ast.Name) and caught.id in _BROAD)


def _has_reason(line: str) -> bool:
    _, mark, comment = line.partition("#")
    return re.search(r"\w", _RULE.sub("", mark + comment)) is not None
