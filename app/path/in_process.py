"""The path without a store, for the command line: same planning, same lanes, nothing kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from app.lanes.lanes import Lanes
from app.path.facts import FACTS
from app.path.follow_up import FollowUp
from app.path.path import Path
from app.path.plan import NoRates, Planner
from app.path.rows import Entry, Records, RequestContext
from app.settings import Settings
from app.telemetry.logging import only_warnings
from app.telemetry.metrics import Metrics
from rewards.conditions import Conditions
from rewards.learning import GroupOf
from rewards.library import Library
from rewards.recipe import Recipe
from rewards.state import State
from trueward.authoring.verifier import Verifier
from trueward.wire.scoring import RewardsRequest


class NoLedger:
    async def write(
        self, entries: Sequence[Entry], context: RequestContext, deadline: float, recipe: Recipe | None
    ) -> None:
        return None


class NoRuns:
    async def admit(
        self,
        name: str | None,
        verifiers: Sequence[Verifier],
        recipe: Recipe | None,
        deadline: float,
        project: str | None,
    ) -> None:
        return None

    async def note_models(self, name: str, entries: Sequence[Entry]) -> None:
        return None


class NoMemory:
    async def conditions(self, request: RewardsRequest, recipe: Recipe, groups: Sequence[str]) -> Conditions:
        return Conditions(step=request.step)

    async def learn(self, run: str, request: str | None, next_state: Callable[[State], State]) -> None:
        return None

    def note(self, run: str, groups: Sequence[GroupOf]) -> None:
        return None


class NoPurses:
    """There are no models to pay for."""

    def purse(self, recipe: Recipe, run: str | None, owner: str | None) -> None:
        return None


@asynccontextmanager
async def open_path(settings: Settings, ledger: Records | None = None) -> AsyncIterator[Path]:
    """A path of its own, with its own worker processes; ``ledger`` is told what would be recorded."""
    with only_warnings():
        async with _opened(settings, ledger) as path:
            yield path


@asynccontextmanager
async def _opened(settings: Settings, ledger: Records | None) -> AsyncIterator[Path]:
    async with Lanes(settings) as lanes:
        ledger, memory, metrics = ledger or NoLedger(), NoMemory(), Metrics()
        follow_up = FollowUp(lanes, ledger, memory, metrics, settings.deadline_s)
        planner = Planner(Library(settings.recipes_dir, FACTS), NoRates())
        yield Path(settings, planner, lanes, ledger, NoRuns(), metrics, memory, follow_up, NoPurses())
        await follow_up.close()
