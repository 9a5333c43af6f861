"""``count:*``: words, numbers, names, pronouns, conjunctions, marks and keywords that are counted."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import StringConstraints

from verifiers.instructions.constraint import Constraint, Count, Finding, Ordinal, compare_count
from verifiers.instructions.english.plain import bare, bare_words, trim
from verifiers.legible import shorten

Keyword = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_CONJUNCTIONS = frozenset(["and", "but", "for", "nor", "or", "so", "yet"])
_PERSONAL = """
    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves
"""
PRONOUNS = frozenset(_PERSONAL.split())
_LISTED = """
    Emma Liam Sophia Jackson Olivia Noah Ava Lucas Isabella Mason Mia Ethan Charlotte Alexander Amelia Benjamin
    Harper Leo Zoe Daniel Chloe Samuel Lily Matthew Grace Owen Abigail Gabriel Ella Jacob Scarlett Nathan Victoria
    Elijah Layla Nicholas Audrey David Hannah Christopher Penelope Thomas Nora Andrew Aria Joseph Claire Ryan Stella
    Jonathan
"""
NAMES = tuple(_LISTED.split())
TIMES = (1, 2, 3, 5, 7)
"""How often each of five keywords is to occur."""


class WordCountRange(Constraint):
    """Between so many and so many runs of letters and digits."""

    id: ClassVar[str] = "count:word_count_range"
    min_words: Count
    max_words: Count

    def check(self, text: str) -> Finding:
        found = len(_WORD.findall(text))
        within = self.min_words <= found <= self.max_words
        return Finding(within, f"{found} words, wanted {self.min_words} to {self.max_words}")


class UniqueWordCount(Constraint):
    """At least so many different words between blanks, case and outer punctuation aside."""

    id: ClassVar[str] = "count:unique_word_count"
    N: Count

    def check(self, text: str) -> Finding:
        return compare_count(len({trim(word) for word in text.lower().split()}), "at least", self.N, "different words")


class Conjunctions(Constraint):
    """At least so many different coordinating conjunctions; spellings with other case or marks count as different."""

    id: ClassVar[str] = "count:conjunctions"
    small_n: Count

    def check(self, text: str) -> Finding:
        found = {word for word in text.split() if trim(word).lower() in _CONJUNCTIONS}
        return compare_count(len(found), "at least", self.small_n, "conjunctions")


class PersonNames(Constraint):
    """At least so many of the fifty names of the list, also within longer words."""

    id: ClassVar[str] = "count:person_names"
    N: Count

    def check(self, text: str) -> Finding:
        return compare_count(sum(name in text for name in NAMES), "at least", self.N, "of the names")


class Numbers(Constraint):
    """Exactly so many runs of digits once punctuation is removed: 1,000.5 is one."""

    id: ClassVar[str] = "count:numbers"
    N: Count

    def check(self, text: str) -> Finding:
        return compare_count(len(_NUMBER.findall(bare(text))), "exactly", self.N, "numbers")


class Punctuation(Constraint):
    """Each of ``. , ! ? ; :`` and, beside them, an interrobang: ``?!``, ``!?`` or ``‽``."""

    id: ClassVar[str] = "count:punctuation"

    def check(self, text: str) -> Finding:
        if not any(mark in text for mark in ("?!", "!?", "‽")):
            return Finding(False, "no interrobang")
        rest = text.replace("?!" if "?!" in text else "!?", "", 1)
        missing = [mark for mark in ".,!?;:" if mark not in rest]
        return Finding(not missing, f"missing: {' '.join(missing)}" if missing else "every mark")


class Japanese(Constraint):
    """Every Nth word between blanks has a Japanese character; numbers and bare punctuation are let pass."""

    id: ClassVar[str] = "count:words_japanese"
    N: Ordinal

    def check(self, text: str) -> Finding:
        for word in map(trim, text.split()[self.N - 1 :: self.N]):
            if word and not word.isdigit() and not _JAPANESE.search(word):
                return Finding(False, f"not Japanese: {shorten(word[:60])}")
        return Finding(True, f"each {self.N}th word is Japanese")


class Pronouns(Constraint):
    """At least so many personal, possessive and reflexive pronouns: ``she/her`` has two, ``it's`` is ``its``."""

    id: ClassVar[str] = "count:pronouns"
    N: Count

    def check(self, text: str) -> Finding:
        found = sum(word in PRONOUNS for word in bare_words(text.replace("/", " ")))
        return compare_count(found, "at least", self.N, "pronouns")


class KeywordsMultiple(Constraint):
    """Five keywords occur once, twice, three, five and seven times, also within longer words, case aside."""

    id: ClassVar[str] = "count:keywords_multiple"
    keyword1: Keyword
    keyword2: Keyword
    keyword3: Keyword
    keyword4: Keyword
    keyword5: Keyword

    def check(self, text: str) -> Finding:
        return self.compare_counts(text.lower().count(keyword.lower()) for keyword in self.keywords())

    def keywords(self) -> tuple[str, ...]:
        return self.keyword1, self.keyword2, self.keyword3, self.keyword4, self.keyword5

    def compare_counts(self, counts: Iterable[int]) -> Finding:
        """The finding for how often each keyword occurs."""
        found = tuple(counts)
        return Finding(found == TIMES, f"{', '.join(map(str, found))} times, wanted 1, 2, 3, 5, 7")
