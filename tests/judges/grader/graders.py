"""Grader objects for tests, and what the verifier says with them."""

from __future__ import annotations

from pydantic import JsonValue

from judges.grader import GraderVerifier
from tests.judges.replies import Replies, verdict_of
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Verdict

Object = dict[str, JsonValue]
TEXT = "{{ sample.output_text }}"
ANSWER = "{{ item.answer }}"


def nobody(text: str) -> str:
    raise AssertionError("no model is asked")


def check(operation: str = "eq", given: str = TEXT, wanted: str = ANSWER) -> Object:
    return {"type": "string_check", "name": "check", "input": given, "reference": wanted, "operation": operation}


def similar(metric: str, **more: JsonValue) -> Object:
    return {
        "type": "text_similarity",
        "name": "similar",
        "input": TEXT,
        "reference": ANSWER,
        "evaluation_metric": metric,
        **more,
    }


def score(content: JsonValue = f"Reference: {ANSWER}. Model answer: {TEXT}", **more: JsonValue) -> Object:
    return {
        "type": "score_model",
        "name": "score",
        "model": "judge",
        "input": [{"role": "user", "content": content}],
        **more,
    }


def label(**more: JsonValue) -> Object:
    return {
        "type": "label_model",
        "name": "label",
        "model": "judge",
        "input": [{"role": "developer", "content": "Label it."}, {"role": "user", "content": TEXT}],
        "labels": ["good", "fair", "bad"],
        "passing_labels": ["good", "fair"],
        **more,
    }


def multi(formula: str, **graders: Object) -> Object:
    return {"type": "multi", "name": "multi", "graders": dict(graders), "calculate_output": formula}


def verifier(grader: Object, scope: str = "response") -> GraderVerifier:
    return GraderVerifier(GraderVerifier.Params.model_validate({"grader": grader, "scope": scope}))  # type: ignore[arg-type]


def graded(
    grader: Object,
    response: str | list[Message] = "4",
    item: JsonValue = None,
    models: Replies | None = None,
    *,
    scope: str = "response",
) -> Verdict:
    metadata: dict[str, JsonValue] = {} if item is None else {"item": item}
    sample = Sample(response=response, metadata=metadata)
    return verdict_of(verifier(grader, scope), sample, models or Replies(nobody))
