"""``length_constraints:*``: numbers of words, sentences and paragraphs."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from verifiers.instructions.constraint import Constraint, Count, Finding, Phrase, Relation, compare_count
from verifiers.instructions.english.sentences import sentences
from verifiers.legible import shorten

_WORD = re.compile(r"\w+")
_ENDS_FIRST_WORD = re.compile(r"[.,?!'\":;]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*+\n")


class NumberWords(Constraint):
    """So many words; a word is a run of letters, digits and underscores, so ``don't`` has two."""

    id: ClassVar[str] = "length_constraints:number_words"
    num_words: Count
    relation: Relation = "at least"

    def check(self, text: str) -> Finding:
        return compare_count(sum(1 for _ in _WORD.finditer(text)), self.relation, self.num_words, "words")


class NumberSentences(Constraint):
    """So many sentences, by the rules of :mod:`verifiers.instructions.english.sentences`."""

    id: ClassVar[str] = "length_constraints:number_sentences"
    num_sentences: Count
    relation: Relation = "at least"

    def check(self, text: str) -> Finding:
        return compare_count(len(sentences(text)), self.relation, self.num_sentences, "sentences")


class NumberParagraphs(Constraint):
    """Exactly so many paragraphs between dividers ``***``, none of them empty."""

    id: ClassVar[str] = "length_constraints:number_paragraphs"
    num_paragraphs: Count

    def check(self, text: str) -> Finding:
        paragraphs = [part.strip() for part in text.split("***")]
        inner = paragraphs[bool(not paragraphs[0]) : len(paragraphs) - bool(not paragraphs[-1])]
        if not all(inner):
            return Finding(False, "an empty paragraph between two dividers")
        return compare_count(len(inner), "exactly", self.num_paragraphs, "paragraphs")


class NthParagraphFirstWord(Constraint):
    """Exactly so many paragraphs between blank lines, and the nth (from 1) begins with a given word."""

    id: ClassVar[str] = "length_constraints:nth_paragraph_first_word"
    num_paragraphs: Count
    nth_paragraph: Annotated[Count, Field(ge=1)]
    first_word: Phrase

    @model_validator(mode="after")
    def _exists(self) -> Self:
        if self.nth_paragraph > self.num_paragraphs:
            raise ValueError("nth_paragraph is beyond num_paragraphs")
        return self

    def check(self, text: str) -> Finding:
        paragraphs = [part for part in _BLANK_LINE.split(text) if part.strip()]
        number = compare_count(len(paragraphs), "exactly", self.num_paragraphs, "paragraphs")
        if not number.followed:
            return number
        first = paragraphs[self.nth_paragraph - 1].split(maxsplit=1)[0].lstrip("'\"“‘*_")
        word = _ENDS_FIRST_WORD.split(first, maxsplit=1)[0].rstrip("*_”’")
        return Finding(
            word.casefold() == self.first_word.casefold(),
            f"paragraph {self.nth_paragraph} begins with {shorten(word)!r}",
        )
