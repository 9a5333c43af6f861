"""Group verifiers, jobs and idempotency with recipes, through the service."""

from __future__ import annotations

import json

import pytest

from tests.app.conftest import Api
from tests.app.rewards.asking import (
    APPEALS,
    RIGHT,
    SILENT,
    WRONG,
    Json,
    eventually,
    fresh,
    pay,
    price,
    refused,
    row,
    verdicts,
)

# --- group verifiers ----------------------------------------------------------------------------------------------


def test_the_majority_is_paid_without_labels(api: Api) -> None:
    texts = ["\\boxed{1/2}", "\\boxed{0.5}", "\\boxed{3}", SILENT]
    found = price(api, "ttrl", [row(text, None) for text in texts])
    assert [reward["reward"] for reward in found["rewards"]] == [1, 1, 0, 0]
    assert [reward["outcome"] for reward in found["rewards"]] == ["correct", "correct", "incorrect", "invalid"]
    assert found["groups"][0]["success_rate"] == 0.5


def test_paraphrases_judge_each_other(api: Api) -> None:
    asked = [row(text, None, group="q", pair="p") for text in (RIGHT, RIGHT, WRONG)]
    other = [row(text, None, group="r", pair="p") for text in (WRONG, WRONG, RIGHT)]
    assert pay(api, "co-reward", [*asked, *other]) == [0, 0, 1, 0, 0, 1]
    assert pay(api, "co-reward", asked) == [None] * 3


def test_verify_judges_whole_groups_and_keeps_nothing_by_response(api: Api) -> None:
    def verify(*texts: str) -> list[Json]:
        samples = [row(text, None) for text in texts]
        answer = api.post("/v1/verify", {"verifier": "majority", "params": {"inner": "exact"}, "samples": samples})
        found: list[Json] = answer.json()["verdicts"]
        return found

    assert [one["outcome"] for one in verify("x1", "x1", "y1")] == ["correct", "correct", "incorrect"]
    assert [one["outcome"] for one in verify("x1", "y1", "y1")] == ["incorrect", "correct", "correct"]
    again = verify("x1", "x1", "y1")
    assert [one["outcome"] for one in again] == ["correct", "correct", "incorrect"]
    assert [one["cached"] for one in again] == [True] * 3
    assert verify("x1")[0]["reason_code"] == "group_of_one"


def test_a_majority_recipe_must_say_that_it_is_unsupervised(api: Api) -> None:
    for recipe in (
        {"terms": "majority"},
        {"terms": [{"verifier": "math", "fallback": "agreement"}]},
    ):
        problem = refused(api, recipe)
        assert "unsupervised: true" in problem["detail"]
    assert refused(api, {"terms": {"majority": {"params": {"inner": "code"}}}, "unsupervised": True})


def test_symbolic_answers_are_compared_in_the_workers(api: Api) -> None:
    rows = [row(text, None) for text in ("\\boxed{\\sin^2 x + \\cos^2 x}", "\\boxed{1}", "\\boxed{x}")]
    assert pay(api, "ttrl", rows) == [1, 1, 0]


def test_a_gate_keeps_the_vote_of_those_behind_it(api: Api) -> None:
    recipe = {
        "unsupervised": True,
        "terms": {"format": {"params": {"tags": ["answer"]}, "weight": 0}, "majority": {"gate": "format"}},
    }
    rows = [row("<answer>7</answer>", None), row("\\boxed{7}", None), row("<answer>8</answer>", None)]
    assert pay(api, recipe, rows) == [1, 0, 0]


# --- jobs and idempotency -----------------------------------------------------------------------------------------


def finished(api: Api, job: str) -> list[Json]:
    eventually(lambda: api.get(f"/v1/jobs/{job}").json()["state"] in ("completed", "failed"), 60)
    assert api.get(f"/v1/jobs/{job}").json()["state"] == "completed"
    return [json.loads(line) for line in api.get(f"/v1/jobs/{job}/results").text.splitlines()]


def test_a_chunk_of_a_job_never_splits_a_group(api: Api) -> None:
    rows = [row(text, "4", prompt=f"p{n}") for n in range(100) for text in (RIGHT, WRONG, RIGHT)]
    recipe = {"terms": "math", "shaping": ["z_score"]}
    job = api.post("/v1/jobs", {"recipe": recipe, "samples": rows}).json()["id"]
    whole = pay(api, recipe, rows)
    assert [line["reward"] for line in finished(api, job)] == whole


@pytest.mark.parametrize("body", [{"recipe": "co-reward"}, {"verifier": "agreement"}])
def test_a_chunk_of_a_job_never_splits_a_pair(api: Api, body: Json) -> None:
    rows = [
        row(text, None, prompt=f"{side}{n}", pair=str(n)) for n in range(70) for side in "qr" for text in (RIGHT, RIGHT)
    ]
    job = api.post("/v1/jobs", {**body, "samples": rows}).json()["id"]
    assert {line["outcome"] for line in finished(api, job)} == {"correct"}


def test_the_same_request_again_is_answered_again_and_teaches_nothing(api: Api) -> None:
    run = fresh()
    body = {"recipe": APPEALS, "run": run, "samples": [row(RIGHT), row("4?", "4?")]}
    first = api.post("/v1/rewards", body, idempotency_key=run)
    again = api.post("/v1/rewards", body, idempotency_key=run)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json() == first.json()
    assert len(verdicts(api, run, "math")) == 2
