"""Wiring: settings in, an application out. What anything does is elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog
from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig

from app.api_docs import endpoints as reference
from app.audits import endpoints as audits
from app.audits.repository import AuditsRepository
from app.audits.service import AuditsService
from app.composition import JudgingParts, ScoringParts, Storage, open_jobs, open_judging, open_scoring, open_storage
from app.doctor import endpoints as doctor
from app.doctor.service import Doctor
from app.health import endpoints as health
from app.health.service import Health, checks_of_sandbox, probe_database, probe_models, probe_workers
from app.http import slashes
from app.http.entrance import Entrance
from app.http.observe import Observe
from app.http.openapi import ServiceApp
from app.idempotency.repository import Claims
from app.idempotency.service import Idempotency
from app.jobs import endpoints as jobs
from app.keys import endpoints as keys
from app.keys.acts import Acts
from app.kit import problems
from app.kit.db import Database
from app.kit.private import find_exposed, make_folder
from app.kit.terminal import explain_outages
from app.labels import endpoints as labels
from app.lanes.lanes import Lanes
from app.memory import MemoryTrimmer, set_up_collector
from app.models import endpoints as models
from app.models.model_paths import Places
from app.models.service import ModelsService
from app.pages import wiring as pages
from app.pages.overview.live import Pulse
from app.pages.session import Sessions
from app.presets import endpoints as presets
from app.probes import endpoints as probes
from app.projects import endpoints as projects
from app.projects.visibility import Sight
from app.prompts import endpoints as prompts
from app.protocols.graders import service as graders
from app.protocols.model_servers import endpoints as native
from app.protocols.sandboxes import endpoints as programs
from app.protocols.trainers import endpoints as adapters
from app.protocols.trainers.assembly import Assembly
from app.protocols.trainers.stand_in import StandIns
from app.recipes import endpoints as recipes
from app.recipes.service import RecipesService
from app.references import endpoints as references
from app.references.service import ReferencesService
from app.replay import endpoints as replay
from app.retention import endpoints as retention
from app.retention.service import Retention
from app.rewards import endpoints as rewards
from app.rubrics import endpoints as rubrics
from app.runs import endpoints as runs
from app.select import endpoints as select
from app.settings import Settings
from app.state import AppState
from app.telemetry import logging
from app.telemetry.database import DatabaseGauges
from app.telemetry.lag import Lag
from app.telemetry.metrics import Metrics
from app.telemetry.tracing import Tracing
from app.verdicts import endpoints as verdicts
from app.verify import endpoints as verify
from app.version import VERSION
from app.watch import endpoints as watch
from app.watch.service import WatchService
from app.webhooks import endpoints as webhooks
from app.webhooks.service import Deliveries
from judges.presets import add_folder
from trueward.errors import Unusable

log = structlog.get_logger(__name__)
DESCRIPTION = "Rewards and verifiers for reinforcement learning of language models."
_NO_TELEMETRY: TelemetryConfig = {"auto_configure": False, "tracing": False, "metrics": False, "logs": False}
"""FastAPI's own would send whole URLs, with the keys in them, to whoever the environment names."""


def create_app(settings: Settings) -> FastAPI:
    """The whole service. Everything with a life is made in its lifespan and ends with it."""
    metrics = Metrics()
    tracing = Tracing(settings.traces) if settings.traces else None

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[AppState]:
        async with AsyncExitStack() as stack:
            if tracing is not None:
                await stack.enter_async_context(tracing)
            with explain_outages(settings.url):
                state = await start(settings, metrics, stack)
            yield state

    app = ServiceApp(
        title="Trueward",
        description=DESCRIPTION,
        version=VERSION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        telemetry=_NO_TELEMETRY,
    )
    scoring = (verify, adapters, presets, graders, recipes, select, jobs, programs, models, native)
    # ahead of runs, whose names may hold slashes
    watching = (doctor, watch, references, rubrics, probes, webhooks)
    ledgers = (runs, prompts, verdicts, replay, audits, labels)
    others = (*scoring, *watching, *ledgers, keys, projects, retention, health, reference)
    apart = (verify.direct, rewards.direct, adapters.direct, adapters.of_roll, programs.foreign)
    for router in (*apart, *(resource.router for resource in others)):
        # as the application's own: of an included router FastAPI makes every route again, and looks for it twice
        app.router.routes += router.routes
    app.mount("/docs/assets", reference.ASSETS)
    slashes.install(app)
    problems.install(app, metrics.count_problem)
    pages.install(app)
    app.add_middleware(Entrance, settings=settings, routes=app.router.routes, count=metrics.count_problem)
    failed = app.exception_handlers[Exception]
    app.add_middleware(Observe, metrics=metrics, answer=failed, tracing=tracing, verbose=settings.log_level == "debug")
    return app


async def start(settings: Settings, metrics: Metrics, stack: AsyncExitStack) -> AppState:
    """Starts every part in the order in which they need each other; the stack ends them in reverse."""
    logging.configure(settings.log_level, settings.log_format, samples=settings.log_samples)
    if settings.open_to_all:
        log.warning("no key is asked for: whoever reaches this service may do everything", host=settings.host)
    make_folder(settings.data_dir)
    _add_presets(settings)
    storage = await open_storage(settings, stack)
    db, company = storage.db, storage.company
    _warn_of_others(settings, db)
    judging = await open_judging(storage, settings, stack)
    scoring = await open_scoring(storage, judging, settings, metrics, stack)
    path, lanes, freezes = scoring.path, judging.lanes, scoring.freezes
    jobs_service = await open_jobs(storage, scoring, settings, stack)
    loopback = not settings.needs_keys
    deliveries = await stack.enter_async_context(Deliveries(db, metrics, loopback=loopback))
    audits_service = AuditsService(
        AuditsRepository(db), db, path, scoring.rates, metrics, settings.max_deadline_s, loopback=loopback
    )
    await stack.enter_async_context(audits_service)
    await audits_service.show_rates()
    watching = WatchService(db, freezes, metrics, loopback=loopback, by_default=settings.watch_by_default)
    watches = await stack.enter_async_context(watching)
    idempotency = Idempotency(Claims(db), company.turns if company else None)
    assembly = Assembly(metrics, settings.deadline_s, company.groups if company else None)
    if company is not None:
        await company.assemble(assembly)
        metrics.registry.register(company)
    stack.push_async_callback(assembly.drain)
    stack.callback(assembly.close)
    await _observe(storage, judging, scoring, settings, metrics, stack)
    health = _health(storage, lanes, settings)
    metrics.watch_health(health)
    metrics.watch_assembly(assembly)
    metrics.watch_idempotency(idempotency)
    set_up_collector()
    return AppState(
        settings=settings,
        db=db,
        planner=scoring.planner,
        recipes=RecipesService(scoring.shelf, scoring.planner),
        path=path,
        line=path.line,
        probes=scoring.probes,
        programs=lanes.programs,
        models=ModelsService(judging.models, judging.registry, lanes.models, Places(settings)),
        presets=judging.presets,
        runs=scoring.runs,
        doctor=Doctor(db, path),
        keys=scoring.keys,
        acts=Acts(db),
        projects=judging.projects,
        sessions=Sessions(storage.secret, scoring.keys, settings.session_s),
        pulse=await stack.enter_async_context(Pulse(metrics, watches.visible_to(Sight()))),
        jobs=jobs_service,
        audits=audits_service,
        watches=watches,
        deliveries=deliveries,
        freezes=freezes,
        retention=await stack.enter_async_context(Retention(db)),
        references=ReferencesService(db, path, settings.max_deadline_s),
        idempotency=idempotency,
        assembly=assembly,
        standing=StandIns(company.siblings if company else None),
        metrics=metrics,
        health=health,
    )


async def _observe(
    storage: Storage,
    judging: JudgingParts,
    scoring: ScoringParts,
    settings: Settings,
    metrics: Metrics,
    stack: AsyncExitStack,
) -> None:
    """Has metrics read what these parts say of themselves."""
    metrics.registry.register(await stack.enter_async_context(Lag()))
    line = scoring.path.line
    await stack.enter_async_context(MemoryTrimmer(lambda: line.running + line.waiting > 0))
    metrics.watch_settings(settings)
    metrics.watch_lanes(judging.lanes)
    metrics.watch_room(scoring.path.room, scoring.path.gate)
    metrics.watch_line(line)
    metrics.watch_ledger(storage.ledger)
    metrics.watch_stored(await stack.enter_async_context(DatabaseGauges(storage.db)))
    metrics.watch_freezes(scoring.freezes)
    metrics.watch_budgets(judging.accounts)


def _health(storage: Storage, lanes: Lanes, settings: Settings) -> Health:
    needed, others = checks_of_sandbox(settings, lanes.programs)
    company, ray = storage.company, lanes.ray
    return Health(
        {"database": probe_database(storage.db), "workers": probe_workers(lanes.pool), **needed},
        {
            **others,
            "models": probe_models(lanes.models),
            **({"redis": company.probe} if company is not None else {}),
            **({"ray": ray.probe} if ray is not None else {}),
        },
    )


def _add_presets(settings: Settings) -> None:
    for folder in settings.presets:
        try:
            add_folder(folder)
        except (ValueError, OSError) as wrong:
            raise Unusable(f"TRUEWARD_PRESETS: {wrong}") from wrong


def _warn_of_others(settings: Settings, db: Database) -> None:
    kept = [settings.data_dir / "secret", *([db.path, db.path.with_name(f"{db.path.name}-wal")] if db.path else [])]
    if found := find_exposed(settings.data_dir, kept):
        log.warning(
            "other users of this machine can get at what the service keeps: chmod 700 the data directory",
            paths=[str(path) for path in found],
        )
