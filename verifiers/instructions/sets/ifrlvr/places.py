"""``first_word:*``, ``last_word:*``: the word with which sentences or the response begin or end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Finding, Phrase, Phrases
from verifiers.instructions.english.substitution import split_sentences
from verifiers.instructions.sets.ifrlvr.keywords import first
from verifiers.legible import shorten

_MARK = re.compile(r"[^\w\s]")


class FirstWordSentence(Constraint):
    """Each sentence begins with the word, of several the first, case aside."""

    id: ClassVar[str] = "first_word:first_word_sent"
    first_word: Phrase | Phrases

    def check(self, text: str) -> Finding:
        return _all((_first(sentence) for sentence in split_sentences(text)), first(self.first_word))


class FirstWordAnswer(Constraint):
    """The response begins with the word, case aside."""

    id: ClassVar[str] = "first_word:first_word_answer"
    first_word: Phrase

    def check(self, text: str) -> Finding:
        return _all([_first(text)], self.first_word)


class LastWordSentence(Constraint):
    """Each sentence ends with the word, of several the first, case and marks aside."""

    id: ClassVar[str] = "last_word:last_word_sent"
    last_word: Phrase | Phrases

    def check(self, text: str) -> Finding:
        return _all((_last(sentence) for sentence in split_sentences(text)), first(self.last_word))


class LastWordAnswer(Constraint):
    """The response ends with the word, case and marks aside."""

    id: ClassVar[str] = "last_word:last_word_answer"
    last_word: Phrase

    def check(self, text: str) -> Finding:
        return _all([_last(text)], self.last_word)


def _first(text: str) -> str | None:
    """The first word between blanks, None where there is none."""
    return next(iter(text.split(maxsplit=1)), None)


def _last(text: str) -> str | None:
    """The last word between blanks without marks, None where there is none."""
    last = text.rsplit(maxsplit=1)
    return _MARK.sub("", last[-1]) if last else None


def _all(found: Iterable[str | None], wanted: str) -> Finding:
    for word in found:
        if word is None or word.lower() != wanted.lower():
            return Finding(False, f"{shorten((word or '')[:60])!r} instead of {shorten(wanted)!r}")
    return Finding(True, shorten(wanted))
