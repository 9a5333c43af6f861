"""``words:*``: letters, lengths, syllables and places of words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from string import ascii_lowercase
from typing import ClassVar

import syllapy

from verifiers.instructions.constraint import Constraint, Count, Finding, Ordinal, Phrase, compare_count
from verifiers.instructions.english.plain import bare, bare_words, trim, trim_left, trim_right
from verifiers.instructions.english.verbs import begins_with_verb
from verifiers.instructions.english.words import words
from verifiers.instructions.sets.ifbench.sentenced import Sentenced
from verifiers.legible import shorten

_CLUSTER = re.compile("[bcdfghjklmnpqrstvwxyz]{2}")
_PRIMES = frozenset(n for n in range(2, 98) if all(n % divisor for divisor in range(2, n)))
_OPENING = 500
"""Characters at the beginning of a text that hold its first words."""


class Alphabet(Constraint):
    """Each word begins with the letter of the alphabet that follows the one before, ``a`` after ``z``."""

    id: ClassVar[str] = "words:alphabet"

    def check(self, text: str) -> Finding:
        found = bare(text).split()
        if not found or found[0][0].lower() not in ascii_lowercase:
            return Finding(False, "it does not begin with a letter from a to z")
        start = ascii_lowercase.index(found[0][0].lower())
        return _each(found, lambda at, word: not at or word.lower()[0] == ascii_lowercase[(start + at) % 26])


class Vowel(Constraint):
    """One line with at most three different vowels."""

    id: ClassVar[str] = "words:vowel"

    def check(self, text: str) -> Finding:
        if "\n" in text.strip():
            return Finding(False, "more than one line")
        return compare_count(len(set("aeiou") & set(text.lower())), "at most", 3, "different vowels")


class Consonants(Constraint):
    """Each word has two consonants next to each other."""

    id: ClassVar[str] = "words:consonants"

    def check(self, text: str) -> Finding:
        return _each(text.lower().split(), lambda _, word: _CLUSTER.search(word) is not None)


class Palindrome(Constraint):
    """At least ten words of five letters or more that read the same backwards."""

    id: ClassVar[str] = "words:palindrome"

    def check(self, text: str) -> Finding:
        found = sum(len(word) >= 5 and word == word[::-1] for word in bare(text).lower().split())
        return compare_count(found, "at least", 10, "palindromes")


class PrimeLengths(Constraint):
    """The length of each word is a prime number below 100."""

    id: ClassVar[str] = "words:prime_lengths"

    def check(self, text: str) -> Finding:
        return _each(bare(text).split(), lambda _, word: len(word) in _PRIMES)


class StartVerb(Constraint):
    """The first word is a verb."""

    id: ClassVar[str] = "words:start_verb"

    def check(self, text: str) -> Finding:
        opening = words(text[:_OPENING])
        return Finding(begins_with_verb(opening), f"it begins with {shorten(' '.join(opening[:2]))!r}")


class Repeats(Constraint):
    """No word occurs more than so many times, case and punctuation aside."""

    id: ClassVar[str] = "words:repeats"
    small_n: Count

    def check(self, text: str) -> Finding:
        [(word, times)] = Counter(bare_words(text)).most_common(1) or [("", 0)]
        return Finding(times <= self.small_n, f"{shorten(word[:60])!r} {times} times, wanted at most {self.small_n}")


class OddEvenSyllables(Constraint):
    """Words with odd and with even numbers of syllables alternate."""

    id: ClassVar[str] = "words:odd_even_syllables"

    def check(self, text: str) -> Finding:
        found = bare_words(text)
        odd = [syllapy.count(word) % 2 for word in found]
        return _each(found, lambda at, _: not at or odd[at] != odd[at - 1])


class LastFirst(Sentenced):
    """Each sentence begins with the last word of the one before, case and outer punctuation aside."""

    id: ClassVar[str] = "words:last_first"

    def check(self, text: str) -> Finding:
        for before, after in pairwise(self.sentences(text)):
            last, first = trim_right(before).lower().split()[-1:], trim_left(after).lower().split()[:1]
            if not last or last != first:
                return Finding(
                    False, f"{shorten(' '.join(last)[:60])!r} is followed by {shorten(' '.join(first)[:60])!r}"
                )
        return Finding(True, "each begins as the one before ends")


class ParagraphLastFirst(Constraint):
    """Each line ends with the word it begins with, case and outer punctuation aside."""

    id: ClassVar[str] = "words:paragraph_last_first"

    def check(self, text: str) -> Finding:
        for line in text.split("\n"):
            found = trim(line.strip().lower()).split()
            if found and found[0] != found[-1]:
                return Finding(False, f"{shorten(found[0][:60])!r} to {shorten(found[-1][:60])!r}")
        return Finding(True, "each line ends with its first word")


class NoConsecutive(Constraint):
    """No two words in a row begin with the same letter."""

    id: ClassVar[str] = "words:no_consecutive"

    def check(self, text: str) -> Finding:
        found = bare_words(text)
        return _each(found, lambda at, word: not at or word[0] != found[at - 1][0])


class KeywordsSpecificPosition(Sentenced):
    """The mth token of the nth sentence is the keyword; marks of punctuation are tokens too."""

    id: ClassVar[str] = "words:keywords_specific_position"
    keyword: Phrase
    n: Ordinal
    m: Ordinal

    def check(self, text: str) -> Finding:
        sentences = self.sentences(text)
        if len(sentences) < self.n:
            return Finding(False, f"{len(sentences)} sentences, wanted at least {self.n}")
        found = self.tokens(sentences[self.n - 1])[self.m - 1 : self.m]
        return Finding(found == [self.spell_keyword()], f"there is {shorten(''.join(found)[:60])!r}")

    def tokens(self, sentence: str) -> list[str]:
        """What counts as the words of a sentence; a sentence is split once more, as the official checker does."""
        return words(sentence)

    def spell_keyword(self) -> str:
        """The keyword as tokens spell it."""
        return self.keyword


class WordsPosition(Constraint):
    """The second token and the last but one are the keyword; marks of punctuation are tokens too."""

    id: ClassVar[str] = "words:words_position"
    keyword: Phrase

    def check(self, text: str) -> Finding:
        found = words(text)
        return Finding(len(found) > 1 and found[1] == found[-2] == self.keyword, places(found))


def places(found: list[str]) -> str:
    """The second word and the last but one, in words."""
    return f"{shorten(found[1])!r} and {shorten(found[-2])!r}" if len(found) > 1 else "fewer than two words"


def _each(found: list[str], holds: Callable[[int, str], bool]) -> Finding:
    """The finding that something holds of each word, or the first of which it does not."""
    broken = next((word for at, word in enumerate(found) if not holds(at, word)), None)
    return Finding(broken is None, "each of the words" if broken is None else f"not {shorten(broken[:60])!r}")
