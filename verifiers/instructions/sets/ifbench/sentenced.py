"""What the constraints on sentences have in common: how a text is split into them."""

from __future__ import annotations

from typing import ClassVar

from verifiers.instructions.constraint import Constraint
from verifiers.instructions.english import punkt, substitution


class Sentenced(Constraint):
    """A constraint on sentences, which the checker as first released finds by substitution."""

    def sentences(self, text: str) -> list[str]:
        """The sentences of a text, in order."""
        return substitution.split_sentences(text)


class Today(Sentenced):
    """The same, with the sentences that Punkt finds."""

    revised: ClassVar[bool] = True

    def sentences(self, text: str) -> list[str]:
        return punkt.split_sentences(text)
