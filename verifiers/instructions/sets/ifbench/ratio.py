"""``ratio:*``: shares of words, sentences and trigrams."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Finding, Percentage, Verbatim
from verifiers.instructions.english.lexicon import lexicon
from verifiers.instructions.sets.ifbench.sentenced import Sentenced

_WORD = re.compile(r"\w+")
_TOLERANCE = 2


class StopWords(Constraint):
    """At most so many per cent of the words are stop words. No word at all does not follow it."""

    id: ClassVar[str] = "ratio:stop_words"
    percentage: Percentage

    def check(self, text: str) -> Finding:
        found = _WORD.findall(text)
        if not found:
            return Finding(False, "no words")
        stop = lexicon("stop_words.txt")["stop"]
        share = sum(word.lower() in stop for word in found) / len(found) * 100
        return Finding(share <= self.percentage, f"{share:.1f}% stop words, wanted at most {self.percentage:g}%")


class SentenceType(Sentenced):
    """Twice as many sentences end with a full stop as with a question mark."""

    id: ClassVar[str] = "ratio:sentence_type"

    def check(self, text: str) -> Finding:
        ends = _ends(self.sentences(text))
        return Finding(ends["."] == 2 * ends["?"], f"{ends['.']} end with '.', {ends['?']} with '?'")


class SentenceBalance(Sentenced):
    """As many sentences end with a full stop as with a question mark and as with an exclamation mark."""

    id: ClassVar[str] = "ratio:sentence_balance"

    def check(self, text: str) -> Finding:
        ends = _ends(self.sentences(text))
        said = f"{ends['.']} end with '.', {ends['?']} with '?', {ends['!']} with '!'"
        return Finding(ends["."] == ends["?"] == ends["!"], said)


class SentenceWords(Sentenced):
    """Three sentences of the same number of characters."""

    id: ClassVar[str] = "ratio:sentence_words"

    def check(self, text: str) -> Finding:
        sentences = self.sentences(text)
        if len(sentences) != 3:
            return Finding(False, f"{len(sentences)} sentences, wanted exactly 3")
        lengths = [len(sentence.strip()) for sentence in sentences]
        return Finding(len(set(lengths)) == 1, f"sentences of {', '.join(map(str, lengths))} characters")


class Overlap(Sentenced):
    """So many per cent, give or take 2, of the different trigrams of characters occur in the reference text."""

    id: ClassVar[str] = "ratio:overlap"
    reference_text: Verbatim
    percentage: Percentage

    def check(self, text: str) -> Finding:
        return self.compare_trigrams(text, self.reference_text)

    def compare_trigrams(self, text: Sequence[str], reference: Sequence[str]) -> Finding:
        """The finding for the trigrams of two sequences of characters or words."""
        mine, theirs = _trigrams(text), _trigrams(reference)
        if not mine:
            return Finding(False, "no trigrams")
        share = len(mine & theirs) / len(mine) * 100
        within = self.percentage - _TOLERANCE <= share <= self.percentage + _TOLERANCE
        return Finding(within, f"{share:.1f}% of the trigrams, wanted {self.percentage:g}% give or take {_TOLERANCE}")


def _trigrams(items: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(items, items[1:], items[2:], strict=False))


def _ends(sentences: list[str]) -> Counter[str]:
    """How many sentences end with which character."""
    return Counter(sentence[-1:] for sentence in sentences)
