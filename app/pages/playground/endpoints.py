"""The playground's page: the form, filled by an example or a link, and what came of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from app.pages.playground.service import ServiceAddress, judge_sample, state_of
from app.pages.playground.views import Choice, PlaygroundForm, PlaygroundView
from app.pages.visit import Visit, visitor
from app.recipes.service import RecipesService
from app.state import DatabaseDep, PathDep, RecipesDep
from trueward.authoring.verifier import describe
from trueward.errors import AnsweredError, NotFound
from trueward.wire.verifier import VerifierInfo
from verifiers import registry

router = APIRouter(prefix="/ui", include_in_schema=False)
Playing = Annotated[Visit, Depends(visitor("score"))]
_SHOWN_KINDS = ("verifier", "recipe")


@router.get("/playground")
async def playground(
    visit: Playing,
    recipes: RecipesDep,
    judge: Annotated[str, Query(max_length=400)] = "verifier:math",
    example: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """The form; ``?judge=verifier:exact&example=0`` fills it with the verifier's example."""
    kind, _, name = judge.partition(":")
    if kind not in _SHOWN_KINDS:
        raise NotFound("?judge= names verifier:<name> or recipe:<name>")
    state = PlaygroundForm(judge=judge) if example is None else _example(name, example)
    return visit.show("playground.html", _view(state, recipes))


@router.post("/playground")
async def play(visit: Playing, recipes: RecipesDep, path: PathDep, db: DatabaseDep) -> Response:
    """Judges what was posted; a refusal is shown beside the form as it was sent."""
    state = visit.form(PlaygroundForm)
    view = _view(state, recipes)
    base = visit.request.base_url
    place = ServiceAddress(f"{base.scheme}://{base.netloc}", visit.request.state.settings.needs_keys)
    try:
        view.judged = await judge_sample(state, path, db, visit.caller, place)
    except AnsweredError as refusal:
        view.problem = refusal.problem()
        return visit.show("playground.html", view, refusal.status)
    return await visit.show_apart("playground.html", view)


def _view(state: PlaygroundForm, recipes: RecipesService) -> PlaygroundView:
    verifiers = [_choice(describe(kind)) for kind in registry.load_all().values()]
    listed = [Choice(name=recipe.name, summary=recipe.description) for recipe in recipes.all()]
    kind, _, name = state.judge.partition(":")
    chosen = next((one for one in (listed if kind == "recipe" else verifiers) if one.name == name), None)
    return PlaygroundView(state=state, verifiers=verifiers, recipes=listed, chosen=chosen)


def _choice(info: VerifierInfo) -> Choice:
    return Choice(name=info.name, summary=info.summary, needs=info.needs, examples=len(info.examples))


def _example(name: str, number: int) -> PlaygroundForm:
    examples = describe(registry.get(name)).examples if name in registry.names() else []
    if number >= len(examples):
        raise NotFound(f"there is no such example: {name[:100]!r} has {len(examples)}")
    example = examples[number]
    sample, params = example["sample"], example.get("params")
    assert isinstance(sample, dict)
    return state_of(f"verifier:{name}", sample, params if isinstance(params, dict) else {})
