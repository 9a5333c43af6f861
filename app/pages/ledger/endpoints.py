"""The explorer, the page of one record, and the sample of one judged again."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import Field

from app.pages.ledger.listing import cursor_of, filters_of, listed
from app.pages.ledger.sample import Detail, detail_of, shown, state
from app.pages.ledger.views import Again, SampleView
from app.pages.playground.service import Place, judged
from app.pages.playground.views import Choice, Judged
from app.pages.visit import Visit, visitor
from app.recipes.service import RecipesService
from app.state import DatabaseDep, PathDep, RecipesDep, RunsDep
from app.verdicts.search import LedgerSearch
from trueward.errors import AnsweredError
from trueward.records import RewardDetail
from trueward.types import Reward, Verdict, Wire
from verifiers import registry

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Judging = Annotated[Visit, Depends(visitor("score"))]
_RUNS = 50


class AgainForm(Wire):
    judge: str = Field(max_length=400)


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
    return visit.show("sample.html", await _shown(visit, db, recipes, await detail_of(db, record), whole))


@router.post("/ledger/{record}/again")
async def again(record: str, visit: Judging, db: DatabaseDep, recipes: RecipesDep, path: PathDep) -> Response:
    """Judges the recorded sample on the one path, as evaluation outside of any run, beside what was said then."""
    detail = await detail_of(db, record)
    form = visit.form(AgainForm)
    base = visit.request.base_url
    place = Place(f"{base.scheme}://{base.netloc}", visit.request.state.settings.needs_keys)
    try:
        said = await judged(state(detail, form.judge), path, db, visit.caller, place)
    except AnsweredError as refusal:
        view = await _shown(visit, db, recipes, detail)
        view.problem, view.judge = refusal.problem(), form.judge
        return visit.show("sample.html", view, refusal.status)
    view = await _shown(visit, db, recipes, detail)
    view.again, view.judge = _compared(detail, form.judge, said), form.judge
    return visit.show("sample.html", view)


async def _shown(
    visit: Visit, db: DatabaseDep, recipes: RecipesService, detail: Detail, whole: bool = False
) -> SampleView:
    """With what may judge it again, for whoever may."""
    view = await shown(db, detail, whole)
    if visit.may("score"):
        view.verifiers = [Choice(name=name, summary=registry.get(name).version) for name in registry.names()]
        view.recipes = [Choice(name=one.name, summary=one.hash) for one in recipes.all()]
        if isinstance(detail, RewardDetail) and detail.recipe not in {one.summary for one in view.recipes}:
            view.recipes.append(Choice(name=f"{detail.recipe_name}@{detail.recipe}", summary=detail.recipe))
    return view


def _compared(detail: Detail, judge: str, said: Judged) -> Again:
    then = detail.reward if isinstance(detail, RewardDetail) else detail.verdict
    now = said.reward or next(iter(said.verdicts.values()))
    return Again(judge=judge, then=then, now=now, made_then=_made(then), made_now=_made(now))


def _made(said: Verdict | Reward) -> str:
    """By whom; a reward's recipe is named beside it."""
    producers = said.producers if isinstance(said, Reward) else [said.producer] if said.producer else []
    return ", ".join(f"{one.name} {one.version} {one.params[:19]}" for one in producers)
