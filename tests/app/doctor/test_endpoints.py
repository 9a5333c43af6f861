"""A service, runs whose trainer or data has a fault, and the doctor who names it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from pydantic import JsonValue

from tests.app.conftest import Api
from tests.services import Keyed
from trueward import Client
from trueward.client.plan import Recipe
from trueward.wire.diagnosis import RunDiagnosis

RECIPE: Recipe = {"terms": [{"verifier": "math", "params": {"extract": "boxed"}}]}


def sent(api: Api, run: str, text: str, *, recipe: Recipe = RECIPE, **fields: Any) -> None:
    """128 responses to 32 prompts, as a trainer's client sends them; half of the answers are right."""
    samples = [
        {
            "id": str(place),
            "prompt": f"{place // 4} + {place // 4}?",
            "response": text.format(answer=place // 4 * 2 + place % 2, place=place),
            "reference": str(place // 4 * 2),
            "finish_reason": "stop",
        }
        | {name: value(place) for name, value in fields.items()}
        for place in range(128)
    ]
    with Client(api.url) as client:
        for step in range(2):
            client.reward(samples[step * 64 :][:64], recipe=recipe, run=run, step=step)


def diagnosis(api: Api, run: str, **query: object) -> RunDiagnosis:
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    answer = api.get(f"/v1/runs/{quote(run, safe='')}/doctor?{asked}")
    assert answer.status_code == 200, answer.text
    return RunDiagnosis.model_validate_json(answer.content)


def test_the_extraction_that_would_pay_is_found_by_judging_again(api: Api) -> None:
    run = "doctor/tags?"
    sent(api, run, "I think so, response {place}. <answer>{answer}</answer>")
    said = diagnosis(api, run)
    first = said.faults[0]
    assert first.kind == "no_answer"
    assert "100% `no_answer`: the responses write <answer>, the verifier reads \\boxed" in first.sentence
    assert first.estimate is not None
    assert (first.estimate.extract, first.estimate.judged) == ("tag", 128)
    assert (first.estimate.answers, first.estimate.paid, first.estimate.paid_before) == (128, 64, 0)
    assert "With `extract: tag` 100% of these samples would have an answer" in first.advice
    assert len(first.records) == 3
    assert api.get(f"/v1/verdicts/{first.records[0]}").json()["run"] == run


def test_answers_that_are_found_and_wrong_are_said_to_be_both(api: Api) -> None:
    sent(api, "doctor/wrong", "The response {place}: <answer>-{answer}5</answer>")
    estimate = diagnosis(api, "doctor/wrong").faults[0].estimate
    assert estimate is not None
    assert (estimate.answers, estimate.answers_before, estimate.paid, estimate.paid_before) == (128, 0, 0, 0)


def test_thinking_that_never_ends_has_an_answer_by_no_rule_and_the_form_that_is_written_is_told(api: Api) -> None:
    """A laxer rule finds the few in another form, too, and pays no more than a little more."""

    def response(place: int) -> str:
        answer = place // 4 * 2 + place % 2
        if place % 4 == 3:
            return f"<think>We add. The sum is {answer}, or is it"
        return "<think>We add.</think> " + (f"\\boxed{{{answer}}}" if place == 0 else f"<answer>{answer}</answer>")

    sent(api, "doctor/cut", "", response=response)
    first, second = diagnosis(api, "doctor/cut").faults[:2]
    assert (first.kind, second.kind) == ("no_answer", "unclosed_thinking")
    estimate = first.estimate
    assert estimate is not None
    assert (estimate.extract, estimate.answers_before, estimate.answers) == ("tag", 1, 95)


def test_judging_again_records_nothing_and_moves_no_run(api: Api) -> None:
    run = "doctor/unmoved"
    sent(api, run, "The response {place}: <answer>{answer}</answer>")
    before = (api.get(f"/v1/runs/{quote(run, safe='')}").json(), api.get(f"/v1/verdicts?run={run}&limit=1000").json())
    total = len(api.get("/v1/verdicts?limit=1000").json()["verdicts"])
    assert diagnosis(api, run).faults[0].estimate is not None
    after = (api.get(f"/v1/runs/{quote(run, safe='')}").json(), api.get(f"/v1/verdicts?run={run}&limit=1000").json())
    assert before == after
    assert len(api.get("/v1/verdicts?limit=1000").json()["verdicts"]) == total


def test_a_clean_run_has_nothing_wrong_and_no_promise(api: Api) -> None:
    sent(api, "doctor/clean", "By adding, response {place}: \\boxed{{{answer}}}")
    said = diagnosis(api, "doctor/clean")
    assert said.faults == []
    assert said.sentence == "Nothing wrong found in 128 records; this does not say that the rewards are right."


def test_a_run_that_was_only_verified_is_examined_too(api: Api) -> None:
    samples = [{"response": f"\\boxed{{{place}}}", "reference": None, "prompt": f"{place}?"} for place in range(32)]
    api.post("/v1/verify", {"verifier": "math", "run": "doctor/verified", "samples": samples}).raise_for_status()
    said = diagnosis(api, "doctor/verified")
    assert [fault.kind for fault in said.faults] == ["no_reference"]
    assert said.faults[0].count == 32


@pytest.mark.parametrize(
    ("run", "fields", "kind"),
    [
        ("cut", {"finish_reason": lambda place: "length" if place % 2 else "stop", "tokens": lambda place: 512}, "cut"),
        (
            "no reference",
            {"reference": lambda place: None if place % 3 else "2", "data_source": lambda _: "X"},
            "no_reference",
        ),
        (
            "unreadable",
            {"reference": lambda place: "x^2 + (" if place % 3 else str(place // 4 * 2)},
            "unreadable_reference",
        ),
        ("thinking", {"response": lambda place: f"<think> {place} and so on, on and on"}, "unclosed_thinking"),
        ("greedy", {"response": lambda place: f"It is surely this one: \\boxed{{{place // 8 * 2}}}"}, "same_responses"),
        ("one", {"response": lambda place: f"My answer number {place} is \\boxed{{-1}}"}, "one_reward"),
    ],
)
def test_a_fault_that_is_planted_is_named(api: Api, run: str, fields: dict[str, Any], kind: str) -> None:
    sent(api, f"doctor/{run}", "By adding, response {place}: \\boxed{{{answer}}}", **fields)
    assert kind in [fault.kind for fault in diagnosis(api, f"doctor/{run}").faults]


def test_a_component_that_paid_nobody_is_named_and_a_penalty_is_not(api: Api) -> None:
    terms: list[JsonValue] = [
        "math",
        {"verifier": "format", "weight": 0.1},
        {"verifier": "repetition", "weight": -0.1},
    ]
    sent(
        api, "doctor/terms", "By adding, response {place}: \\boxed{{{answer}}}", recipe={"terms": terms, "invalid": 0.0}
    )
    faults = diagnosis(api, "doctor/terms").faults
    assert [fault.sentence for fault in faults] == ["component `format` paid nobody in 128 records"]


def test_only_the_newest_records_are_looked_at(api: Api) -> None:
    sent(api, "doctor/mended", "Response {place}: <answer>{answer}</answer>")
    sent(api, "doctor/mended", "By adding, response {place}: \\boxed{{{answer}}}")
    said = diagnosis(api, "doctor/mended", limit=64)
    assert (said.faults, said.records, said.total) == ([], 64, 256)


def test_canaries_are_wrong_on_purpose(api: Api) -> None:
    right = "By adding, response {place}: \\boxed{{{answer}}}"
    sent(api, "doctor/canaries", right)
    sent(api, "doctor/canaries", "nothing", data_source=lambda place: "canary")
    said = diagnosis(api, "doctor/canaries")
    assert (said.faults, said.records) == ([], 128)


def test_a_run_that_nobody_knows_is_not_found(api: Api) -> None:
    answer = api.get("/v1/runs/doctor-none/doctor")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert api.get("/v1/runs/doctor-none/doctor?limit=1").status_code == 422


def test_without_a_quota_for_it_nothing_is_judged_again_and_that_is_said(keyed: Keyed) -> None:
    wanted = {"name": "small", "scopes": ["score", "view"], "samples_per_minute": 60}
    made = httpx2.post(f"{keyed.url}/k/{keyed.admin}/v1/keys", json=wanted, trust_env=False).json()
    samples = [{"prompt": f"{n}?", "response": f"<answer>{n}</answer>", "reference": "1"} for n in range(64)]
    with Client(keyed.url, api_key=made["key"]) as client:
        client.reward(samples, recipe=RECIPE, run="doctor/quota")
        said = client.diagnose("doctor/quota")
    assert (said.faults[0].kind, said.faults[0].estimate) == ("no_answer", None)
    assert said.notes[0].startswith("no other extraction was tried: ")
    with Client(keyed.url, api_key=keyed.admin) as client:
        assert client.diagnose("doctor/quota").faults[0].estimate is not None


FALLING_BACK: Recipe = {
    "terms": [
        {
            "verifier": "math",
            "name": "answer",
            "fallback": [
                {"verifier": "regex", "params": {"mode": "search", "scope": "response"}, "when": ["unparsed"]}
            ],
        }
    ]
}


def test_a_fallback_that_pays_most_of_a_term_is_named(api: Api) -> None:
    """The policy leaves its box empty: the verifier reads nothing, its fallback finds the reference."""
    run = "doctor-fallback"
    sent(api, run, "{answer} or not, response {place} \\boxed{{}}", recipe=FALLING_BACK)
    [fault] = [fault for fault in diagnosis(api, run).faults if fault.kind == "paid_by_fallback"]
    assert fault.sentence.startswith("100% of the responses that `answer` pays are paid by its fallback `regex`")
    assert (fault.count, fault.cost) == (fault.of, fault.count / 128)
    record = api.get(f"/v1/rewards?run={run}&outcome=correct&limit=1").json()["rewards"][0]["record"]
    assert (
        "answer, by its fallback regex: correct, score 1 (match)" in api.get(f"/v1/verdicts/{record}/explanation").text
    )


def test_a_fallback_that_pays_now_and_then_is_no_fault(api: Api) -> None:
    run = "doctor-fallback-rare"
    boxed = "response {place} \\boxed{{{answer}}}"
    sent(api, run, boxed, recipe=FALLING_BACK, response=lambda place: _mostly(place, boxed))
    assert "paid_by_fallback" not in {fault.kind for fault in diagnosis(api, run).faults}


def _mostly(place: int, text: str) -> str:
    """Every eighth response leaves its box empty."""
    answer = place // 4 * 2 + place % 2
    return f"{answer} or not {place} \\boxed{{}}" if place % 8 == 0 else text.format(answer=answer, place=place)


def test_evaluations_say_nothing_of_a_run_that_trains_and_are_named_where_there_is_nothing_else(api: Api) -> None:
    samples = [{"prompt": f"{place}?", "response": f"It is {place}.", "reference": f"{place}"} for place in range(64)]
    with Client(api.url) as client:
        client.reward(samples, recipe=RECIPE, run="doctor/evaluated", split="eval")
        said = diagnosis(api, "doctor/evaluated")
        assert said.faults[0].kind == "no_answer"
        assert said.sentence.endswith("in the newest 64 records of evaluations.")
        boxed = [{**one, "response": f"So \\boxed{{{place % 2 * place}}}"} for place, one in enumerate(samples)]
        client.reward(boxed, recipe=RECIPE, run="doctor/evaluated")
        client.reward(samples, recipe=RECIPE, run="doctor/evaluated", split="eval", step=1)
        said = diagnosis(api, "doctor/evaluated")
    assert (said.faults, said.records) == ([], 64)
    assert "evaluations" not in said.sentence
