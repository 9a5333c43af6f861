"""``keywords:*``: words, letters and sentences that must or must not occur. Case never counts."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from verifiers.instructions.constraint import Constraint, Count, Finding, Phrase, Phrases, Relation, compare_count
from verifiers.instructions.english.sentences import sentences
from verifiers.legible import shorten


class Existence(Constraint):
    """Every keyword occurs, also within longer words, as IFEval has it."""

    id: ClassVar[str] = "keywords:existence"
    keywords: Phrases

    def check(self, text: str) -> Finding:
        folded = text.casefold()
        missing = [word for word in self.keywords if word.casefold() not in folded]
        return Finding(not missing, _listed("missing", missing))


class Frequency(Constraint):
    """A keyword occurs so often, also within longer words, as IFEval has it."""

    id: ClassVar[str] = "keywords:frequency"
    keyword: Phrase
    frequency: Count
    relation: Relation = "at least"

    def check(self, text: str) -> Finding:
        found = text.casefold().count(self.keyword.casefold())
        return compare_count(found, self.relation, self.frequency, "occurrences")


class ForbiddenWords(Constraint):
    """None of the words occurs as a word of its own."""

    id: ClassVar[str] = "keywords:forbidden_words"
    forbidden_words: Phrases

    def check(self, text: str) -> Finding:
        folded = text.casefold()
        present = [word for word in self.forbidden_words if _is_word_of(folded, word.casefold())]
        return Finding(not present, _listed("present", present))


class LetterFrequency(Constraint):
    """A letter, or any one character, occurs so often."""

    id: ClassVar[str] = "keywords:letter_frequency"
    letter: Annotated[str, Field(min_length=1, max_length=1)]
    let_frequency: Count
    let_relation: Relation = "at least"

    def check(self, text: str) -> Finding:
        return compare_count(
            text.lower().count(self.letter.lower()), self.let_relation, self.let_frequency, "occurrences"
        )


class KeySentences(Constraint):
    """Exactly so many of the given sentences stand in the response, each as a sentence of its own."""

    id: ClassVar[str] = "keywords:key_sentences"
    key_sentences: Phrases
    num_sentences: Count

    def check(self, text: str) -> Finding:
        there = {_folded(sentence) for sentence in sentences(text)}
        found = len({_folded(sentence) for sentence in self.key_sentences} & there)
        return compare_count(found, "exactly", self.num_sentences, "of the sentences")


def _folded(sentence: str) -> str:
    return " ".join(sentence.casefold().split())


def _is_word_of(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        if not (_inside_word(text, at) or _inside_word(text, at + len(word))):
            return True
        at = text.find(word, at + 1)
    return False


def _inside_word(text: str, at: int) -> bool:
    """Whether the place before index ``at`` is within a word."""
    return 0 < at < len(text) and _is_letter(text[at - 1]) and _is_letter(text[at])


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


def _listed(said: str, words: list[str]) -> str:
    return f"{said}: {shorten(', '.join(words))}" if words else f"none {said}"
