"""What models were asked since the start, what they read and wrote for it, and what that cost.

An answer that is shared, kept from before or joined on its way, costs nothing and is counted apart. Not covered: what
a server charges for questions that were given up, of which it tells nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

from judges.asking import Usage
from judges.questions import Answer
from trueward.wire.model import ModelEntry

Had = Literal["asked", "shared"]
Direction = Literal["read", "written"]


class UsageTally:
    """By model: ``unreadable`` counts replies that were outside of the form that was asked for."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, Had]] = Counter()
        self.unreadable: Counter[str] = Counter()
        self.tokens: Counter[tuple[str, Direction]] = Counter()
        self.cost: dict[str, float] = {}

    def record_asked(self, entry: ModelEntry, answer: Answer) -> None:
        usage = Usage.of(entry, answer)
        self.answers[entry.name, "asked"] += 1
        self.tokens[entry.name, "read"] += usage.read
        self.tokens[entry.name, "written"] += usage.written
        self.cost[entry.name] = self.cost.get(entry.name, 0.0) + usage.cost

    def record_shared(self, entry: ModelEntry) -> None:
        self.answers[entry.name, "shared"] += 1
