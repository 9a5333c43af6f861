"""``count:*``, ``letters:*``: words in small letters, words that occur again, letters."""

from __future__ import annotations

import re
from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Count, Finding, Relation, compare_count
from verifiers.instructions.english.words import words
from verifiers.instructions.sets.ifeval.keywords import LetterFrequency

_SMALL = re.compile(r"\b[a-z]+\b")
_LETTER = re.compile("[a-zA-Z]")


class LowercaseCounting(Constraint):
    """At most so many words of small letters from a to z alone."""

    id: ClassVar[str] = "count:lowercase_counting"
    N: Count

    def check(self, text: str) -> Finding:
        return compare_count(len(_SMALL.findall(text)), "at most", self.N, "words in small letters")


class CountUnique(Constraint):
    """No token occurs twice, marks of punctuation being tokens too."""

    id: ClassVar[str] = "count:count_unique"

    def check(self, text: str) -> Finding:
        found = words(text)
        return compare_count(len(found) - len(set(found)), "exactly", 0, "tokens that occur again")


class LetterCounting(Constraint):
    """So many letters from a to z, small or capital."""

    id: ClassVar[str] = "letters:letter_counting"
    N: Count
    relation: Relation = "at least"

    def check(self, text: str) -> Finding:
        return compare_count(len(_LETTER.findall(text)), self.relation, self.N, "letters")


class LetterCounting2(LetterFrequency):
    """The letter, or any one character, occurs so often, case aside."""

    id: ClassVar[str] = "letters:letter_counting2"
