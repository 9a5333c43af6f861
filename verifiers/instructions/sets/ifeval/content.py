"""``detectable_content:*``: placeholders, a postscript, words kept of a paragraph."""

from __future__ import annotations

import re
from collections import Counter
from typing import ClassVar, Self

from pydantic import model_validator

from verifiers.instructions.constraint import Constraint, Count, Finding, Passage, Phrase, compare_count

_PLACEHOLDER = re.compile(r"\[[^\[\]\n]*+\]")
_WORD = re.compile(r"\w+")
_POSTSCRIPTS = {
    "p.s.": re.compile(r"p\.\s?s\."),
    "p.p.s": re.compile(r"p\.\s?p\.\s?s"),
    "p.p.s.": re.compile(r"p\.\s?p\.\s?s\."),
}


class NumberPlaceholders(Constraint):
    """At least so many placeholders such as ``[address]``; ``[ ]`` is none."""

    id: ClassVar[str] = "detectable_content:number_placeholders"
    num_placeholders: Count

    def check(self, text: str) -> Finding:
        found = sum(1 for placeholder in _PLACEHOLDER.findall(text) if placeholder[1:-1].strip())
        return compare_count(found, "at least", self.num_placeholders, "placeholders")


class Postscript(Constraint):
    """A postscript: its marker occurs, and something follows it."""

    id: ClassVar[str] = "detectable_content:postscript"
    postscript_marker: Phrase

    def check(self, text: str) -> Finding:
        marker = self.postscript_marker.lower()
        found = _POSTSCRIPTS.get(marker, re.compile(re.escape(marker))).search(text.lower())
        if found is None:
            return Finding(False, "no postscript")
        # the marker was found in lower case, whose length can differ: only whether text follows is asked of it
        follows = any(character.isalnum() for character in text.lower()[found.end() :])
        return Finding(follows, "a postscript" if follows else "an empty postscript")


class RephraseParagraph(Constraint):
    """Between ``low`` and ``high`` words of a paragraph are kept; each counts as often as it is in both."""

    id: ClassVar[str] = "detectable_content:rephrase_paragraph"
    original_paragraph: Passage
    low: Count
    high: Count

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise ValueError("low is beyond high")
        return self

    def check(self, text: str) -> Finding:
        kept = (_words(text) & _words(self.original_paragraph)).total()
        return Finding(self.low <= kept <= self.high, f"{kept} words kept, wanted {self.low} to {self.high}")


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))
