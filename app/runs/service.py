"""Runs: what the first request of a run pins, and what later ones are held against.

The first request pins the recipe's content and the verifiers' versions. Another recipe is refused
(:class:`RunPinned`) until the pin is moved by name; another verifier version, which a rolling upgrade
brings, is recorded as a mark and counted, and refused only where the run is strict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Protocol

import structlog

from app.kit.db import is_outage
from app.metrics import Metrics
from app.runs.repository import RunsRepository
from app.scoring.cache import Cache
from rewards.recipe import Recipe
from trueward.errors import NotFound, RunPinned, Unavailable
from trueward.types import Allowed, Run, Spent
from trueward.verifier import Verifier

_KEPT = 1000
_FRESH_S = 2.0
_RETRY_S = 0.2
log = structlog.get_logger(__name__)


class Frozen(Protocol):
    """Which recipes are frozen."""

    def refuse_frozen(self, recipe: str, run: str | None) -> None:
        """Raises :class:`RecipeFrozen` for the hash of one that is; asks nobody."""
        ...


class Accounts(Protocol):
    """What the judges of runs have cost."""

    async def of_run(self, run: str, recipe: str) -> tuple[Spent, Allowed | None] | None: ...


class Runs:
    """``admit`` answers from memory for two seconds: a pin moved on another replica takes hold by then."""

    def __init__(self, repository: RunsRepository, metrics: Metrics, frozen: Frozen, accounts: Accounts) -> None:
        self._repository = repository
        self._metrics = metrics
        self._frozen = frozen
        self._accounts = accounts
        self._pins: Cache[str, tuple[float, Run]] = Cache(_KEPT)
        self._lock = asyncio.Lock()

    async def admit(
        self, name: str | None, verifiers: Sequence[Verifier], recipe: Recipe | None, deadline: float
    ) -> None:
        """Pins or checks; nothing to pin for a request without a run.

        Raises :class:`RecipeFrozen`, :class:`RunPinned`, or :class:`Unavailable` where the database stays down until
        ``deadline`` (loop time).
        """
        if recipe is not None:
            self._frozen.refuse_frozen(recipe.hash, name)
        if name is None:
            return
        versions = {verifier.producer.name: verifier.producer.version for verifier in verifiers}
        run = self._fresh(name)
        if run is None or not _agrees(run, versions, recipe):
            run = await self._settle_by(deadline, name, versions, recipe)
            self._pins.put(name, (monotonic(), run))

    async def _settle_by(self, deadline: float, name: str, versions: dict[str, str], recipe: Recipe | None) -> Run:
        while True:
            try:
                async with self._lock:
                    return await self._settle(name, versions, recipe)
            except Exception as failure:  # an outage is waited for, the rest raised again
                if not is_outage(failure):
                    raise
                if asyncio.get_running_loop().time() + _RETRY_S > deadline:
                    raise Unavailable(
                        "the database cannot be reached, so what this run has pinned is not known; nothing was scored",
                        retry_after_s=1.0,
                    ) from failure
            await asyncio.sleep(_RETRY_S)

    def _fresh(self, name: str) -> Run | None:
        known = self._pins.get(name)
        return known[1] if known is not None and monotonic() - known[0] < _FRESH_S else None

    async def _settle(self, name: str, versions: dict[str, str], recipe: Recipe | None) -> Run:
        """Reads the run, refuses or adds what is new, and writes it back; again when another was faster."""
        while True:
            stored = await self._repository.find(name)
            run = stored.run if stored else Run(id=name)
            changes = _changes(run, versions, recipe)
            if stored is not None and not changes:
                return run
            pinned = run.model_copy(
                update={
                    "recipe": run.recipe or (recipe.hash if recipe else None),
                    "verifiers": {**run.verifiers, **versions},
                }
            )
            if await self._repository.save(pinned, stored.revision if stored else None):
                await self._mark_changes(name, changes)
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
        stored = await self._repository.find(name)
        if stored is None:
            raise NotFound(f"there is no run {name[:100]!r}; GET /v1/runs lists them")
        marks = await self._repository.marks(name)
        account = await self._accounts.of_run(name, stored.run.recipe) if stored.run.recipe is not None else None
        spent, budget = account or (None, None)
        return stored.run.model_copy(update={"marks": marks, "spent": spent, "budget": budget})

    async def page(self, after: str | None, limit: int) -> list[Run]:
        return await self._repository.page(after, limit)

    async def recent(self, limit: int, without: str | None = None) -> list[Run]:
        return await self._repository.recent(limit, without)

    async def pin(self, name: str, recipe: Recipe | None, strict: bool | None, reason: str) -> Run:
        """Moves the pin, explicitly and on record; makes the run when there is none."""
        while True:
            stored = await self._repository.find(name)
            run = stored.run if stored else Run(id=name)
            moved = run.model_copy(
                update={
                    "recipe": recipe.hash if recipe else run.recipe,
                    "strict": run.strict if strict is None else strict,
                }
            )
            if await self._repository.save(moved, stored.revision if stored else None):
                break
        await self._repository.mark(
            name,
            "pin",
            {"from": run.recipe, "to": moved.recipe, "strict": moved.strict, "reason": reason},
        )
        self._pins.put(name, (monotonic(), moved))
        return await self.show(name)


def _agrees(run: Run, versions: dict[str, str], recipe: Recipe | None) -> bool:
    same_recipe = recipe is None or run.recipe == recipe.hash
    return same_recipe and all(run.verifiers.get(name) == version for name, version in versions.items())


def _changes(run: Run, versions: dict[str, str], recipe: Recipe | None) -> dict[str, tuple[str, str]]:
    """What this request would change, by verifier (and ``recipe`` for a first pin): before and after."""
    if recipe is not None and run.recipe not in (None, recipe.hash):
        raise RunPinned(
            f"run {run.id!r} is pinned to recipe {run.recipe}, this request has {recipe.hash} ({recipe.name}): "
            f"use another run, or move the pin with PUT /v1/runs/{run.id}"
        )
    changes = {
        name: (run.verifiers.get(name, ""), version)
        for name, version in versions.items()
        if run.verifiers.get(name) != version
    }
    for name, (before, after) in changes.items():
        if before and run.strict:
            raise RunPinned(f"run {run.id!r} is strict and pinned to {name} version {before}; this service has {after}")
    if recipe is not None and run.recipe is None:
        changes["recipe " + recipe.name] = ("", recipe.hash)
    return changes
