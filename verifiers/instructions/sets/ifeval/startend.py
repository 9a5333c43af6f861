"""``startend:*``, ``multi-turn:*``, ``punctuation:*``: how a response begins and ends, and no commas."""

from __future__ import annotations

import re
from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Finding, Phrase, compare_count
from verifiers.legible import shorten

_COMMA = re.compile("[,،、，﹐﹑､]")
_QUOTES = (("\"", "\""), ("“", "”"))  # fmt: skip


class EndChecker(Constraint):
    """The response ends with a phrase, case aside; a closing quotation mark may follow."""

    id: ClassVar[str] = "startend:end_checker"
    end_phrase: Phrase

    def check(self, text: str) -> Finding:
        end = text.rstrip().casefold()
        phrase = self.end_phrase.casefold()
        ended = end.endswith(phrase) or end.rstrip('"”').endswith(phrase)
        return Finding(ended, f"it ends with {shorten(text.rstrip()[-60:])!r}")


class ConstrainedStart(Constraint):
    """The response begins with a phrase."""

    id: ClassVar[str] = "multi-turn:constrained_start"
    starter: Phrase

    def check(self, text: str) -> Finding:
        return Finding(text.lstrip().startswith(self.starter), f"it begins with {shorten(text.lstrip()[:60])!r}")


class Quotation(Constraint):
    """The whole response stands in double quotation marks, straight or curly."""

    id: ClassVar[str] = "startend:quotation"

    def check(self, text: str) -> Finding:
        text = text.strip()
        wrapped = (text[0], text[-1]) in _QUOTES and bool(text[1:-1].strip())
        return Finding(wrapped, "in quotation marks" if wrapped else "not in quotation marks")


class NoComma(Constraint):
    """No comma of any script."""

    id: ClassVar[str] = "punctuation:no_comma"

    def check(self, text: str) -> Finding:
        return compare_count(len(_COMMA.findall(text)), "exactly", 0, "commas")
