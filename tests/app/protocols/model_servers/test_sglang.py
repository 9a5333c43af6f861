"""SGLang's paths, as its clients send and read them."""

from __future__ import annotations

import pytest

from judges.base import ModelUnavailable
from judges.questions import Choices, Classify
from tests.app.protocols.model_servers.conftest import Answering, Ruled


async def test_classify_with_text_is_sglangs(answering: Answering) -> None:
    async with answering() as api:
        said = (await api.http.post("/classify", json={"model": "rm", "text": ["four", "eightxxx"]})).json()
        assert [one["embedding"] for one in said] == [[1.0], [2.0]]
        assert {name: said[0]["meta_info"][name] for name in ("prompt_tokens", "weight_version")} == {
            "prompt_tokens": 7,
            "weight_version": "0",
        }
        assert api.backend.asked[0] == Classify("four", control=True)
        one = (await api.http.post("/classify", json={"text": "four"})).json()
        assert one["embedding"] == [1.0]


async def test_verl_reads_its_score_where_an_embedding_would_stand(answering: Answering) -> None:
    async with answering() as api:
        said = (await api.http.post("/v1/embeddings", json={"model": "rm", "input": "four"})).json()
        assert said["data"][-1]["embedding"][-1] == 1.0
        assert said == {
            "object": "list",
            "data": [{"object": "embedding", "embedding": [1.0], "index": 0}],
            "model": "rm",
            "usage": {"prompt_tokens": 7, "total_tokens": 7, "completion_tokens": 0, "prompt_tokens_details": None},
        }


async def test_next_tokens_are_scored_by_their_numbers(answering: Answering) -> None:
    body = {"model": "lm", "query": "Is it ", "items": ["so?", "not?"], "label_token_ids": [0, 2]}
    async with answering() as api:
        said = (await api.http.post("/v1/score", json=body)).json()
        assert said == {
            "scores": [[pytest.approx(0.5), pytest.approx(0.25)]] * 2,
            "model": "lm",
            "object": "scoring",
        }
        assert api.backend.asked[0] == Choices("Is it so?", (0, 2), control=True)
        soft = (await api.http.post("/v1/score", json={**body, "apply_softmax": True, "item_first": True})).json()
        assert soft["scores"][0] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]
        assert Choices("so?Is it ", (0, 2), control=True) in api.backend.asked
        alone = {**body, "label_token_ids": [5], "apply_softmax": True}
        assert (await api.http.post("/v1/score", json=alone)).json()["scores"] == [[1.0], [1.0]]


async def test_failures_have_its_forms(answering: Answering) -> None:
    async with answering() as api:
        backend = api.backend
        assert isinstance(backend, Ruled)
        backend.raising = ModelUnavailable("gone")
        own = await api.http.post("/classify", json={"text": "four"})
        assert (own.status_code, own.json()) == (503, {"error": {"message": "gone"}})
        score = {"query": "a", "items": ["b"], "label_token_ids": [1]}
        flat = await api.http.post("/v1/score", json=score)
        assert flat.status_code == 503
        assert flat.json() == {
            "object": "error",
            "message": "gone",
            "type": "ServiceUnavailableError",
            "param": None,
            "code": 503,
        }
        missing = await api.http.post("/v1/score", json={**score, "model": "x"})
        assert (missing.status_code, missing.json()["object"]) == (404, "error")
        wrong = await api.http.post("/v1/score", json={**score, "label_token_ids": [-1]})
        assert (wrong.status_code, wrong.json()["object"]) == (400, "error")
