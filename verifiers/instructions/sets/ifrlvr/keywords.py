"""``keywords:*``: words that must, must not or may not often occur, and where."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import ClassVar

from verifiers.instructions.constraint import (
    Constraint,
    Count,
    Finding,
    Ordinal,
    Phrase,
    Phrases,
    Relation,
    compare_count,
)
from verifiers.instructions.english.substitution import split_sentences
from verifiers.instructions.english.words import words
from verifiers.legible import shorten


class WordOnce(Constraint):
    """The keyword occurs exactly once, case aside, also within longer words."""

    id: ClassVar[str] = "keywords:word_once"
    keyword: Phrase

    def check(self, text: str) -> Finding:
        return compare_count(occurrences(self.keyword, text), "exactly", 1, "occurrences")


class WordCountDifferentNumbers(Constraint):
    """The keyword occurs so often, case aside, also within longer words."""

    id: ClassVar[str] = "keywords:word_count_different_numbers"
    keyword: Phrase
    frequency: Count
    relation: Relation = "at least"

    def check(self, text: str) -> Finding:
        return compare_count(occurrences(self.keyword, text), self.relation, self.frequency, "occurrences")


class ExcludeWordHarder(Constraint):
    """The keyword does not occur with a blank on either side; ``instruction`` takes no part."""

    id: ClassVar[str] = "keywords:exclude_word_harder"
    keyword: Phrase
    instruction: str | None = None

    def check(self, text: str) -> Finding:
        found = f" {self.keyword} " in text
        return Finding(not found, "it occurs" if found else "it does not occur")


class NoAdjacentConsecutive(Constraint):
    """No word begins with the letter that follows the first letter of the word before it, case aside."""

    id: ClassVar[str] = "keywords:no_adjacent_consecutive"

    def check(self, text: str) -> Finding:
        for before, after in pairwise(text.split()):
            first, second = before[0].lower(), after[0].lower()
            if len(first) != 1 or len(second) != 1 or ord(second) - ord(first) == 1:
                return Finding(False, f"{shorten(before[:60])!r} is followed by {shorten(after[:60])!r}")
        return Finding(True, "no consecutive letters")


class Palindrome(Constraint):
    """A word between blanks reads the same backwards; one letter does."""

    id: ClassVar[str] = "keywords:palindrome"

    def check(self, text: str) -> Finding:
        found = next((word for word in text.split() if word == word[::-1]), None)
        return Finding(found is not None, "no palindrome" if found is None else f"palindrome {shorten(found[:60])!r}")


class KeywordSpecificPosition(Constraint):
    """The mth token of the nth sentence is the keyword, of several the first; marks of punctuation are tokens too."""

    id: ClassVar[str] = "keywords:keyword_specific_position"
    keyword: Phrase | Phrases
    n: Ordinal
    m: Ordinal

    def check(self, text: str) -> Finding:
        sentences = split_sentences(text)
        if len(sentences) < self.n:
            return Finding(False, f"{len(sentences)} sentences, wanted at least {self.n}")
        found = words(sentences[self.n - 1])[self.m - 1 : self.m]
        return Finding(found == [first(self.keyword)], f"there is {shorten(''.join(found)[:60])!r}")


class StartEnd(Constraint):
    """The first and the last of two tokens or more are the same, case aside; marks of punctuation are tokens too."""

    id: ClassVar[str] = "keywords:start_end"

    def check(self, text: str) -> Finding:
        found = words(text)
        ends = f"{shorten(found[0][:60])!r} to {shorten(found[-1][:60])!r}" if found else "no words"
        return Finding(len(found) > 1 and found[0].lower() == found[-1].lower(), ends)


class CountIncrementWord(Constraint):
    """One keyword occurs once and another twice, case aside, also within longer words."""

    id: ClassVar[str] = "count:count_increment_word"
    keyword1: Phrase
    keyword2: Phrase

    def check(self, text: str) -> Finding:
        found = occurrences(self.keyword1, text), occurrences(self.keyword2, text)
        return Finding(found == (1, 2), f"{found[0]} and {found[1]} times, wanted 1 and 2")


def first(word: str | list[str]) -> str:
    """The word, or the first of several."""
    return word if isinstance(word, str) else word[0]


def occurrences(keyword: str, text: str) -> int:
    """How often a keyword occurs, case aside, also within longer words."""
    return len(re.findall(re.escape(keyword), text, re.IGNORECASE))
