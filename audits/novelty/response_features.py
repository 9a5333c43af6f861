"""A response as it is compared: its words, the form of its answer and of its last line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rewards.noise.form import answer_form

LONGEST = 2_000
"""Characters of a response that are read: one half from its beginning, the other from its end."""
# only what is a number begins with a digit
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|\\[A-Za-z]+|[^\w\s]")
_REPEAT = re.compile(r"((?:\S+ ){1,3}?)\1{2,}")
_SHAPE = 60
_ENDING = 160


@dataclass(frozen=True)
class ResponseFeatures:
    """``reason`` is the outcome with its reason code, ``answer`` what a verifier read, None where it read nothing.
    Responses of one ``group`` answer the same prompt at the same step."""

    record: str
    group: str
    step: int | None
    text: str
    reason: str
    answer: str | None
    reward: float | None

    @cached_property
    def words(self) -> list[str]:
        """In order and in lower case, a number as ``#``, each mark of punctuation by itself."""
        half = LONGEST // 2
        text = self.text if len(self.text) <= LONGEST else f"{self.text[:half]}\n{self.text[-half:]}"
        found = _WORD.findall(text)
        # one object a word, so that phrases of it are compared at once
        plain = {word: "#" if word[0].isdecimal() else word.lower() for word in set(found)}
        return list(map(plain.__getitem__, found))

    @property
    def ending(self) -> str:
        """What a person is shown of it: answers stand at the end."""
        return self.text.rstrip()[-_ENDING:]

    @property
    def forms(self) -> list[str]:
        """Of its answer, where there is one, and of its last line."""
        found = [] if self.answer is None else [f"answer: {answer_form(self.answer)}"]
        return [*found, f"last line: {_shape(self.text)}"]


def phrases_of(words: Sequence[str], size: int) -> set[tuple[str, ...]]:
    """So many words in a row, wherever they stand."""
    return set(zip(*(words[start:] for start in range(size)), strict=False))


def _shape(text: str) -> str:
    """The last line that is not blank, with numbers as ``#`` and words as ``w``; what repeats itself is shortened."""
    line = text[-LONGEST:].rstrip().rpartition("\n")[2].strip()
    if not line:
        return "empty"
    words = _WORD.findall(line[-LONGEST // 10 :])
    return _shorten(" ".join("#" if one[0].isdecimal() else "w" if one.isalpha() else one for one in words))


@lru_cache(maxsize=1_000)
def _shorten(kinds: str) -> str:
    """ "w w w w" and "# , # , # ," say no more than that words or numbers follow each other. Few lines differ in their
    kinds, and this takes longest of all that is done with a line."""
    return _REPEAT.sub("\\1\u2026 ", kinds + " ")[:_SHAPE].rstrip()
