"""What judged a record, and the record judged again."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import JsonValue

from app.pages.ledger.views import JudgedAgain
from app.pages.playground.service import ServiceAddress, parse_form, state_of
from app.pages.playground.sharing import link_of
from app.pages.playground.views import Choice, Judged, PlaygroundForm, SampleCalls
from app.recipes.service import RecipesService
from trueward.errors import NotFound
from trueward.wire.record import RewardDetail, VerdictDetail
from trueward.wire.reward import Reward
from trueward.wire.verdict import Verdict
from verifiers import registry

Detail = VerdictDetail | RewardDetail


class RecordedJudge(NamedTuple):
    """What judged a record, as the playground names it; ``body`` is the content of a recipe that has no name here."""

    judge: str
    body: dict[str, JsonValue] | None = None


def name_judge(detail: Detail, recipes: RecipesService) -> RecordedJudge:
    """A recipe by its name alone where the name stands for the recorded content, else with the hash."""
    if isinstance(detail, VerdictDetail):
        producer = detail.verdict.producer
        return RecordedJudge(f"verifier:{producer.name if producer else ''}")
    name = f"{detail.recipe_name}@{detail.recipe}"
    if any(one.hash == detail.recipe and one.name == detail.recipe_name for one in recipes.all()):
        return RecordedJudge(f"recipe:{detail.recipe_name}")
    try:
        recipes.find(name)
    except NotFound:
        return RecordedJudge(f"recipe:{name}", detail.recipe_body)
    return RecordedJudge(f"recipe:{name}")


def state(detail: Detail, judge: str) -> PlaygroundForm:
    """The sample in the playground's form; with the recorded parameters where the same verifier judges again."""
    producer = detail.verdict.producer if isinstance(detail, VerdictDetail) else None
    same = isinstance(detail, VerdictDetail) and producer is not None and judge == f"verifier:{producer.name}"
    params = detail.params if same and isinstance(detail, VerdictDetail) else None
    return state_of(judge, detail.content, params or {})


def calls(detail: Detail, by: RecordedJudge, place: ServiceAddress) -> SampleCalls:
    """The recorded sample to take along, judged by what judged it."""
    filled = state(detail, by.judge)
    return parse_form(filled, by.body).calls(place, link_of(filled) if by.body is None else "")


def verifier_choices() -> list[Choice]:
    return [Choice(name=name, summary=kind.version) for name, kind in registry.load_all().items()]


def recipe_choices(by: RecordedJudge, detail: Detail, recipes: RecipesService) -> list[Choice]:
    """Those of now, and the recorded content where no name stands for it any more."""
    known = [Choice(name=one.name, summary=one.hash) for one in recipes.all()]
    kind, _, name = by.judge.partition(":")
    if isinstance(detail, RewardDetail) and kind == "recipe" and name not in {one.name for one in known}:
        known.append(Choice(name=name, summary=detail.recipe))
    return known


def compare_verdicts(detail: Detail, judge: str, said: Judged) -> JudgedAgain:
    then = detail.reward if isinstance(detail, RewardDetail) else detail.verdict
    now = said.reward or next(iter(said.verdicts.values()))
    return JudgedAgain(judge=judge, then=then, now=now, made_then=_producer_title(then), made_now=_producer_title(now))


def _producer_title(said: Verdict | Reward) -> str:
    """By whom; a reward's recipe is named beside it."""
    producers = said.producers if isinstance(said, Reward) else [said.producer] if said.producer else []
    return ", ".join(f"{one.name} {one.version} {one.params[:19]}" for one in producers)
