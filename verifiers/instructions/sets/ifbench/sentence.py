"""``sentence:*``: what sentence has which words."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, ClassVar

from pydantic import StringConstraints

from verifiers.instructions.constraint import Count, Finding, Ordinal
from verifiers.instructions.english.plain import bare, trim_left
from verifiers.instructions.sets.ifbench.sentenced import Sentenced
from verifiers.legible import shorten


class AlliterationIncrement(Sentenced):
    """Each sentence has more words in runs with the same first letter than the one before."""

    id: ClassVar[str] = "sentence:alliteration_increment"

    def check(self, text: str) -> Finding:
        runs = [_alliterating(sentence) for sentence in self.sentences(text)]
        return _growing(runs, all(after > before for before, after in pairwise(runs)), "alliterating words")


class Keyword(Sentenced):
    """A keyword occurs in the Nth sentence, case aside, also within longer words."""

    id: ClassVar[str] = "sentence:keyword"
    word: Annotated[str, StringConstraints(min_length=1, max_length=500)]
    N: Ordinal

    def check(self, text: str) -> Finding:
        sentences = self.sentences(text)
        if len(sentences) < self.N:
            return Finding(False, f"{len(sentences)} sentences, wanted at least {self.N}")
        sentence = sentences[self.N - 1]
        return Finding(self.occurs(sentence), f"sentence {self.N} is {shorten(sentence[:100])!r}")

    def occurs(self, sentence: str) -> bool:
        """Whether the keyword is in a sentence."""
        return self.word.lower() in sentence.lower()


class Increment(Sentenced):
    """Each sentence has exactly so many more words than the one before."""

    id: ClassVar[str] = "sentence:increment"
    small_n: Count

    def check(self, text: str) -> Finding:
        lengths = [len(bare(sentence).split()) for sentence in self.sentences(text)]
        steady = all(after == before + self.small_n for before, after in pairwise(lengths))
        return _growing(lengths, steady, "words")


def _growing(found: list[int], followed: bool, noun: str) -> Finding:
    more = ", ..." if len(found) > 20 else ""
    return Finding(followed, f"sentences with {', '.join(map(str, found[:20]))}{more} {noun}")


def _alliterating(sentence: str) -> int:
    """How many words stand in runs of the same first letter."""
    initials = [word[0] for word in map(trim_left, sentence.lower().split()) if word]
    alike = [first == second for first, second in pairwise(initials)]
    return sum(same if before else 2 * same for before, same in zip([False, *alike], alike, strict=False))
