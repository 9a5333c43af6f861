"""What is known of a run beside its pins: the state that its recipe learns, and how it does on its prompts.

State is written with compare-and-swap, every version of it kept, for rewards name the one that priced them. Success
rates are written a moment later, many at once; a crash in between loses them, and the ledger still has the rewards.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Self

import structlog

from app.kit.db import is_outage
from app.prompts.repository import GroupVisit, History, PromptsRepository
from app.runs.repository import RunsRepository
from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.learning import GroupOf
from rewards.recipe import Recipe
from rewards.state import State
from trueward.errors import Unavailable
from trueward.wire.scoring import RewardsRequest

log = structlog.get_logger(__name__)

_FLUSH_S = 0.2
_MOST_WAITING = 50_000


class RunMemory:
    """An async context manager; leaving it writes what waits."""

    def __init__(self, runs: RunsRepository, prompts: PromptsRepository) -> None:
        self._runs = runs
        self._prompts = prompts
        self._visits: list[GroupVisit] = []
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._writer = asyncio.create_task(self._write_visits(), name="prompts")
        return self

    async def __aexit__(self, *failure: object) -> None:
        self._closing.set()
        await self._writer

    async def conditions(self, request: RewardsRequest, recipe: Recipe, groups: Sequence[str]) -> Conditions:
        """Raises :class:`Unavailable` where the database cannot say."""
        conditions = NOTHING_KNOWN if request.step is None else Conditions(step=request.step)
        if request.run is None or not (recipe.learns or recipe.reads_histories):
            return conditions
        try:
            state = await self._runs.state(request.run) if recipe.learns else State()
            known = await self._prompts.of_run(request.run) if recipe.reads_histories else []
        except Exception as failure:  # an outage is told, the rest raised again
            if not is_outage(failure):
                raise
            raise Unavailable(
                "the database cannot be reached, so the state of this run is not known; nothing was scored",
                retry_after_s=1.0,
            ) from failure
        asked = set(groups)
        histories = {one.prompt: one.rates for one in known if one.prompt in asked and not one.labelled}
        return Conditions(request.step, state=state, histories=histories, labelled_history=_mean_history(known))

    async def learn(self, run: str, request: str | None, next_state: Callable[[State], State]) -> None:
        """Stores ``next_state`` of the stored state. Tries again if another writer was faster."""
        while True:
            before = await self._runs.state(run)
            after = next_state(before)
            if after is before or await self._runs.save_state(run, after, request):
                return

    def note(self, run: str, groups: Sequence[GroupOf]) -> None:
        """Success rates of groups of more than one, to be stored soon."""
        if len(self._visits) > _MOST_WAITING:
            return
        for name, members, settled in groups:
            rate = settled.group.success_rate
            if rate is not None and len(members) > 1:
                labelled = any(member.sample.reference is not None for member in members)
                self._visits.append(GroupVisit(run, name, rate, settled.group.zero_variance, labelled))

    async def _write_visits(self) -> None:
        closing = False
        while not closing:
            try:
                async with asyncio.timeout(_FLUSH_S):
                    closing = await self._closing.wait()
            except TimeoutError:
                pass
            visits, self._visits = self._visits, []
            if not visits:
                continue
            try:
                await self._prompts.add(visits)
            except Exception as failure:  # noqa: BLE001 - the writer must go on; what it holds is kept in the ledger too
                log.error("success rates of prompts were not stored", groups=len(visits), error=failure)


def _mean_history(known: Sequence[History]) -> list[float]:
    """The mean over labelled prompts of their nth latest rate, oldest first."""
    labelled = [reversed(one.rates) for one in known if one.labelled]
    latest_first = [statistics.fmean(rate for rate in column if rate is not None) for column in zip_longest(*labelled)]
    return latest_first[::-1]
