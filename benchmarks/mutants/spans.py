"""Where the nodes of a syntax tree stand in their text, in characters from its beginning."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from itertools import accumulate

_COMMENT = re.compile(r"#[^\n]*")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters from ``start`` to before ``end``."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the text and what stands there instead."""

    span: Span
    text: str


class Layout:
    """A text, and its nodes' places in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    def span(self, node: ast.expr | ast.stmt) -> Span:
        return Span(self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset))

    def of(self, node: ast.expr | ast.stmt) -> str:
        """A node's text; enclosing brackets are no part of it."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def between(self, left: ast.expr, right: ast.expr, token: str) -> Span | None:
        """Where the token (a pattern) stands between two nodes; None where it is not there exactly once."""
        start, end = self.span(left).end, self.span(right).start
        stretch = _COMMENT.sub(lambda comment: " " * len(comment[0]), self.text[start:end])
        found = list(re.finditer(token, stretch))
        return Span(start + found[0].start(), start + found[0].end()) if len(found) == 1 else None

    def _offset(self, line: int | None, column: int | None) -> int:
        """Syntax trees count lines from 1, and columns in bytes of UTF-8."""
        if line is None or column is None:
            raise ValueError("a node without its end")
        text = self.lines[line - 1]
        inside = column if text.isascii() else len(text.encode()[:column].decode())
        return self.starts[line - 1] + inside


def edited(text: str, edits: list[Edit]) -> str:
    """The text after edits that do not overlap."""
    for edit in sorted(edits, key=lambda one: -one.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text
