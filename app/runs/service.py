"""Runs: what the first request of a run pins, and what later ones are held against.

The first request pins the recipe's content and the verifiers' versions. Another recipe is refused
(:class:`RunPinned`) until the pin is moved by name; another verifier version, which a rolling upgrade
brings, is recorded as a mark and counted, and refused only where the run is strict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from copy import copy
from time import monotonic
from typing import Protocol

import structlog
from pydantic import JsonValue

from app.kit.cache import Cache
from app.kit.db import is_outage
from app.kit.paging import PageRange
from app.path.rows import Entry
from app.projects.schemas import decode_project
from app.projects.schemas import encode_project as project_of
from app.projects.visibility import EVERYTHING, Sight
from app.runs.kept import CountedSeries, KeptReadings
from app.runs.reported import ReportedModels
from app.runs.repository import RunAct, RunsRepository
from app.telemetry.metrics import Metrics
from rewards.recipe import Recipe
from trueward.authoring.verifier import Verifier
from trueward.errors import NotFound, RunOfAnotherProject, RunPinned, Unavailable
from trueward.wire.change import RunChanges
from trueward.wire.run import Allowance, Run, Spending

_KEPT = 1000
_FRESH_S = 2.0
_RETRY_S = 0.2
log = structlog.get_logger(__name__)


class Frozen(Protocol):
    """Which recipes are frozen."""

    def refuse_frozen(self, recipe: str, run: str | None, project: str | None) -> None:
        """Raises :class:`RecipeFrozen` for the hash of one that is, for this project; asks nobody."""
        ...


class RunSpending(Protocol):
    """What the judges of runs have cost."""

    async def of_run(self, run: str, recipe: str) -> tuple[Spending, Allowance | None] | None: ...


class Runs:
    """``admit`` answers from memory for two seconds: a pin moved on another replica takes hold by then."""

    def __init__(self, repository: RunsRepository, metrics: Metrics, frozen: Frozen, accounts: RunSpending) -> None:
        self._repository = self._seen = repository
        self._sight = EVERYTHING
        self._metrics = metrics
        self._frozen = frozen
        self._accounts = accounts
        self._pins: Cache[str, tuple[float, Run]] = Cache(_KEPT)
        self._lock = asyncio.Lock()
        self._readings = KeptReadings()
        self._reported = ReportedModels(repository)

    async def note_models(self, name: str, entries: Sequence[Entry]) -> None:
        """Marks in a run which models its verdicts' servers say that they are."""
        await self._reported.note(name, entries)

    def visible_to(self, sight: Sight) -> Runs:
        """The same for somebody who sees these runs alone."""
        seen = copy(self)
        seen._sight = sight
        seen._seen = RunsRepository(sight.of(self._repository.db))
        return seen

    async def admit(
        self,
        name: str | None,
        verifiers: Sequence[Verifier],
        recipe: Recipe | None,
        deadline: float,
        project: str | None = None,
    ) -> None:
        """Pins or checks; nothing to pin for a request without a run. A new run is the project's.

        Raises :class:`RecipeFrozen`, :class:`RunOfAnotherProject`, :class:`RunPinned`, or :class:`Unavailable` where
        the database stays down until ``deadline`` (loop time).
        """
        if recipe is not None:
            self._frozen.refuse_frozen(recipe.hash, name, project)
        if name is None:
            return
        versions = {verifier.producer.name: verifier.producer.version for verifier in verifiers}
        run = self._fresh(name)
        asked = Run(
            id=name, project=decode_project(project), recipe=recipe.hash if recipe else None, verifiers=versions
        )
        if run is None or not _agrees(run, asked):
            run = await self._settle_by(deadline, asked, recipe)
            self._pins.put(name, (monotonic(), run))

    async def _settle_by(self, deadline: float, asked: Run, recipe: Recipe | None) -> Run:
        while True:
            try:
                async with asyncio.timeout_at(deadline), self._lock:
                    return await self._settle(asked, recipe)
            except Exception as failure:  # an outage is waited for, the rest raised again
                if not is_outage(failure):
                    raise
                if asyncio.get_running_loop().time() + _RETRY_S > deadline:
                    raise Unavailable(
                        "the database cannot be reached, so what this run has pinned is not known; nothing was scored: "
                        "send it again",
                        retry_after_s=1.0,
                    ) from failure
            await asyncio.sleep(_RETRY_S)

    def _fresh(self, name: str) -> Run | None:
        known = self._pins.get(name)
        return known[1] if known is not None and monotonic() - known[0] < _FRESH_S else None

    async def _settle(self, asked: Run, recipe: Recipe | None) -> Run:
        """Reads the run, refuses or adds what is new, and writes it back; again when another was faster."""
        while True:
            stored = await self._repository.find(asked.id)
            run = stored.run if stored else Run(id=asked.id, project=asked.project)
            changes = _changes(run, asked, recipe)
            if stored is not None and not changes:
                return run
            pinned = run.model_copy(
                update={
                    "recipe": run.recipe or asked.recipe,
                    "verifiers": {**run.verifiers, **asked.verifiers},
                }
            )
            if await self._repository.save(pinned, stored.revision if stored else None):
                await self._mark_changes(asked.id, changes)
                return pinned

    async def _mark_changes(self, name: str, changes: dict[str, tuple[str, str]]) -> None:
        for verifier, (before, after) in changes.items():
            if before:
                self._metrics.version_changes.inc()
                log.warning("verifier version changed under a run", run=name, verifier=verifier, was=before, now=after)
                await self._repository.mark(
                    name, "verifier_version", {"verifier": verifier, "from": before, "to": after}
                )

    async def show(self, name: str) -> Run:
        stored = await self._seen.find(name)
        if stored is None:
            raise NotFound(f"there is no run {name[:100]!r}; GET /v1/runs lists them")
        marks = await self._repository.marks(name)
        account = await self._accounts.of_run(name, stored.run.recipe) if stored.run.recipe is not None else None
        spent, budget = account or (None, None)
        return stored.run.model_copy(update={"marks": marks, "spent": spent, "budget": budget})

    async def series(self, name: str) -> CountedSeries | None:
        """The run's numbers over its steps; None without records."""
        return await self._readings.series(self._seen.db, self._sight, name)

    async def changes(self, name: str, since: int) -> RunChanges:
        """What is new from a step on. Raises :class:`NotFound` for a run without a record that names a step."""
        return await self._readings.changes(self._seen.db, name, since)

    async def page(self, wanted: PageRange) -> list[Run]:
        return await self._seen.page(wanted)

    async def recent(self, limit: int, without: str | None = None) -> list[Run]:
        return await self._seen.recent(limit, without)

    async def pin(
        self, name: str, recipe: Recipe | None, strict: bool | None, reason: str, actor: str | None = None
    ) -> Run:
        """Moves the pin, explicitly and on record; makes the run when there is none.

        Raises :class:`RunOfAnotherProject` where the name stands for a run that is not seen.
        """
        while True:
            stored = await self._repository.find(name)
            run = stored.run if stored else Run(id=name, project=decode_project(self._sight.project))
            if not self._sight.sees(project_of(run.project)):
                raise _of_another_project(name)
            moved = run.model_copy(
                update={
                    "recipe": recipe.hash if recipe else run.recipe,
                    "strict": run.strict if strict is None else strict,
                }
            )
            details: dict[str, JsonValue] = {
                "from": run.recipe,
                "to": moved.recipe,
                "strict": moved.strict,
                "reason": reason,
            }
            if await self._repository.save(
                moved, stored.revision if stored else None, RunAct(actor, "run.pin", details)
            ):
                break
        await self._repository.mark(name, "pin", details)
        self._pins.put(name, (monotonic(), moved))
        return await self.show(name)


def _agrees(run: Run, asked: Run) -> bool:
    same = run.project == asked.project and asked.recipe in (None, run.recipe)
    return same and all(run.verifiers.get(name) == version for name, version in asked.verifiers.items())


def _of_another_project(name: str) -> RunOfAnotherProject:
    return RunOfAnotherProject(f"the run {name[:100]!r} belongs to another project: use another name")


def _changes(run: Run, asked: Run, recipe: Recipe | None) -> dict[str, tuple[str, str]]:
    """What this request would change, by verifier (and ``recipe`` for a first pin): before and after."""
    if run.project != asked.project:
        raise _of_another_project(run.id)
    if recipe is not None and run.recipe not in (None, recipe.hash):
        raise RunPinned(
            f"run {run.id!r} is pinned to recipe {run.recipe}, this request has {recipe.hash} ({recipe.name}): "
            f"use another run, or move the pin with PUT /v1/runs/{run.id}"
        )
    changes = {
        name: (run.verifiers.get(name, ""), version)
        for name, version in asked.verifiers.items()
        if run.verifiers.get(name) != version
    }
    for name, (before, after) in changes.items():
        if before and run.strict:
            raise RunPinned(f"run {run.id!r} is strict and pinned to {name} version {before}; this service has {after}")
    if recipe is not None and run.recipe is None:
        changes["recipe " + recipe.name] = ("", recipe.hash)
    return changes
