"""Explains rewards that nobody recorded: judged in this process, for the command line."""

from __future__ import annotations

from collections.abc import Sequence

from app.path.caller import Caller
from app.path.in_process import open_path
from app.path.rows import Entry, RequestContext
from app.replay.explain import explanation
from app.replay.ledger_replay import RecordedRequest, RecordedReward, replay_groups
from app.settings import Settings
from rewards.conditions import Conditions
from rewards.recipe import Recipe
from trueward.wire.record import Explanation
from trueward.wire.scoring import RewardsRequest


class KeptRecords:
    """Keeps in memory what would be recorded."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    async def write(
        self, entries: Sequence[Entry], context: RequestContext, deadline: float, recipe: Recipe | None
    ) -> None:
        self.entries += entries


async def explain_here(settings: Settings, request: RewardsRequest) -> list[Explanation]:
    """One explanation a sample, in the order of the groups. Raises what a request is refused with."""
    kept = KeptRecords()
    async with open_path(settings, kept) as path:
        recipe = path.planner.plan(request.recipe).recipe
        await path.rewards(request, Caller())
    entries = [
        RecordedReward(entry.sample, entry.reward, dict(zip(entry.keys, entry.verdicts, strict=True)), {})
        for entry in sorted(kept.entries, key=lambda entry: entry.position)
        if entry.reward is not None
    ]
    priced = RecordedRequest("", recipe, Conditions(step=request.step), entries)
    return [
        explanation(priced, group, position, None)
        for group in replay_groups(priced)
        for position in range(len(group.members))
    ]
