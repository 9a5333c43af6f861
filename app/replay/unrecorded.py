"""Explains rewards that nobody recorded: judged in this process, for the command line."""

from __future__ import annotations

from collections.abc import Sequence

from app.replay.explain import explanation
from app.replay.recorded import Recorded, RecordedRequest, replayed
from app.scoring.caller import Caller
from app.scoring.rows import Context, Entry
from app.scoring.unrecorded import unrecorded_path
from app.settings import Settings
from rewards.conditions import Conditions
from rewards.recipe import Recipe
from trueward.answers import Explanation
from trueward.types import RewardsRequest


class Kept:
    """Keeps in memory what would be recorded."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    async def write(self, entries: Sequence[Entry], context: Context, deadline: float, recipe: Recipe | None) -> None:
        self.entries += entries


async def explained_here(settings: Settings, request: RewardsRequest) -> list[Explanation]:
    """One explanation a sample, in the order of the groups. Raises what a request is refused with."""
    kept = Kept()
    async with unrecorded_path(settings, kept) as path:
        recipe = path.planner.plan(request.recipe).recipe
        await path.rewards(request, Caller())
    entries = [
        Recorded(entry.sample, entry.reward, dict(zip(entry.keys, entry.verdicts, strict=True)), {})
        for entry in sorted(kept.entries, key=lambda entry: entry.position)
        if entry.reward is not None
    ]
    priced = RecordedRequest("", recipe, Conditions(step=request.step), entries)
    return [
        explanation(priced, group, position, None)
        for group in replayed(priced)
        for position in range(len(group.members))
    ]
