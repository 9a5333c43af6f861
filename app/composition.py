"""The parts of the service, made in the order in which they need each other; a stack ends them in reverse."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog

from app.admission.budget.accounts import Accounts
from app.admission.budget.repository import BudgetsRepository
from app.audits.rates import AuditedRates
from app.audits.repository import AuditsRepository
from app.jobs.service import JobsService
from app.keys.quotas import KeyQuotas, LocalBuckets
from app.keys.repository import KeysRepository
from app.keys.secret import key_secret
from app.keys.service import Keys
from app.kit.background import Refreshed, Refresher
from app.kit.claim import sole_server
from app.kit.db import Database
from app.kit.migrate import upgrade
from app.kit.pace import LoopPace
from app.lanes.lanes import Lanes
from app.models.registry import ModelRegistry
from app.models.repository import ModelsRepository
from app.path.facts import FACTS
from app.path.follow_up import FollowUp
from app.path.ledger import Ledger
from app.path.path import Path
from app.path.plan import Planner
from app.presets.repository import PresetsRepository
from app.presets.service import PresetsService
from app.probes.service import Probes
from app.projects.service import Projects
from app.projects.visibility import Sight
from app.prompts.repository import PromptsRepository
from app.recipes.repository import RecipesRepository
from app.recipes.shelf import Shelf
from app.runs.memory import RunMemory
from app.runs.repository import RunsRepository
from app.runs.service import Runs
from app.settings import Settings
from app.telemetry.metrics import Metrics
from app.watch.freezes import FrozenRecipes
from rewards.library import Library
from trueward.errors import NotInstalled
from verifiers import registry

if TYPE_CHECKING:
    from app.replicas.peers import Peers

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Storage:
    """``secret`` signs keys and sessions; ``company`` are the other replicas, None where this server is alone."""

    db: Database
    secret: bytes
    company: Peers | None
    pace: LoopPace
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class JudgingParts:
    """What judges, and what it judges with. ``accounts`` pay for what models are asked."""

    accounts: Accounts
    models: ModelsRepository
    registry: ModelRegistry
    presets: PresetsService
    projects: Projects
    lanes: Lanes


@dataclass(frozen=True, slots=True)
class ScoringParts:
    """The one path, and what it goes by."""

    shelf: Shelf
    rates: AuditedRates
    planner: Planner
    freezes: FrozenRecipes
    runs: Runs
    probes: Probes
    keys: Keys
    path: Path


async def open_storage(settings: Settings, stack: AsyncExitStack) -> Storage:
    """The database is this server's alone, and of its schema."""
    db = await stack.enter_async_context(Database(settings.url))
    stack.enter_context(sole_server(db))
    await upgrade(settings.url)
    if db.file is not None:
        db.file.open()
    secret = key_secret(settings)
    company = await join_replicas(settings, secret, db, stack)
    pace = LoopPace()
    return Storage(
        db=db,
        secret=secret,
        company=company,
        pace=pace,
        ledger=await stack.enter_async_context(Ledger(db, settings.ledger_capacity, pace)),
    )


async def open_judging(storage: Storage, settings: Settings, stack: AsyncExitStack) -> JudgingParts:
    db, company = storage.db, storage.company
    # ended after the lanes, whose questions it pays for
    accounts = await stack.enter_async_context(Accounts(BudgetsRepository(db), RunsRepository(db)))
    models = ModelsRepository(db)
    registry = await stack.enter_async_context(ModelRegistry(models))
    # before the recipes are read, which may name them
    presets = await stack.enter_async_context(PresetsService(PresetsRepository(db)))
    projects = await stack.enter_async_context(Projects(db))
    lanes = Lanes(settings, registry, company.checks if company else None, projects.weight)
    return JudgingParts(
        accounts=accounts,
        models=models,
        registry=registry,
        presets=presets,
        projects=projects,
        lanes=await stack.enter_async_context(lanes),
    )


async def open_scoring(
    storage: Storage, judging: JudgingParts, settings: Settings, metrics: Metrics, stack: AsyncExitStack
) -> ScoringParts:
    db, company, lanes = storage.db, storage.company, judging.lanes
    library = Library(settings.recipes_dir, FACTS)
    _warn_of_unknown_verifiers(library)
    shelf = await stack.enter_async_context(Shelf(library, RecipesRepository(db)))
    rates = AuditedRates(AuditsRepository(db), AuditsRepository(Sight().of(db)))
    planner = Planner(shelf, await stack.enter_async_context(rates), judging.registry)
    freezes = await stack.enter_async_context(FrozenRecipes(db))
    kept: list[Refreshed] = [judging.registry, judging.presets, judging.projects, shelf, rates, freezes]
    await stack.enter_async_context(Refresher(db, kept))
    runs = Runs(RunsRepository(db), metrics, freezes, judging.accounts)
    memory = await stack.enter_async_context(RunMemory(RunsRepository(db), PromptsRepository(db)))
    probes = Probes(settings, metrics)
    accompanied = probes if probes.share else None
    follow_up = FollowUp(lanes, storage.ledger, memory, metrics, settings.deadline_s, accompanied)
    stack.push_async_callback(follow_up.close)
    keys = Keys(KeysRepository(db), storage.secret)
    path = Path(
        settings,
        planner,
        lanes,
        storage.ledger,
        runs=runs,
        metrics=metrics,
        memory=memory,
        follow_up=follow_up,
        purses=judging.accounts,
        quotas=KeyQuotas(keys.find_any, company.buckets if company else LocalBuckets()),
        weights=judging.projects.weight,
        pace=storage.pace,
    )
    return ScoringParts(
        shelf=shelf,
        rates=rates,
        planner=planner,
        freezes=freezes,
        runs=runs,
        probes=probes,
        keys=keys,
        path=path,
    )


async def open_jobs(storage: Storage, scoring: ScoringParts, settings: Settings, stack: AsyncExitStack) -> JobsService:
    jobs = JobsService(
        storage.db,
        scoring.path,
        scoring.planner.check,
        max_samples=settings.max_job_samples,
        max_bytes=settings.max_body_bytes,
        max_chunk=settings.max_samples,
        loopback=not settings.needs_keys,
    )
    return await stack.enter_async_context(jobs)


async def join_replicas(settings: Settings, secret: bytes, db: Database, stack: AsyncExitStack) -> Peers | None:
    """What is shared, until the stack ends; None where nothing is. Raises :class:`NotInstalled`."""
    if settings.redis_url is None:
        return None
    try:
        from app.replicas.peers import Peers
    except ModuleNotFoundError as missing:
        raise NotInstalled("TRUEWARD_REDIS_URL needs Redis' client: pip install -e '.[redis]'") from missing
    return await stack.enter_async_context(Peers(settings.redis_url, secret, db))


def _warn_of_unknown_verifiers(library: Library) -> None:
    """A recipe in a file may name a plug-in that comes later, so it stops no start; till then its requests are 422."""
    known = set(registry.names())
    for recipe in library.recipes():
        if unknown := sorted({judgement.verifier for judgement in recipe.judgements} - known):
            log.warning("a recipe names unknown verifiers: it is refused", recipe=recipe.name, verifiers=unknown)
