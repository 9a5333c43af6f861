"""vLLM's paths, as its clients send and read them."""

from __future__ import annotations

import asyncio
import base64
import math
import struct
from typing import Any

import httpx2
import pytest

from judges.base import ModelBusy, ModelFailure, ModelUnavailable, NotFinite, TooLong, Unaskable
from judges.questions import Classify, Steps, Turn
from tests.app.protocols.model_servers.conftest import Answering, Ruled

USAGE = {"prompt_tokens": 7, "total_tokens": 7, "completion_tokens": 0, "prompt_tokens_details": None}


def without(answer: httpx2.Response, *names: str) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    for name in names:
        assert body.pop(name)
    return body


def ruled(backend: object) -> Ruled:
    assert isinstance(backend, Ruled)
    return backend


async def test_verl_reads_its_score(answering: Answering) -> None:
    text = "<|im_start|>user\n2 + 2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>\n"
    async with answering() as api:
        said = await api.http.post("/classify", json={"model": "rm", "input": text, "use_activation": False})
        assert said.json()["data"][-1]["probs"][-1] == len(text) / 4
        assert api.backend.asked == [Classify(text, control=True)]


async def test_classify_is_answered_to_the_letter(answering: Answering) -> None:
    async with answering() as api:
        for path in ("/classify", "/v1/classify"):
            said = await api.http.post(
                path, json={"model": "rm", "input": ["four", "eightxxx"], "use_activation": False}
            )
            assert without(said, "id", "created") == {
                "object": "list",
                "model": "rm",
                "data": [
                    {"index": 0, "label": "LABEL_0", "probs": [1.0], "num_classes": 1},
                    {"index": 1, "label": "LABEL_0", "probs": [2.0], "num_classes": 1},
                ],
                "usage": {**USAGE, "prompt_tokens": 14, "total_tokens": 14},
            }
            assert said.json()["id"].startswith("classify-")


async def test_activation_is_the_default_a_sigmoid_of_one_and_a_softmax_of_several(answering: Answering) -> None:
    async with answering() as api:
        said = (await api.http.post("/classify", json={"input": "four"})).json()["data"][0]
        assert said["probs"] == [pytest.approx(1 / (1 + math.exp(-1)))]
    async with answering((("many", "reward"),), labels=2) as api:
        said = (await api.http.post("/classify", json={"model": "many", "input": "eightxxx"})).json()["data"][0]
        odds = [math.exp(2), math.exp(1)]
        assert said["probs"] == [pytest.approx(one / sum(odds)) for one in odds]
        assert (said["label"], said["num_classes"]) == ("LABEL_0", 2)


async def test_a_conversation_is_rendered_here(answering: Answering) -> None:
    messages = [{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "four"}]
    async with answering() as api:
        said = await api.http.post("/pooling", json={"model": "rm", "messages": messages, "use_activation": False})
        assert without(said, "id", "created") == {
            "object": "list",
            "model": "rm",
            "data": [{"index": 0, "object": "pooling", "data": [1.0]}],
            "usage": USAGE,
        }
        assert api.backend.asked == [Classify((Turn("user", "2 + 2?"), Turn("assistant", "four")))]


async def test_pooling_of_a_process_model_is_a_row_a_step(answering: Answering) -> None:
    content = "one<extra_0>three<extra_0>"
    messages = [{"role": "user", "content": "?"}, {"role": "assistant", "content": content}]
    async with answering() as api:
        body = {"model": "prm", "messages": messages, "use_activation": False}
        said = (await api.http.post("/pooling", json=body)).json()["data"][0]["data"]
        assert said == [[0.0, 3.0], [0.0, 5.0]]
        assert api.backend.asked == [Steps((Turn("user", "?"),), ("one", "three"))]
        packed = (await api.http.post("/pooling", json={**body, "encoding_format": "base64"})).json()["data"][0]["data"]
        assert struct.unpack("=4f", base64.b64decode(packed)) == (0.0, 3.0, 0.0, 5.0)
        cut = [messages[0], {"role": "assistant", "content": "one<extra_0>three"}]
        assert (await api.http.post("/pooling", json={**body, "messages": cut})).status_code == 400


async def test_pairs_are_scored(answering: Answering) -> None:
    named = [
        (("text_1", "text_2"), "/score"),
        (("data_1", "data_2"), "/v1/score"),
        (("queries", "documents"), "/v1/score"),
        (("queries", "items"), "/v1/score"),
    ]
    async with answering() as api:
        for names, path in named:
            body = {names[0]: "queryqueryqu", names[1]: ["a", "abcd"], "use_activation": False}
            assert without(await api.http.post(path, json=body), "id", "created") == {
                "object": "list",
                "model": "rm",
                "data": [
                    {"index": 0, "object": "score", "score": 2.75},
                    {"index": 1, "object": "score", "score": 2.0},
                ],
                "usage": {**USAGE, "prompt_tokens": 14, "total_tokens": 14},
            }
            uneven = {names[0]: ["a", "b"], names[1]: ["a", "b", "c"]}
            assert (await api.http.post(path, json=uneven)).status_code == 400


async def test_the_best_document_comes_first(answering: Answering) -> None:
    body = {"model": "rm", "query": "queryqueryqu", "documents": ["abcd", "a"], "use_activation": False, "top_n": 1}
    async with answering() as api:
        for path in ("/rerank", "/v1/rerank", "/v2/rerank"):
            assert without(await api.http.post(path, json=body), "id") == {
                "model": "rm",
                "usage": {"prompt_tokens": 14, "total_tokens": 14},
                "results": [{"index": 1, "document": {"text": "a"}, "relevance_score": 2.75}],
            }


async def test_a_missing_score_is_an_error_and_never_a_number(answering: Answering) -> None:
    failures: list[tuple[ModelFailure | TooLong, int, str]] = [
        (ModelUnavailable("gone"), 503, "ServiceUnavailableError"),
        (ModelBusy("full"), 503, "ServiceUnavailableError"),
        (NotFinite("NaN"), 500, "InternalServerError"),
        (Unaskable("no head"), 400, "BadRequestError"),
        (TooLong("response", 9, 8), 400, "BadRequestError"),
    ]
    async with answering() as api:
        for failure, status, kind in failures:
            ruled(api.backend).raising = failure
            said = await api.http.post("/classify", json={"model": "rm", "input": ["a", "b"]})
            assert said.status_code == status
            error = said.json()["error"]
            assert (error["type"], error["code"]) == (kind, status)
            assert set(error) == {"message", "type", "param", "code"}


async def test_nan_never_leaves(answering: Answering) -> None:
    async with answering() as api:
        ruled(api.backend).number = math.nan
        said = await api.http.post("/classify", json={"model": "rm", "input": "a", "use_activation": False})
        assert (said.status_code, said.json()["error"]["type"]) == (500, "InternalServerError")


async def test_refusals_have_the_foreign_form(answering: Answering) -> None:
    refused: list[tuple[dict[str, Any], int]] = [
        ({"model": "other", "input": "a"}, 404),
        ({"model": "rm"}, 400),
        ({"model": "rm", "input": []}, 400),
        ({"model": "rm", "input": [1, 2]}, 400),
        ({"model": "rm", "input": "a", "normalize": True}, 400),
        ({"model": "rm", "input": "a", "truncate_prompt_tokens": 5}, 400),
    ]
    async with answering() as api:
        for body, status in refused:
            said = await api.http.post("/classify", json=body)
            assert (said.status_code, said.json()["error"]["code"]) == (status, status), body
        broken = await api.http.post("/classify", content=b'{"model": ')
        assert (broken.status_code, broken.json()["error"]["type"]) == (400, "BadRequestError")


async def test_without_a_name_the_only_model_of_its_kind_answers(answering: Answering) -> None:
    async with answering() as api:
        assert (await api.http.post("/classify", json={"input": "four"})).json()["model"] == "rm"
    async with answering((("one", "reward"), ("two", "reward"))) as api:
        said = await api.http.post("/classify", json={"input": "four"})
        assert (said.status_code, said.json()["error"]["type"]) == (404, "NotFoundError")


async def test_keys_are_asked_for_in_the_foreign_form(answering: Answering) -> None:
    async with answering((), auth="keys") as api:
        said = await api.http.post("/classify", json={"input": "four"})
        assert (said.status_code, said.json()["error"]["type"]) == (401, "AuthenticationError")
        assert said.headers["www-authenticate"] == "Bearer"


async def test_a_request_waits_for_room_and_is_not_refused(answering: Answering) -> None:
    async with answering(max_waiting_samples=1) as api:
        ruled(api.backend).work_s = 0.05
        async with api.state["path"].room.take(1):
            asked = api.http.post("/classify", json={"input": ["a", "b"], "use_activation": False})
            waiting = asyncio.ensure_future(asked)
            await asyncio.sleep(0.05)
            assert not waiting.done()
        assert (await waiting).status_code == 200
