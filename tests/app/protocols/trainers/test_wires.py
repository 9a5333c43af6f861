"""Trainers' requests, replayed as their clients send them, against the live service."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

import httpx2
import pytest

from tests.app.conftest import Api
from tests.app.protocols.trainers.test_parse_render import ROLLOUT, SUBMISSION


@pytest.fixture
def run() -> str:
    return uuid.uuid4().hex


def slime(api: Api, run: str, response: str, label: str | None = "4", way: str = "slime", size: int = 3) -> Any:
    answer = api.post(
        f"/t/math/{way}?run={run}&group_size={size}", {"prompt": "2+2?", "response": response, "label": label}
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_slime_s_answer_is_the_reward_itself(api: Api, run: str) -> None:
    assert slime(api, run, "\\boxed{4}") == 1.0
    assert slime(api, run, "\\boxed{5}") == 0.0
    # a missing label takes the mean of its prompt
    assert slime(api, run, "\\boxed{4}", None) == 0.5


def test_slime_s_object_has_the_keys_that_its_flags_name(api: Api, run: str) -> None:
    told = slime(api, run, "\\boxed{4}", way="slime/object", size=2)
    assert (told["score"], told["acc"], told["missing"]) == (1.0, True, 0.0)
    assert slime(api, run, "\\boxed{4}", None, way="slime/object", size=2)["missing"] == 1.0


def test_llama_factory_gets_a_number_for_each_text(api: Api, run: str) -> None:
    texts = [f"Human: 2?\nAssistant: {said}</s>" for said in ("It is \\boxed{4}", "")]
    answer = api.post(f"/t/math/llamafactory?run={run}", {"model": "rm", "messages": texts})
    assert answer.status_code == 200, answer.text
    assert answer.json()["object"] == "score.evaluation"
    assert [type(score) for score in answer.json()["scores"]] == [float, float]


def test_nemo_gym_gets_its_rollout_back_with_a_reward(api: Api, run: str) -> None:
    url = f"/t/math/nemo-gym/verify?run={run}&group_size=2"
    told = api.post(url, ROLLOUT).json()
    assert told["reward"] == 1.0
    assert sum(told["reward_components"].values()) == pytest.approx(1.0)
    # as prime verifiers' taskset does it: both must be there
    del told["responses_create_params"], told["response"]
    failed = api.post(f"{url}&reference=question.deeper", ROLLOUT)
    assert failed.status_code == 422
    missing = api.post(url, {**ROLLOUT, "expected_answer": None, "verifier_metadata": {}}).json()
    assert (missing["reward"], missing["_ng_failure_class"]) == (1.0, "judge_failed")
    assert sum(missing["reward_components"].values()) == pytest.approx(1.0)
    assert missing["instance_config"]["mask_sample"] is True


def test_nemo_gym_s_other_paths_answer(api: Api) -> None:
    assert api.post("/t/math/nemo-gym/seed_session", ROLLOUT).status_code == 200
    assert api.get("/t/math/nemo-gym/reverify_mode").json() == "stateless"
    results = [
        {"reward": 1.0, "reward_components": {"math": 1.0}},
        {"reward": 0.0, "_ng_failure_class": "judge_failed"},
    ]
    told = api.post("/t/math/nemo-gym/aggregate_metrics", {"verify_responses": results}).json()
    assert (told["count"], told["failed"], told["metrics"]["mean_reward"]) == (2, 1, 1.0)


def test_eval_protocol_is_told_whether_a_score_is_valid(api: Api, run: str) -> None:
    talk = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "\\boxed{4}"}]
    url = f"/t/math/eval-protocol/evaluate?run={run}&group_size=2"
    told = api.post(url, {"messages": talk, "ground_truth": "4", "kwargs": {}}).json()
    assert (told["score"], told["is_score_valid"], told["error"]) == (1.0, True, None)
    told = api.post(url, {"messages": talk, "ground_truth": None}).json()
    # the mean of its prompt: the client keeps the number and forgets that it is not valid
    assert (told["score"], told["is_score_valid"]) == (1.0, False)
    assert "no_reference" in told["error"]


@pytest.mark.parametrize(("field", "value"), [("experiment_id", "e" * 257), ("global_step", 2**53 + 1)])
def test_roll_is_told_which_field_is_too_large_for_a_run(api: Api, field: str, value: object) -> None:
    answer = api.http.post("/t/math/roll/submit", json={**SUBMISSION, field: value})
    assert answer.status_code == 422
    assert [problem["field"] for problem in answer.json()["errors"]] == [field]


def roll(api: Api, run: str, **fields: Any) -> dict[str, Any]:
    """Submits, then asks by GET with a JSON body until ``errcode`` is 0, as ROLL's worker does."""
    submitted = api.post(f"/t/math/roll/submit?run={run}", {**SUBMISSION, **fields}).json()
    assert submitted["errcode"] == 0
    for _ in range(200):
        body = json.dumps({"reward_request_id": submitted["reward_request_id"]})
        asked = api.http.request(
            "GET",
            f"/t/math/roll/result?run={run}&group_size=4",
            content=body,
            headers={"content-type": "application/json"},
        )
        told: dict[str, Any] = asked.json()
        if told["errcode"] == 0:
            return {**told, "id": submitted["reward_request_id"]}
        assert told["errcode"] == 1
        time.sleep(0.05)
    raise AssertionError("the sample was never scored")


def test_roll_submits_once_and_asks_until_there_is_a_number(api: Api, run: str) -> None:
    first = roll(api, run)
    assert first["reward_score"] == 1.0
    assert roll(api, run)["id"] == first["id"]
    wrong = roll(api, run, rollout_id="s", response="\\boxed{5}")
    assert wrong["reward_score"] == 0.0
    missing = roll(api, run, rollout_id="t", reward_info={})
    # the mean of what was told: the first reward twice
    assert missing["reward_score"] == pytest.approx(2 / 3, rel=2**-12)
    assert missing["dimention_reward_score"]["trueward"]["debug_info"]["trueward"]["missing"] is True


@pytest.mark.parametrize("way", ["slime", "slime/object", "nemo-gym/verify", "eval-protocol/evaluate", "llamafactory"])
def test_only_what_no_retry_can_mend_is_refused(api: Api, way: str) -> None:
    body = {**ROLLOUT, "prompt": "p", "response": "r", "messages": []} if "nemo" not in way else ROLLOUT
    refused = api.post(f"/t/nothing/{way}", body)
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_recipe")
    broken: httpx2.Response = api.post(f"/t/math/{way}", {"messages": 1, "response": 1})
    assert broken.status_code == 422


@pytest.mark.parametrize("path", ["/t/math/openrlfh", "/t/math/trl/v1/rewards"])
def test_a_path_of_no_trainer_says_who_knows_the_right_one(api: Api, path: str) -> None:
    lost = api.post(path, {})
    assert lost.status_code == 404
    assert "trueward trainers show" in lost.json()["detail"]
