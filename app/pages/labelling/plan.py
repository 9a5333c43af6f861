"""A sampling plan as a form: the fields of a draw as texts, an empty one where nothing is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from pydantic import Field, JsonValue, ValidationError

from app.kit.problems import list_problems
from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.aim import LabelAim
from trueward.wire.audit import Population, Subject
from trueward.wire.base import Wire
from trueward.wire.draw import DrawRequest


class LabellingPlan(Wire):
    """``subject`` and ``other`` are ``verifier:<name>`` or ``recipe:<name>``; a query without a probability is not
    asked."""

    name: str = Field("", max_length=256)
    guidelines: str = Field("", max_length=20_000)
    subject: str = "verifier:math"
    threshold: str = ""
    run: str = ""
    other: str = ""
    disagreement: str = "1"
    suspected_reference: str = ""
    near_threshold: str = ""
    margin: str = "0.1"
    group_jump: str = ""
    new_form: str = ""
    random_stratified: str = ""
    rest: str = "0.05"
    limit: str = "200"
    annotators_per_item: str = "1"
    hold_s: str = "600"
    seed: str = "0"


class RunForm(Wire):
    """The verifier whose errors in a run are to be counted."""

    run: str = Field(max_length=512)
    verifier: str = Field(max_length=200)


def aim_of(form: RunForm) -> LabelAim:
    """The false-positive rate, to 10 points; the first batch is about a hundred responses."""
    return LabelAim(
        subject=Subject(verifier=form.verifier), population=Population(run=form.run), width=_WIDTH, first=_FIRST
    )


Value = TypeVar("Value")
_WIDTH, _FIRST = 0.1, 100
_QUERIES = ("near_threshold", "group_jump", "new_form", "random_stratified")
_COMPARING = {"disagreement": "other", "suspected_reference": "second"}


def request_of(plan: LabellingPlan) -> DrawRequest:
    """Raises :class:`InvalidRequest` that names the fields."""
    subject = _subject(plan.subject)
    if plan.threshold.strip():
        subject["threshold"] = _float(plan, "threshold")
    asked: dict[str, JsonValue] = {
        "name": plan.name,
        "guidelines": plan.guidelines,
        "subject": subject,
        "population": {"run": plan.run} if plan.run else {},
        "queries": list(_queries(plan)),
    }
    asked |= {name: _float(plan, name) for name in ("rest", "hold_s") if getattr(plan, name).strip()}
    asked |= {
        name: _int(plan, name) for name in ("limit", "annotators_per_item", "seed") if getattr(plan, name).strip()
    }
    try:
        return DrawRequest.model_validate(asked)
    except ValidationError as refusal:
        fields = list_problems(refusal)
        raise InvalidRequest("; ".join(f"{one.field}: {one.detail}" for one in fields), errors=fields) from None


def _queries(plan: LabellingPlan) -> list[JsonValue]:
    queries: list[JsonValue] = []
    for name, role in _COMPARING.items():
        if plan.other and getattr(plan, name).strip():
            queries.append({"query": name, "probability": _float(plan, name), role: _subject(plan.other)})
    for name in _QUERIES:
        if getattr(plan, name).strip():
            query: dict[str, JsonValue] = {"query": name, "probability": _float(plan, name)}
            queries.append(query | {"margin": _float(plan, "margin")} if name == "near_threshold" else query)
    return queries


def _subject(text: str) -> dict[str, JsonValue]:
    kind, _, name = text.partition(":")
    return {kind if kind in ("verifier", "recipe") else "verifier": name}


def _float(plan: LabellingPlan, field: str) -> float:
    return _read(plan, field, float, "a number")


def _int(plan: LabellingPlan, field: str) -> int:
    return _read(plan, field, int, "a whole number")


def _read(plan: LabellingPlan, field: str, kind: Callable[[str], Value], wanted: str) -> Value:
    try:
        return kind(getattr(plan, field))
    except ValueError:
        wrong = FieldProblem(field=field, code="number", detail=f"must be {wanted}")
        raise InvalidRequest(f"{field} must be {wanted}", errors=[wrong]) from None
