"""``detectable_format:*``, ``paragraphs:*``, ``punctuation:*``: brackets, hyphens, paragraphs, marks left out."""

from __future__ import annotations

import re
from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Finding, Ordinal, compare_count
from verifiers.instructions.english.substitution import split_sentences
from verifiers.instructions.english.words import words
from verifiers.legible import shorten

_DIVIDER = re.compile(r"\s?\*\*\*\s?")


class SentenceHyphens(Constraint):
    """Sentences are joined by hyphens without blanks, and hyphens join nothing else."""

    id: ClassVar[str] = "detectable_format:sentence_hyphens"

    def check(self, text: str) -> Finding:
        pairs = zip(text.split("-"), split_sentences(text.replace("-", " ")), strict=False)
        wrong = next((part for part, sentence in pairs if part != sentence), None)
        return Finding(wrong is None, "joined by hyphens" if wrong is None else f"no sentence: {shorten(wrong[:60])!r}")


class SquareBrackets(Constraint):
    """Each word between blanks stands in square brackets."""

    id: ClassVar[str] = "detectable_format:square_brackets"

    def check(self, text: str) -> Finding:
        wrong = next((word for word in text.split() if not (word.startswith("[") and word.endswith("]"))), None)
        return Finding(wrong is None, "in brackets" if wrong is None else f"not in brackets: {shorten(wrong[:60])!r}")


class BigramWrapping(Constraint):
    """Two by two, the words between blanks stand in ``<<`` and ``>>``; an odd last word is let pass."""

    id: ClassVar[str] = "detectable_format:bigram_wrapping"

    def check(self, text: str) -> Finding:
        found = text.split()
        for before, after in zip(found[::2], found[1::2], strict=False):
            if not (before.startswith("<<") and after.endswith(">>")):
                return Finding(False, f"not wrapped: {shorten(f'{before[:60]} {after[:60]}')!r}")
        return Finding(True, "each pair of words is wrapped")


class Paragraphs(Constraint):
    """Two paragraphs with ``***`` between them."""

    id: ClassVar[str] = "paragraphs:paragraphs"

    def check(self, text: str) -> Finding:
        return _two(_DIVIDER.split(text))


class ParagraphsByBlankLines(Constraint):
    """Two paragraphs with an empty line between them."""

    id: ClassVar[str] = "paragraphs:paragraphs2"

    def check(self, text: str) -> Finding:
        return _two(text.split("\n\n"))


class CountingComposition(Constraint):
    """Three paragraphs with ``***`` between, so many sentences in each, so many tokens in each of these."""

    id: ClassVar[str] = "count:counting_composition"
    n_sent: Ordinal
    n_words: Ordinal

    def check(self, text: str) -> Finding:
        paragraphs = [split_sentences(paragraph) for paragraph in _DIVIDER.split(text)]
        if len(paragraphs) != 3 or any(len(sentences) != self.n_sent for sentences in paragraphs):
            found = ", ".join(str(len(sentences)) for sentences in paragraphs[:20])
            return Finding(False, f"paragraphs of {found} sentences, wanted three of {self.n_sent}")
        lengths = {len(words(sentence)) for sentences in paragraphs for sentence in sentences}
        found = ", ".join(map(str, sorted(lengths)[:20]))
        return Finding(lengths == {self.n_words}, f"sentences of {found} tokens, wanted {self.n_words}")


class NoDot(Constraint):
    """No full stop at all."""

    id: ClassVar[str] = "punctuation:punctuation_dot"

    def check(self, text: str) -> Finding:
        return compare_count(text.count("."), "exactly", 0, "full stops")


class NoExclamation(Constraint):
    """No exclamation mark at all."""

    id: ClassVar[str] = "punctuation:punctuation_exclamation"

    def check(self, text: str) -> Finding:
        return compare_count(text.count("!"), "exactly", 0, "exclamation marks")


def _two(paragraphs: list[str]) -> Finding:
    """Two paragraphs; blank ones are let pass at the beginning and the end."""
    empty = [at for at, paragraph in enumerate(paragraphs) if not paragraph.strip()]
    if any(0 < at < len(paragraphs) - 1 for at in empty):
        return Finding(False, "an empty paragraph between others")
    return compare_count(len(paragraphs) - len(empty), "exactly", 2, "paragraphs")
