"""The draws: a list, one of them with its progress, and a new one from a sampling plan."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from app.kit.paging import PageRange
from app.labels.agreement import label_agreement
from app.labels.aims import Aims
from app.labels.draws import DrawsService
from app.labels.draws_repository import DrawsRepository
from app.labels.formats import FORMATS
from app.labels.schemas import LabelQuery
from app.labels.service import LabelsService
from app.pages.guard import TEXT_HEADERS
from app.pages.labelling.annotator import Labelling, annotator_of
from app.pages.labelling.plan import LabellingPlan, RunForm, aim_of, request_of
from app.pages.labelling.views import DrawRow, DrawsView, DrawView, LabellingProgress, PlanView
from app.pages.pickers import recent_runs
from app.pages.visit import Visit
from app.recipes.service import RecipesService
from app.runs.service import Runs
from app.state import AuditsDep, DatabaseDep, RecipesDep, RunsDep
from trueward.errors import AnsweredError, Forbidden
from trueward.wire.audit import AuditRequest, LabelChoice, LabelledAudit
from trueward.wire.label import LabelFormat
from verifiers import registry

router = APIRouter(prefix="/ui", include_in_schema=False)
AT_ONCE = 50


@router.get("/labels")
async def list_draws(visit: Labelling, db: DatabaseDep, after: Annotated[str | None, Query()] = None) -> Response:
    """Newest first, each with its progress."""
    page = await DrawsService(db).page(PageRange(after, AT_ONCE))
    states = await DrawsRepository(db).states([draw.id for draw in page.draws])
    views = visit.may("view")
    rows = [DrawRow.of(draw, states[draw.id], views) for draw in page.draws]
    view = DrawsView(annotator=await annotator_of(visit), draws=rows, next=page.next)
    return visit.show("labelling/draws.html", view)


@router.get("/labels/new")
async def ask_plan(visit: Labelling, recipes: RecipesDep, runs: RunsDep) -> Response:
    """The form of a sampling plan."""
    require_view(visit)
    return visit.show("labelling/plan.html", await _plan_view(LabellingPlan(), recipes, runs))


@router.post("/labels/new")
async def make_draw(visit: Labelling, db: DatabaseDep, recipes: RecipesDep, runs: RunsDep) -> Response:
    """Draws; a refusal is shown beside the form as it was sent."""
    require_view(visit)
    plan = visit.form(LabellingPlan)
    try:
        draw = await DrawsService(db).make(request_of(plan), visit.principal.owner)
    except AnsweredError as refusal:
        return await _refused(visit, plan, refusal, recipes, runs)
    return visit.go(f"/ui/labels/{draw.id}")


@router.post("/labels/run")
async def draw_of_run(visit: Labelling, db: DatabaseDep, recipes: RecipesDep, runs: RunsDep) -> Response:
    """Draws responses of a run, or more of them where the first are labelled, and goes on to labelling them."""
    require_view(visit)
    form = visit.form(RunForm)
    try:
        state = await Aims(db).pursue(aim_of(form), visit.principal.owner)
    except AnsweredError as refusal:
        plan = LabellingPlan(subject=f"verifier:{form.verifier}", run=form.run)
        return await _refused(visit, plan, refusal, recipes, runs)
    return visit.go(f"/ui/labels/{state.draw}")


@router.get("/labels/{draw}")
async def show_draw(draw: str, visit: Labelling, db: DatabaseDep, waiting: bool = False) -> Response:
    """What it asks for, how far it is, and how far its annotators agree."""
    draws = DrawsService(db)
    found = await draws.show(draw)
    views = visit.may("view")
    view = DrawView(
        id=found.id,
        name=found.name,
        guidelines=found.spec.guidelines,
        annotator=await annotator_of(visit),
        progress=LabellingProgress.of(found.drawn, found.states),
        annotators=await DrawsRepository(db).annotators(draw),
        waiting=waiting,
        needed=found.spec.annotators_per_item,
        spec=found.spec if views else None,
        notes=found.notes if views else [],
        agreement=label_agreement(draw, await draws.first_labels(draw)) if views else None,
    )
    return visit.show("labelling/draw.html", view)


@router.get("/labels/{draw}/export/{form}")
async def export_labels(draw: str, form: LabelFormat, visit: Labelling, db: DatabaseDep) -> Response:
    """The draw's labels as a file; the same as ``GET /v1/labels/export``."""
    require_view(visit)
    found = await DrawsService(db).show(draw)
    name = f"labels-{found.id}.{'json' if form == 'label_studio' else form}"
    return StreamingResponse(
        LabelsService(db).export(LabelQuery(draw=found.id), form),
        media_type=FORMATS[form].media_type,
        headers={**TEXT_HEADERS, "Content-Disposition": f'attachment; filename="{name}"'},
    )


@router.post("/labels/{draw}/audit")
async def audit_draw(draw: str, visit: Labelling, db: DatabaseDep, audits: AuditsDep) -> Response:
    """Holds what the draw is of against its labels, each weighed by its probability, and goes on to the audit."""
    require_view(visit)
    found = await DrawsService(db).show(draw)
    spec = found.spec
    audit = LabelledAudit(subject=spec.subject, population=spec.population, labels=LabelChoice(draw=found.id))
    begun = await audits.accept(AuditRequest(name=found.name, audit=audit), visit.principal.owner)
    return visit.go(f"/ui/audits/{begun.id}")


def require_view(visit: Visit) -> None:
    """Raises :class:`Forbidden` for an annotator who may not know what verifiers said."""
    if not visit.may("view"):
        raise Forbidden("this key has not the scope view: it labels, and does not see what verifiers said of a draw")


async def _refused(
    visit: Visit, plan: LabellingPlan, refusal: AnsweredError, recipes: RecipesService, runs: Runs
) -> Response:
    """The form of the plan, and why nothing was drawn."""
    view = await _plan_view(plan, recipes, runs)
    view.problem = refusal.problem()
    return visit.show("labelling/plan.html", view, refusal.status)


async def _plan_view(plan: LabellingPlan, recipes: RecipesService, runs: Runs) -> PlanView:
    verifiers = [f"verifier:{name}" for name in registry.names()]
    subjects = [*verifiers, *(f"recipe:{recipe.name}" for recipe in recipes.all())]
    return PlanView(plan=plan, subjects=subjects, runs=await recent_runs(runs))
