"""``change_case:*``: all capitals, no capitals, so many words in capitals. The language is not checked."""

from __future__ import annotations

import re
from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Count, Finding, Relation, compare_count

_WORD = re.compile(r"\w+(?:[-'’.&]\w+)*+")


class CapitalWordFrequency(Constraint):
    """So many words all in capitals; ``I``, ``U.S`` and ``WELL-KNOWN`` are each one."""

    id: ClassVar[str] = "change_case:capital_word_frequency"
    capital_frequency: Count
    capital_relation: Relation = "at least"

    def check(self, text: str) -> Finding:
        found = sum(1 for word in _WORD.finditer(text) if word[0].isupper())
        return compare_count(found, self.capital_relation, self.capital_frequency, "words in capitals")


class EnglishCapital(Constraint):
    """Every letter that has a case is a capital, and there is one."""

    id: ClassVar[str] = "change_case:english_capital"

    def check(self, text: str) -> Finding:
        return _without(text, small=True)


class EnglishLowercase(Constraint):
    """No letter is a capital, and there is a small one."""

    id: ClassVar[str] = "change_case:english_lowercase"

    def check(self, text: str) -> Finding:
        return _without(text, small=False)


def _without(text: str, *, small: bool) -> Finding:
    noun = "small letters" if small else "capitals"
    found = sum(1 for letter in text if (letter.islower() if small else letter.isupper()))
    followed = text.isupper() if small else text.islower()
    return Finding(followed, f"{found} {noun}, wanted none" if found or followed else "no letters")
