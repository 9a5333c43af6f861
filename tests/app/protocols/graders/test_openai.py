"""What a verdict on a grader becomes in OpenAI's protocol: every flag, and every field that its client's type has."""

from __future__ import annotations

import json

import pytest
from openai import BaseModel
from openai.types.fine_tuning.alpha import GraderRunResponse
from openai.types.fine_tuning.alpha.grader_run_response import Metadata, MetadataErrors

from app.protocols.graders.openai import GraderAnswer, GraderRun, errors_of, parse, render
from judges.asking.ask import REFUSED
from trueward.wire.verdict import Outcome, Verdict

GRADED = Verdict.scored(
    0.75,
    "graded",
    evidence={
        "reward": 0.75,
        "sub_rewards": {"a": 0.5, "b": 1.0},
        "models": {"m": {"tokens_read": 10, "tokens_written": 3}},
    },
)


def fields(kind: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in kind.model_fields.items()}


def flags(verdict: Verdict) -> set[str]:
    return {name for name, value in errors_of(verdict) if value is True}


def test_every_field_of_the_client_s_type_is_there_and_parses() -> None:
    answer = json.loads(render({"type": "multi", "name": "n"}, GRADED).model_dump_json())
    assert answer.keys() == fields(GraderRunResponse)
    assert answer["metadata"].keys() - {"trueward"} == fields(Metadata)
    assert answer["metadata"]["errors"].keys() == fields(MetadataErrors)
    read = GraderRunResponse.model_validate(answer)
    assert (read.reward, read.sub_rewards, read.metadata.scores) == (0.75, {"a": 0.5, "b": 1.0}, {"a": 0.5, "b": 1.0})
    assert (read.metadata.name, read.metadata.type, read.metadata.token_usage) == ("n", "multi", 13)
    assert read.metadata.sampled_model_name == "m"
    assert read.api_model_grader_token_usage_per_model == {
        "m": {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13, "cached_tokens": 0}
    }


@pytest.mark.parametrize(
    ("verdict", "flag"),
    [
        (Verdict.abstained("no_variable"), "invalid_variable_error"),
        (Verdict.invalid("no_variable"), "invalid_variable_error"),
        (Verdict.invalid("no_json"), "sample_parse_error"),
        (Verdict.invalid("formula_undefined"), "formula_parse_error"),
        (Verdict.invalid("too_long"), "truncated_observation_error"),
        (Verdict.abstained("prompt_too_long"), "truncated_observation_error"),
        (Verdict.abstained("grader_broken"), "python_grader_runtime_error"),
        (Verdict.invalid("grader_failed"), "python_grader_runtime_error"),
        (Verdict.invalid("resource_limit"), "python_grader_runtime_error"),
        (Verdict.error("sandbox_failed"), "python_grader_server_error"),
        (Verdict.error("model_unavailable"), "model_grader_server_error"),
        (Verdict.error("budget_spent"), "model_grader_server_error"),
        (Verdict.error("judge_malformed", "m did not reply in the form: it has no JSON"), "model_grader_parse_error"),
        (Verdict.error("judge_malformed", f"m did not reply in the form: {REFUSED}"), "model_grader_refusal_error"),
        (Verdict.invalid("unjudgeable", f"m did not reply in the form: {REFUSED}"), "model_grader_refusal_error"),
        (Verdict.invalid("unjudgeable"), "model_grader_parse_error"),
        (Verdict.timeout("deadline"), "unresponsive_reward_error"),
        (Verdict.error("ledger_unavailable"), "other_error"),
        (Verdict.error("verifier_crashed"), "other_error"),
        (Verdict.abstained("no_reference"), "other_error"),
    ],
)
def test_a_score_that_is_missing_is_flagged_and_the_reward_is_nothing(verdict: Verdict, flag: str) -> None:
    assert flags(verdict) == {flag}
    assert render({"type": "python"}, verdict).reward == 0.0


@pytest.mark.parametrize("code", ["empty", "nothing_said", "no_text", "unclosed_thinking"])
def test_what_openai_has_no_flag_for_is_a_grade_of_nothing(code: str) -> None:
    assert flags(Verdict.invalid(code)) == set()


@pytest.mark.parametrize("outcome", [Outcome.ABSTAINED, Outcome.TIMEOUT, Outcome.ERROR])
def test_no_missing_score_is_without_a_flag(outcome: Outcome) -> None:
    assert flags(Verdict(outcome=outcome, reason_code="whatever_comes"))


def test_a_grade_has_no_flag() -> None:
    assert flags(GRADED) == flags(Verdict.correct("passed")) == flags(Verdict.incorrect("failed")) == set()


def test_the_reward_is_the_number_though_a_line_was_drawn() -> None:
    assert render({}, Verdict.correct("passed", evidence={"reward": 0.7})).reward == 0.7


def test_who_is_to_blame_and_the_record_are_told_beside_openai_s_fields() -> None:
    verdict = Verdict.invalid("no_json", "why").model_copy(update={"record": "01J"})
    said = render({}, verdict).metadata.trueward
    assert (said.outcome, said.reason_code, said.reason, said.record) == (Outcome.INVALID, "no_json", "why", "01J")


def test_a_request_becomes_one_sample() -> None:
    grader = {"type": "string_check"}
    request = parse(
        GraderRun.model_validate({"grader": grader, "model_sample": "4", "item": {"answer": "4"}, "more": 1})
    )
    assert (request.verifier, request.params) == ("grader", {"grader": grader})
    [sample] = request.samples
    assert (sample.response, sample.metadata) == ("4", {"item": {"answer": "4"}})
    [bare] = parse(GraderRun.model_validate({"grader": grader, "model_sample": ""})).samples
    assert (bare.response, bare.metadata) == ("", {})
    assert isinstance(render(grader, GRADED), GraderAnswer)
