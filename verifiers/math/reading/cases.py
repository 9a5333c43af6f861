r"""``\begin{cases}``: a system of equations, line by line, or a function in pieces, each with its condition.

How functions in pieces are compared is in :mod:`verifiers.math.piecewise`.
"""

from __future__ import annotations

import re

_ENVIRONMENT = re.compile(
    r"(?:\\\{\s?)?\\begin\s?\{(cases|dcases|rcases|aligned|array|matrix)\}(?:\s?\{[clr\s]*\})?(.*)\\end\s?\{\1\}",
    re.DOTALL,
)
_LINE = re.compile(r"\\\\(?:\s?\[[^\]]{0,10}\])?")
_WORDS = re.compile(r"\\text\s?\{\s?(?:if|for|when|where)\s?([^{}]*)\}|\b(?:if|for|when)\b", re.IGNORECASE)
_OTHERWISE = re.compile(r"\\text\s?\{\s?(?:otherwise|else)\s?\.?\}|otherwise|else", re.IGNORECASE)
MOST_LINES = 12
OTHERWISE = "otherwise"


def lines(text: str) -> list[str] | None:
    """The lines of a text that is one such environment, else None."""
    found = _ENVIRONMENT.fullmatch(text.strip()) if "\\begin" in text else None
    if found is None:
        return None
    written = [line.strip(" ,;.") for line in _LINE.split(found[2]) if line.strip(" ,;.")]
    return written if 1 <= len(written) <= MOST_LINES else None


def system(text: str) -> tuple[str, ...] | None:
    """The equations of a system, else None."""
    written = lines(text)
    if written is None or any("&" in line.replace("&=", "=") for line in written):
        return None
    return tuple(line.replace("&", "") for line in written) if any("=" in line for line in written) else None


def pieces(text: str) -> tuple[tuple[str, str], ...] | None:
    """(expression, condition) of each piece, else None; the last condition may be :data:`OTHERWISE`."""
    written = lines(text)
    if written is None:
        return None
    found = [_columns(line) for line in written]
    if any(len(parts) != 2 or not all(parts) for parts in found):
        return None
    return tuple((parts[0], _condition(parts[1])) for parts in found)


def _columns(line: str) -> tuple[str, ...]:
    """Value and condition; "if" may stand in a column of its own, or in the value's."""
    if "&" not in line:
        said = _WORDS.search(line) or _OTHERWISE.search(line)
        return (line[: said.start()].strip(" ,"), line[said.start() :].strip(" ,")) if said else (line,)
    parts = [part.strip(" ,") for part in line.split("&")]
    return (parts[0], " ".join(part for part in parts[1:] if part))


def _condition(text: str) -> str:
    return OTHERWISE if _OTHERWISE.fullmatch(text) else _WORDS.sub(r"\1", text).strip(" ,")
