"""OpenRLHF's request sequence, replayed to the letter against the live service.

As its client does it: one sample a POST, JSON lists of length one, text with the chat template's special
tokens, no auth header, every status but 200 tried again, and empty lists to all URLs but the first.
"""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from app.path import path
from tests.app.conftest import Api
from tests.walk import service
from trueward.errors import Overloaded, ServiceFailed, Unavailable

PROMPT = (
    "<|im_start|>system\nYou are helpful.<|im_end|>\n<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
)


def _payload(question: str, response: str, label: str | None) -> dict[str, list[Any]]:
    prompt = PROMPT.format(question=question)
    return {"query": [prompt + response + "<|im_end|>"], "prompts": [prompt], "labels": [label]}


async def _remote_reward(session: aiohttp.ClientSession, url: str, payload: dict[str, list[Any]]) -> dict[str, Any]:
    """Five tries, one second apart, 180 seconds in all a try; whatever is not 200 is tried again."""
    for _ in range(5):
        try:
            async with session.post(url, json=payload, timeout=aiohttp.ClientTimeout(total=180)) as answer:
                answer.raise_for_status()
                body: dict[str, Any] = await answer.json()
                return body
        except aiohttp.ClientError:
            await asyncio.sleep(1)
    raise AssertionError("the run would have died here")


async def _rollout(url: str, payloads: list[dict[str, list[Any]]]) -> list[dict[str, Any]]:
    async with aiohttp.ClientSession() as session:
        return list(await asyncio.gather(*(_remote_reward(session, url, payload) for payload in payloads)))


def _url(api: Api, size: int = 1) -> str:
    return f"{api.url}/t/math/openrlhf?run={uuid.uuid4().hex}&group_size={size}"


async def test_a_rollout_of_one_sample_requests_gets_a_number_each(api: Api) -> None:
    payloads = [_payload(f"{n}+{n}?", f"It is \\boxed{{{2 * n + n % 2}}}", str(2 * n)) for n in range(256)]
    answers = await _rollout(_url(api), payloads)
    assert [answer["rewards"] for answer in answers] == [[float(n % 2 == 0)] for n in range(256)]
    assert all(answer["scores"] == answer["rewards"] for answer in answers)
    assert len({tuple(answer["extra_logs"]) for answer in answers}) == 1
    for answer in answers:
        assert all(isinstance(value, float) for values in answer["extra_logs"].values() for value in values)


async def test_a_missing_label_gets_the_mean_of_its_prompt_and_is_flagged(api: Api) -> None:
    url = _url(api, size=5)
    for response in ("\\boxed{4}", "\\boxed{5}", "\\boxed{6}", "\\boxed{4}"):
        await _rollout(url, [_payload("2+2?", response, "4")])
    [missing] = await _rollout(url, [_payload("2+2?", "\\boxed{4}", None)])
    assert missing["rewards"] == [0.5]
    assert missing["extra_logs"]["trueward_missing"] == [1.0]
    [elsewhere] = await _rollout(url.replace("size=5", "size=1"), [_payload("another prompt", "\\boxed{4}", None)])
    assert elsewhere["rewards"] == [0.5]


async def test_the_first_missing_label_of_a_run_gets_zero(api: Api) -> None:
    [missing] = await _rollout(_url(api), [_payload("first", "\\boxed{4}", None)])
    assert (missing["rewards"], missing["extra_logs"]["trueward_missing"]) == ([0.0], [1.0])


async def test_empty_shards_of_older_releases_get_empty_lists(api: Api) -> None:
    [answer] = await _rollout(_url(api), [{"query": [], "prompts": [], "labels": []}])
    assert answer == {"rewards": [], "scores": [], "extra_logs": {}}


async def test_thinking_that_the_template_opened_does_not_count_as_the_answer(api: Api) -> None:
    prompt = PROMPT.format(question="2+2?") + "<think>\n"
    closed = {"query": [prompt + "maybe \\boxed{5}</think>\\boxed{4}<|im_end|>"], "prompts": [prompt], "labels": ["4"]}
    unclosed = {"query": [prompt + "it is \\boxed{4}"], "prompts": [prompt], "labels": ["4"]}
    right, endless = await _rollout(_url(api), [closed, unclosed])
    assert right["rewards"] == [1.0]
    assert (endless["rewards"], endless["extra_logs"]["trueward_invalid"]) == ([0.0], [1.0])


def test_only_what_no_retry_can_mend_is_an_error(api: Api) -> None:
    payload = _payload("2+2?", "4", "4")
    assert api.post("/t/nothing/openrlhf", payload).status_code == 422
    assert api.post("/t/math@0000/openrlhf", payload).status_code == 422
    assert api.post("/t/math/openrlhf", {"query": ["a"], "prompts": ["a", "b"]}).status_code == 422
    assert api.post("/t/math/openrlhf", {"query": "a"}).status_code == 422


def test_path_and_query_are_checked_like_the_body(api: Api) -> None:
    payload = _payload("2+2?", "\\boxed{4}", "4")
    [digest] = [one["hash"] for one in api.get("/v1/recipes").json()["recipes"] if one["name"] == "math"]
    assert api.post(f"/k/ignored/t/math@{digest}/openrlhf?run={uuid.uuid4().hex}", payload).json()["rewards"] == [1.0]
    refused = api.post(f"/t/math/openrlhf?run={'x' * 257}", {"query": "a"})
    assert refused.status_code == 422
    assert [problem["field"] for problem in refused.json()["errors"]] == ["query.run", "query"]
    assert "dictionary or object" in api.post("/t/math/openrlhf", [payload]).json()["errors"][0]["detail"]


def test_missing_scores_that_became_numbers_are_counted(api: Api) -> None:
    api.post("/t/math/openrlhf?group_size=1", _payload("x", "\\boxed{4}", None))
    assert 'trueward_rendered_missing_total{protocol="openrlhf"}' in api.get("/metrics").text


@pytest.mark.parametrize("failure", [Overloaded("no room before the deadline"), Unavailable("no database")])
async def test_a_request_that_cannot_be_served_gets_a_number_and_no_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: ServiceFailed
) -> None:
    async def fail(*request: object) -> None:
        raise failure

    monkeypatch.setattr(path.Path, "rewards", fail)
    async with service(tmp_path) as http:
        answer = await http.post("/t/math/openrlhf?group_size=1", json=_payload("2+2?", "\\boxed{4}", "4"))
    assert (answer.status_code, answer.json()["rewards"]) == (200, [0.0])
    assert answer.json()["extra_logs"]["trueward_missing"] == [1.0]
