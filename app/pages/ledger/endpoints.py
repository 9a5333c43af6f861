"""The explorer, the page of one record, and the sample of one judged again."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Depends, Response
from pydantic import Field

from app.labels.service import LabelsService
from app.pages.labelling.annotator import Labelling, annotator_of
from app.pages.labelling.items import RIGHT
from app.pages.ledger.beside import beside
from app.pages.ledger.judging import (
    Detail,
    Recorded,
    calls,
    compared,
    recipe_choices,
    recorded,
    state,
    verifier_choices,
)
from app.pages.ledger.listing import cursor_of, filters_of, listed
from app.pages.ledger.sample import detail_of, shown
from app.pages.ledger.views import SampleView
from app.pages.playground.service import Place, judged
from app.pages.visit import Visit, visitor
from app.recipes.service import RecipesService
from app.state import DatabaseDep, PathDep, RecipesDep, RunsDep
from app.verdicts.search import LedgerSearch
from trueward.draws import ItemLabel
from trueward.errors import AnsweredError, InvalidRequest
from trueward.types import Wire
from verifiers import registry

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Judging = Annotated[Visit, Depends(visitor("score"))]
_RUNS = 50


class AgainForm(Wire):
    judge: str = Field(max_length=400)


class LabelForm(Wire):
    right: Literal["right", "wrong", "unclear"]
    note: str = Field("", max_length=10_000)


@router.get("/ledger")
async def ledger(visit: Viewing, db: DatabaseDep, recipes: RecipesDep, runs: RunsDep) -> Response:
    """Records by the filters of the address."""
    asked = visit.request.query_params
    view = await listed(LedgerSearch(db), filters_of(asked), cursor_of(asked))
    view.verifiers = list(registry.names())
    view.recipes = [recipe.name for recipe in recipes.all()]
    view.runs = [run.id for run in await runs.recent(_RUNS)]
    return visit.show("ledger.html", view)


@router.get("/ledger/{record}")
async def sample(record: str, visit: Viewing, db: DatabaseDep, recipes: RecipesDep, whole: bool = False) -> Response:
    """A verdict's or a reward's sample; ``?whole=true`` computes the arithmetic of however large a request."""
    detail = await detail_of(db, record)
    view = await _shown(visit, db, recipes, detail, recorded(detail, recipes), whole)
    return await visit.show_apart("sample.html", view)


@router.post("/ledger/{record}/again")
async def again(record: str, visit: Judging, db: DatabaseDep, recipes: RecipesDep, path: PathDep) -> Response:
    """Judges the recorded sample on the one path, as evaluation outside of any run, beside what was said then."""
    detail = await detail_of(db, record)
    form, by = visit.form(AgainForm), recorded(detail, recipes)
    body = by.body if form.judge == by.judge else None
    try:
        said = await judged(state(detail, form.judge), path, db, visit.caller, _place(visit), body)
    except AnsweredError as refusal:
        view = await _shown(visit, db, recipes, detail, by)
        view.problem, view.judge = refusal.problem(), form.judge
        return await visit.show_apart("sample.html", view, refusal.status)
    view = await _shown(visit, db, recipes, detail, by)
    view.again, view.judge = compared(detail, form.judge, said), form.judge
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


async def _shown(
    visit: Visit, db: DatabaseDep, recipes: RecipesService, detail: Detail, by: Recorded, whole: bool = False
) -> SampleView:
    """With what may judge and label it, for whoever may."""
    near = await beside(db, detail, visit.request.query_params)
    view = await shown(db, detail, near, calls(detail, by, _place(visit)), whole)
    view.judge = by.judge
    if visit.may("score"):
        view.verifiers, view.recipes = verifier_choices(), recipe_choices(by, detail, recipes)
    if visit.may("label"):
        view.annotator = await annotator_of(visit)
    return view


def _place(visit: Visit) -> Place:
    base = visit.request.base_url
    return Place(f"{base.scheme}://{base.netloc}", visit.request.state.settings.needs_keys)
