"""A recorded reward's arithmetic, line by line, from the ledger alone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from app.kit.db import Database
from app.replay.ledger_replay import RecordedRequest, Replayed, list_differences, replay_groups
from app.replay.repository import ReplayRepository
from rewards.explanation import explain_member
from trueward.errors import Conflict, NotFound
from trueward.wire.record import Explanation


@dataclass(frozen=True, slots=True)
class RewardPlace:
    """Where a reward is: its request, its group there, its position in that, and its run where it has one."""

    request: RecordedRequest
    group: Replayed
    position: int
    run: str | None


async def explain_record(db: Database, record: str) -> Explanation:
    """Raises :class:`NotFound` for a record that is no reward's, :class:`Conflict` for one too old to
    explain, or whose company was deleted."""
    place = await place_of(db, record)
    assert place is not None
    return explanation(place.request, place.group, place.position, place.run)


async def place_of(db: Database, record: str, most: int | None = None) -> RewardPlace | None:
    """With its group computed again; None where more than ``most`` rewards were settled with it.

    Raises as :func:`explain_record` does.
    """
    repository = ReplayRepository(db)
    place = await repository.request_of(record)
    if place is None:
        raise NotFound(
            f"the ledger has no reward {record[:100]!r}: an explanation is of a reward; "
            "GET /v1/verdicts/{record} shows a verdict with its evidence"
        )
    run, name = place
    if most is not None and name is not None and await repository.size(run, name, most + 1) > most:
        return None
    request = None if name is None else await repository.request(run, name)
    if request is None:
        raise Conflict(
            f"reward {record} was recorded by an earlier version of the service, or with others that were deleted "
            "since: what an explanation needs is not there"
        )
    for group in await asyncio.to_thread(replay_groups, request):
        for position, entry in enumerate(group.entries):
            if entry.reward.record == record:
                return RewardPlace(request, group, position, run)
    raise AssertionError("a record is among those of its own request")


def explanation(request: RecordedRequest, group: Replayed, position: int, run: str | None) -> Explanation:
    """Of one member of a group of the request."""
    recorded, computed = group.entries[position].reward, group.rewards[position]
    return Explanation(
        record=recorded.record or "",
        id=recorded.id,
        recipe=request.recipe.hash,
        recipe_name=request.recipe.name,
        group=group.name,
        run=run,
        step=request.conditions.step,
        state_version=request.conditions.state.version,
        reward=recorded.reward,
        agrees=not list_differences(recorded, computed),
        lines=explain_member(request.recipe, group.name, group.members, position, request.conditions),
    )
