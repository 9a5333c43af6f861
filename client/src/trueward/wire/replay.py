"""Replays: recorded rewards, computed again."""

from __future__ import annotations

from pydantic import Field

from trueward.wire.base import Wire
from trueward.wire.reward import Reward


class ReplayedReward(Wire):
    """A reward that came out another way: in which fields, and both of it."""

    request: str
    fields: list[str]
    recorded: Reward
    computed: Reward


class ReplayReport(Wire):
    """A run computed again from the ledger; floats are the same where every bit is.

    ``states`` are the versions of what the run learned. ``unknown`` counts the rewards and states that lack what a
    replay needs: recorded by a version of the service before it could replay, or with others that were deleted since.
    """

    run: str
    rewards: int = 0
    differ: int = 0
    differing: list[ReplayedReward] = Field(default=[], description="the first of them")
    states: int = 0
    states_differ: int = 0
    differing_states: list[int] = Field(default=[], description="the first of them, by version")
    unknown: int = 0

    @property
    def same(self) -> bool:
        return self.differ == self.states_differ == 0


class ReplayProgress(Wire):
    rewards: int
    states: int


class ReplayLine(Wire):
    """A line of a replay's stream: the last one has the report."""

    progress: ReplayProgress | None = None
    report: ReplayReport | None = None
