"""Judges the playground's sample on the one path, as evaluation and outside any run, so that no estimate sees it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from app.kit.body import parse
from app.kit.db import Database
from app.kit.problems import list_problems
from app.pages.playground.sharing import calls_of, link_of
from app.pages.playground.views import Judged, PlaygroundForm, SampleCalls
from app.pages.sample.view import describe_sample, findings
from app.path.caller import Caller
from app.path.path import Path
from app.replay.explain import explain_record
from app.verdicts.repository import VerdictsRepository
from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.record import RewardDetail
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.verdict import Verdict

Content = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ServiceAddress:
    """Where the service answers, and whether it asks for keys: for what is there to copy."""

    url: str
    needs_keys: bool


async def judge_sample(
    state: PlaygroundForm,
    path: Path,
    db: Database,
    caller: Caller,
    place: ServiceAddress,
    recipe: Content | None = None,
) -> Judged:
    """``recipe`` is the content that is judged by, where it has no name. Raises what the API would refuse the same
    sample with."""
    asked = parse_form(state, recipe)
    shown = await (_rewarded if asked.kind == "recipe" else _verified)(asked, path, db, caller)
    shown.told = await asyncio.to_thread(describe_sample, asked.sample, findings(list(shown.verdicts.values())))
    shown.calls = asked.calls(place, link_of(state))
    return shown


def parse_form(state: PlaygroundForm, recipe: Content | None = None) -> PlaygroundRequest:
    """Raises :class:`InvalidRequest` for a field of the form that is wrong."""
    kind, _, name = state.judge.partition(":")
    return PlaygroundRequest(
        kind, name if recipe is None else recipe, sample_of(state), _object(state.params, "params")
    )


@dataclass(frozen=True, slots=True)
class PlaygroundRequest:
    """A sample and what judges it: ``name`` is a verifier's or a recipe's, or the content of a recipe."""

    kind: str
    name: str | Content
    sample: Sample
    params: dict[str, JsonValue]

    def calls(self, place: ServiceAddress, link: str) -> SampleCalls:
        return calls_of(place.url, self.kind, self.body(), link, place.needs_keys)

    def body(self) -> dict[str, JsonValue]:
        """As the API takes it."""
        sample = self.sample.model_dump(mode="json", exclude_unset=True)
        named: dict[str, JsonValue] = {"recipe": self.name} if self.kind == "recipe" else {"verifier": self.name}
        if self.params and self.kind != "recipe":
            named["params"] = self.params
        return {**named, "split": "eval", "samples": [sample]}


async def _verified(asked: PlaygroundRequest, path: Path, db: Database, caller: Caller) -> Judged:
    [verdict] = await path.verify(VerifyRequest.model_validate(asked.body()), caller)
    return Judged(verdicts={str(asked.name): verdict})


async def _rewarded(asked: PlaygroundRequest, path: Path, db: Database, caller: Caller) -> Judged:
    """With what the ledger has of it: the verdicts of the terms, and every step of the arithmetic."""
    [reward] = (await path.rewards(RewardsRequest.model_validate(asked.body()), caller)).rewards
    if reward.record is None:
        return Judged(verdicts={}, reward=reward)
    detail = await VerdictsRepository(db).find(reward.record)
    verdicts: dict[str, Verdict] = {}
    if isinstance(detail, RewardDetail):
        for record in detail.verdicts:
            producer = record.verdict.producer
            name = producer.name if producer else "verdict"
            verdicts[name if name not in verdicts else f"{name} ({len(verdicts) + 1})"] = record.verdict
    return Judged(verdicts=verdicts, reward=reward, arithmetic=(await explain_record(db, reward.record)).lines)


def sample_of(state: PlaygroundForm) -> Sample:
    """Raises :class:`InvalidRequest` where a text should be JSON and is not, or a field has the wrong type."""
    fields: dict[str, JsonValue] = _object(state.more, "more")
    fields["response"] = state.response
    if state.prompt:
        fields["prompt"] = state.prompt
    if state.reference:
        is_text = state.reference_is == "text"
        fields["reference"] = state.reference if is_text else parse(state.reference.encode(), "reference")
    try:
        return Sample.model_validate(fields)
    except ValidationError as refusal:
        raise InvalidRequest("a field of the sample has the wrong type", errors=list_problems(refusal)) from None


def state_of(judge: str, sample: dict[str, JsonValue], params: dict[str, JsonValue]) -> PlaygroundForm:
    """The form that a sample fills."""
    rest = dict(sample)
    known = {name: rest.pop(name) for name in ("prompt", "response") if isinstance(rest.get(name), str)}
    reference = rest.pop("reference", None)
    is_text = isinstance(reference, str)
    return PlaygroundForm(
        judge=judge,
        **known,
        reference="" if reference is None else reference if is_text else _json(reference),
        reference_is="text" if is_text or reference is None else "json",
        params=_json(params) if params else "",
        more=_json(rest) if rest else "",
    )


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _object(text: str, field: str) -> dict[str, JsonValue]:
    if not text.strip():
        return {}
    value = parse(text.encode(), field)
    if not isinstance(value, dict):
        wrong = FieldProblem(field=field, code="dict_type", detail="must be a JSON object")
        raise InvalidRequest(f"{field} must be a JSON object, such as {{}}", errors=[wrong])
    return value
