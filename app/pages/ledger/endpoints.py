"""The explorer, the page of one record, and the sample of one judged again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from app.labels.draws import DrawsService
from app.labels.service import LabelsService
from app.pages.guard import TEXT_HEADERS
from app.pages.labelling.annotator import Labelling, annotator_of
from app.pages.labelling.draws import require_view
from app.pages.labelling.items import RIGHT
from app.pages.ledger.bulk import MEDIA_TYPES, ExportFormat, draw_request, export_rows, last_of, parse_selection
from app.pages.ledger.judging import (
    Detail,
    RecordedJudge,
    calls,
    compare_verdicts,
    name_judge,
    recipe_choices,
    state,
    verifier_choices,
)
from app.pages.ledger.listing import empty, find_neighbours, parse_query, view_records
from app.pages.ledger.sample import detail_of, view_sample
from app.pages.ledger.views import LedgerView, SampleView
from app.pages.pickers import recent_runs
from app.pages.playground.service import ServiceAddress, judge_sample
from app.pages.visit import Visit, visitor
from app.recipes.service import RecipesService
from app.runs.service import Runs
from app.state import DatabaseDep, PathDep, RecipesDep, RunsDep
from app.verdicts.export import LedgerExport
from app.verdicts.search import LedgerSearch
from trueward.errors import AnsweredError, InvalidRequest
from trueward.wire.base import Wire
from trueward.wire.draw import ItemLabel
from verifiers import registry

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Drawing = Annotated[Visit, Depends(visitor("label"))]
Judging = Annotated[Visit, Depends(visitor("score"))]


class AgainForm(Wire):
    judge: str = Field(max_length=400)


class LabelForm(Wire):
    right: Literal["right", "wrong", "unclear"]
    note: str = Field("", max_length=10_000)


@router.get("/ledger")
async def ledger(visit: Viewing, db: DatabaseDep, recipes: RecipesDep, runs: RunsDep) -> Response:
    """Records by the filters of the address; a filter that is wrong is told beside the form as it was sent."""
    given = visit.request.query_params
    try:
        view = await view_records(LedgerSearch(db), parse_query(given))
    except AnsweredError as refusal:
        return await _refused(visit, refusal, given, recipes, runs)
    return visit.show("ledger.html", await _offering(view, recipes, runs))


@router.post("/ledger/export")
async def export_records(visit: Viewing, db: DatabaseDep, recipes: RecipesDep, runs: RunsDep) -> Response:
    """Records with their samples as a file, at most 10,000."""
    try:
        asked = parse_selection(visit.posted)
        form: ExportFormat = "csv" if visit.posted.get("as", ["jsonl"])[-1] == "csv" else "jsonl"
    except AnsweredError as refusal:
        return await _refused(visit, refusal, last_of(visit.posted), recipes, runs)
    headers = {**TEXT_HEADERS, "Content-Disposition": f'attachment; filename="{asked.filters.kind}s.{form}"'}
    return StreamingResponse(export_rows(LedgerExport(db), asked, form), media_type=MEDIA_TYPES[form], headers=headers)


@router.post("/ledger/draw")
async def draw_records(visit: Drawing, db: DatabaseDep, recipes: RecipesDep, runs: RunsDep) -> Response:
    """A draw of just these records, and on to its page, where they are labelled."""
    require_view(visit)
    try:
        request = await draw_request(LedgerExport(db), parse_selection(visit.posted))
        draw = await DrawsService(db).make(request, visit.principal.owner)
    except AnsweredError as refusal:
        return await _refused(visit, refusal, last_of(visit.posted), recipes, runs)
    return visit.go(f"/ui/labels/{draw.id}")


@router.get("/ledger/{record}")
async def sample(record: str, visit: Viewing, db: DatabaseDep, recipes: RecipesDep, whole: bool = False) -> Response:
    """A verdict's or a reward's sample; ``?whole=true`` computes the arithmetic of however large a request."""
    detail = await detail_of(db, record)
    view = await _view_record(visit, db, recipes, detail, name_judge(detail, recipes), whole)
    return await visit.show_apart("sample.html", view)


@router.post("/ledger/{record}/again")
async def again(record: str, visit: Judging, db: DatabaseDep, recipes: RecipesDep, path: PathDep) -> Response:
    """Judges the recorded sample on the one path, as evaluation outside of any run, beside what was said then."""
    detail = await detail_of(db, record)
    form, by = visit.form(AgainForm), name_judge(detail, recipes)
    body = by.body if form.judge == by.judge else None
    try:
        said = await judge_sample(state(detail, form.judge), path, db, visit.caller, _place(visit), body)
    except AnsweredError as refusal:
        view = await _view_record(visit, db, recipes, detail, by)
        view.problem, view.judge = refusal.problem(), form.judge
        return await visit.show_apart("sample.html", view, refusal.status)
    view = await _view_record(visit, db, recipes, detail, by)
    view.again, view.judge = compare_verdicts(detail, form.judge, said), form.judge
    return await visit.show_apart("sample.html", view)


@router.post("/ledger/{record}/label")
async def label(record: str, visit: Labelling, db: DatabaseDep) -> Response:
    """Keeps what somebody says of the response who has seen its verdicts; no audit counts it."""
    form, annotator = visit.form(LabelForm), await annotator_of(visit)
    if not annotator:
        raise InvalidRequest("annotator: a label carries the name of who gives it; the record's page asks for it")
    said = ItemLabel(annotator=annotator, right=RIGHT[form.right], note=form.note)
    await LabelsService(db).keep(record, said, visit.principal.owner)
    return visit.go(f"/ui/ledger/{quote(record, safe='')}#labels")


async def _refused(
    visit: Visit, refusal: AnsweredError, given: Mapping[str, str], recipes: RecipesService, runs: Runs
) -> Response:
    view = empty(given)
    view.problem = refusal.problem()
    return visit.show("ledger.html", await _offering(view, recipes, runs), refusal.status)


async def _offering(view: LedgerView, recipes: RecipesService, runs: Runs) -> LedgerView:
    """With the names that the form offers."""
    view.verifiers = list(registry.names())
    view.recipes = [recipe.name for recipe in recipes.all()]
    view.runs = await recent_runs(runs)
    return view


async def _view_record(
    visit: Visit, db: DatabaseDep, recipes: RecipesService, detail: Detail, by: RecordedJudge, whole: bool = False
) -> SampleView:
    """With what may judge and label it, for whoever may."""
    near = await find_neighbours(db, detail, visit.request.query_params)
    view = await view_sample(db, detail, near, calls(detail, by, _place(visit)), whole)
    view.judge = by.judge
    if visit.may("score"):
        view.verifiers, view.recipes = verifier_choices(), recipe_choices(by, detail, recipes)
    if visit.may("label"):
        view.annotator = await annotator_of(visit)
    return view


def _place(visit: Visit) -> ServiceAddress:
    base = visit.request.base_url
    return ServiceAddress(f"{base.scheme}://{base.netloc}", visit.request.state.settings.needs_keys)
