"""What asking took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass

from pydantic import JsonValue

from judges.questions import Answer
from trueward.wire.model import ModelEntry


@dataclass(frozen=True, slots=True)
class Usage:
    """``calls`` that were answered, ``malformed`` those of them that could not be read, tokens ``read`` and
    ``written``, and their ``cost`` by the model's price."""

    calls: int = 0
    malformed: int = 0
    read: int = 0
    written: int = 0
    cost: float = 0.0

    @classmethod
    def of(cls, entry: ModelEntry, answer: Answer, *, malformed: bool = False) -> Usage:
        cost = entry.price.of(answer.tokens, answer.written, answer.cached) if entry.price is not None else 0.0
        return cls(1, int(malformed), answer.tokens, answer.written, cost)

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def evidence(self) -> dict[str, JsonValue]:
        """As a verdict's evidence has it, under ``usage``."""
        return {
            "calls": self.calls,
            "malformed": self.malformed,
            "tokens_read": self.read,
            "tokens_written": self.written,
            "cost": self.cost,
        }


def total(usages: Iterable[Usage]) -> Usage:
    return sum(usages, Usage())
