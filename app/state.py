"""What the endpoints find on ``request.state``, and the dependencies that hand it to them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypedDict

from fastapi import Depends, Request

from app.admission.loop_queue import LoopQueue
from app.audits.service import AuditsService
from app.doctor.service import Doctor
from app.health.service import Health
from app.idempotency.service import Idempotency
from app.jobs.service import JobsService
from app.keys.acts import Acts
from app.keys.admission import principal_of
from app.keys.service import Keys
from app.kit.db import Database
from app.lanes.programs import Programs
from app.models.service import ModelsService
from app.pages.overview.live import Pulse
from app.pages.session import Sessions
from app.path.path import Path
from app.path.plan import Planner
from app.presets.service import PresetsService
from app.probes.service import Probes
from app.projects.service import Projects
from app.protocols.trainers.assembly import Assembly
from app.protocols.trainers.stand_in import StandIns
from app.recipes.service import RecipesService
from app.references.service import ReferencesService
from app.retention.service import Retention
from app.runs.service import Runs
from app.settings import Settings
from app.telemetry.metrics import Metrics
from app.watch.freezes import FrozenRecipes
from app.watch.service import WatchService
from app.webhooks.service import Deliveries


class AppState(TypedDict):
    settings: Settings
    db: Database
    planner: Planner
    recipes: RecipesService
    path: Path
    line: LoopQueue
    presets: PresetsService
    probes: Probes
    programs: Programs
    models: ModelsService
    runs: Runs
    doctor: Doctor
    keys: Keys
    acts: Acts
    projects: Projects
    sessions: Sessions
    pulse: Pulse
    jobs: JobsService
    audits: AuditsService
    watches: WatchService
    deliveries: Deliveries
    freezes: FrozenRecipes
    references: ReferencesService
    retention: Retention
    idempotency: Idempotency
    assembly: Assembly
    standing: StandIns
    metrics: Metrics
    health: Health


def part(name: str) -> Callable[[Request], Awaitable[Any]]:
    """A dependency that hands out one part of :class:`AppState`; async, for a sync one would cost a thread."""

    async def find(request: Request) -> Any:
        return getattr(request.state, name)

    return find


def visible_part(name: str) -> Callable[[Request], Awaitable[Any]]:
    """The same for a part that holds what projects own: no more of it than whoever asks may see."""

    async def find(request: Request) -> Any:
        return getattr(request.state, name).visible_to((await principal_of(request)).sight)

    return find


async def _database(request: Request) -> Database:
    principal = await principal_of(request)
    return principal.sight.of(request.state.db)


DatabaseDep = Annotated[Database, Depends(_database)]
PlannerDep = Annotated[Planner, Depends(part("planner"))]
SettingsDep = Annotated[Settings, Depends(part("settings"))]
RecipesDep = Annotated[RecipesService, Depends(part("recipes"))]
PathDep = Annotated[Path, Depends(part("path"))]
ProbesDep = Annotated[Probes, Depends(part("probes"))]
ModelsDep = Annotated[ModelsService, Depends(part("models"))]
PresetsDep = Annotated[PresetsService, Depends(part("presets"))]
ProgramsDep = Annotated[Programs, Depends(part("programs"))]
RunsDep = Annotated[Runs, Depends(visible_part("runs"))]
DoctorDep = Annotated[Doctor, Depends(visible_part("doctor"))]
KeysDep = Annotated[Keys, Depends(visible_part("keys"))]
ActsDep = Annotated[Acts, Depends(part("acts"))]
ProjectsDep = Annotated[Projects, Depends(part("projects"))]
AuditsDep = Annotated[AuditsService, Depends(visible_part("audits"))]
DeliveriesDep = Annotated[Deliveries, Depends(visible_part("deliveries"))]
WatchesDep = Annotated[WatchService, Depends(visible_part("watches"))]
FreezesDep = Annotated[FrozenRecipes, Depends(part("freezes"))]
ReferencesDep = Annotated[ReferencesService, Depends(visible_part("references"))]
RetentionDep = Annotated[Retention, Depends(part("retention"))]
JobsDep = Annotated[JobsService, Depends(visible_part("jobs"))]
MetricsDep = Annotated[Metrics, Depends(part("metrics"))]
HealthDep = Annotated[Health, Depends(part("health"))]
