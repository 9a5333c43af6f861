"""OpenAI's graders: ``POST /v1/fine_tuning/alpha/graders/run`` and ``/validate``.

Request ``{"grader", "model_sample", "item"}``; the answer has ``reward``, always a number, and says in
``metadata.errors`` what went wrong. A missing score is reward 0.0 with a flag there, as at OpenAI. The flags do not say
whose doing it was: ``metadata.trueward`` does, and names the record. A grader that is wrong in itself (a bad template
or formula, an unknown model) is refused with 400, for no sample could be graded with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictStr

from judges.asking.ask import REFUSED
from judges.base import ModelFailure
from judges.grader.python import NoSandbox
from trueward.wire.sample import Sample
from trueward.wire.scoring import VerifyRequest
from trueward.wire.verdict import Outcome, Verdict

DEADLINE_S = 540.0
"""Seconds to answer in; the client's own limit is 600."""

VERIFIER = "grader"


class GraderRun(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    grader: dict[StrictStr, JsonValue]
    model_sample: StrictStr
    item: Annotated[JsonValue, Field(description="what templates call `item`")] = None


class GraderToValidate(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    grader: dict[StrictStr, JsonValue]


class ValidatedGrader(BaseModel):
    grader: dict[str, JsonValue]


class GraderErrors(BaseModel):
    model_config = ConfigDict(protected_namespaces=())

    formula_parse_error: bool = False
    sample_parse_error: bool = False
    truncated_observation_error: bool = False
    unresponsive_reward_error: bool = False
    invalid_variable_error: bool = False
    other_error: bool = False
    python_grader_server_error: bool = False
    python_grader_server_error_type: str | None = None
    python_grader_runtime_error: bool = False
    python_grader_runtime_error_details: str | None = None
    model_grader_server_error: bool = False
    model_grader_refusal_error: bool = False
    model_grader_parse_error: bool = False
    model_grader_server_error_details: str | None = None


class GraderTokens(BaseModel):
    prompt_tokens: int
    total_tokens: int
    completion_tokens: int
    cached_tokens: int = 0


class GraderVerdict(BaseModel):
    """Ours beside OpenAI's fields: what the verdict says, and its record in the ledger."""

    outcome: Outcome
    reason_code: str
    reason: str
    record: str | None


class GraderMetadata(BaseModel):
    name: str
    type: str
    errors: GraderErrors
    execution_time: float
    scores: dict[str, float]
    token_usage: int | None
    sampled_model_name: str | None
    trueward: GraderVerdict


class GraderAnswer(BaseModel):
    """``token_usage`` is the sum of all tokens: so the client's type has it."""

    model_config = ConfigDict(protected_namespaces=())

    reward: float
    sub_rewards: dict[str, float]
    model_grader_token_usage_per_model: dict[str, GraderTokens]
    metadata: GraderMetadata


def parse(body: GraderRun) -> VerifyRequest:
    metadata: dict[str, JsonValue] = {} if body.item is None else {"item": body.item}
    sample = Sample(response=body.model_sample, metadata=metadata)
    return VerifyRequest(verifier=VERIFIER, params={"grader": body.grader}, deadline_s=DEADLINE_S, samples=[sample])


def render(grader: Mapping[str, JsonValue], verdict: Verdict) -> GraderAnswer:
    evidence = verdict.evidence
    parts = _numbers(evidence.get("sub_rewards"))
    tokens = _tokens(evidence.get("models"))
    return GraderAnswer(
        reward=_numbers(evidence).get("reward", 0.0),
        sub_rewards=parts,
        model_grader_token_usage_per_model=tokens,
        metadata=GraderMetadata(
            name=str(grader.get("name", "")),
            type=str(grader.get("type", "")),
            errors=errors_of(verdict),
            execution_time=verdict.elapsed_s,
            scores=parts,
            token_usage=sum(one.total_tokens for one in tokens.values()) if tokens else None,
            sampled_model_name=next(iter(tokens)) if len(tokens) == 1 else None,
            trueward=GraderVerdict(
                outcome=verdict.outcome,
                reason_code=verdict.reason_code,
                reason=verdict.reason,
                record=verdict.record,
            ),
        ),
    )


def errors_of(verdict: Verdict) -> GraderErrors:
    """What is flagged: every missing score, and of a response's own failures those that OpenAI has a flag for."""
    code, outcome = verdict.reason_code, verdict.outcome
    said = f"{code}: {verdict.reason}"[:500]
    if not outcome.missing and outcome is not Outcome.INVALID:
        return GraderErrors()
    if code in _UNREADABLE and verdict.reason.endswith(REFUSED):
        return GraderErrors(model_grader_refusal_error=True)
    if code in _PYTHON:
        return GraderErrors(python_grader_runtime_error=True, python_grader_runtime_error_details=said)
    if code == NoSandbox.code:
        return GraderErrors(python_grader_server_error=True, python_grader_server_error_type=said)
    if code in _FLAGS:
        return GraderErrors.model_validate({_FLAGS[code]: True})
    if outcome is Outcome.TIMEOUT:
        return GraderErrors(unresponsive_reward_error=True)
    if outcome is Outcome.ERROR and code in _MODEL:
        return GraderErrors(model_grader_server_error=True, model_grader_server_error_details=said)
    return GraderErrors(other_error=outcome.missing)


_PYTHON = frozenset({"grader_broken", "grader_failed", "resource_limit"})
_MODEL = frozenset({ModelFailure.code, *(kind.code for kind in ModelFailure.__subclasses__())})
_UNREADABLE = ("judge_malformed", "unjudgeable")
_FLAGS = {
    "no_variable": "invalid_variable_error",
    "no_json": "sample_parse_error",
    "formula_undefined": "formula_parse_error",
    "too_long": "truncated_observation_error",
    "field_too_long": "truncated_observation_error",
    "prompt_too_long": "truncated_observation_error",
    **dict.fromkeys(_UNREADABLE, "model_grader_parse_error"),
}


def _numbers(value: JsonValue) -> dict[str, float]:
    found = value if isinstance(value, dict) else {}
    return {name: float(one) for name, one in found.items() if isinstance(one, (int, float))}


def _tokens(value: JsonValue) -> dict[str, GraderTokens]:
    found: dict[str, GraderTokens] = {}
    for model, usage in value.items() if isinstance(value, dict) else []:
        told = _numbers(usage)
        read, written = int(told["tokens_read"]), int(told["tokens_written"])
        found[model] = GraderTokens(prompt_tokens=read, completion_tokens=written, total_tokens=read + written)
    return found
