"""What a checklist pays: each item once, when it is first met; nothing after a turn that lacks what it must have.

CM2's rewards (turns of several steps; required items end a conversation). Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from judges.checklist.items import Checklist


@dataclass(slots=True)
class Tally:
    """``step_scores`` has one number a step that was judged, ``turn_scores`` one a turn."""

    checklist: Checklist
    step_scores: list[float] = field(default_factory=list)
    turn_scores: list[float] = field(default_factory=list)
    _met: set[int] = field(default_factory=set)

    def begin(self) -> None:
        """The next turn begins."""
        self.turn_scores.append(0.0)
        self._met = set()

    @property
    def turn(self) -> int:
        return len(self.turn_scores) - 1

    @property
    def open(self) -> list[int]:
        """The items of this turn that are not met yet."""
        return [place for place in range(len(self.checklist.turns[self.turn])) if place not in self._met]

    def step(self, met: Sequence[int]) -> None:
        """Items that a step meets; those that were met before pay nothing."""
        weights = self.checklist.weights(self.turn)
        paid = [place for place in met if place not in self._met]
        self._met.update(paid)
        score = sum(weights[place] for place in paid)
        self.step_scores.append(score)
        self.turn_scores[-1] += score

    @property
    def lacking(self) -> bool:
        """Whether this turn, as it stands, lacks a required item."""
        items = self.checklist.turns[self.turn]
        return any(items[place].required for place in self.open)

    @property
    def score(self) -> float:
        """The mean over the turns that have items; one that was not reached earns nothing."""
        paid = [place for place, items in enumerate(self.checklist.turns) if items]
        return sum(self.turn_scores[place] for place in paid if place < len(self.turn_scores)) / len(paid)
