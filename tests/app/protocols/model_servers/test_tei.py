"""text-embeddings-inference's paths, as its clients send and read them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from judges.base import ModelBusy, ModelFailure, ModelUnavailable, NotFinite, TooLong
from judges.questions import Classify
from tests.app.protocols.model_servers.conftest import Answering, Ruled


async def test_a_text_a_pair_and_a_batch_are_told_apart(answering: Answering) -> None:
    async with answering() as api:

        async def predict(inputs: object) -> Any:
            return (await api.http.post("/predict", json={"inputs": inputs, "raw_scores": True})).json()

        assert await predict("four") == [{"score": 1.0, "label": "LABEL_0"}]
        assert await predict(["eightxxx", "four"]) == [{"score": 1.0, "label": "LABEL_0"}]
        assert api.backend.asked == [Classify("four", control=True), Classify("eightxxx", "four")]
        batch = [["eightxxx"], ["eightxxx", "four"]]
        assert await predict(batch) == [[{"score": 2.0, "label": "LABEL_0"}], [{"score": 1.0, "label": "LABEL_0"}]]


async def test_labels_come_sorted_as_probabilities_by_default(answering: Answering) -> None:
    async with answering(labels=2) as api:
        said = (await api.http.post("/predict", json={"inputs": "eightxxx"})).json()
        odds = [math.exp(2), math.exp(1)]
        assert said == [
            {"score": pytest.approx(odds[0] / sum(odds)), "label": "LABEL_0"},
            {"score": pytest.approx(odds[1] / sum(odds)), "label": "LABEL_1"},
        ]


async def test_texts_are_ranked(answering: Answering) -> None:
    body = {"query": "queryqueryqu", "texts": ["abcd", "a"], "raw_scores": True}
    async with answering() as api:
        said = await api.http.post("/rerank", json=body)
        assert said.json() == [{"index": 1, "score": 2.75}, {"index": 0, "score": 2.0}]
        told = await api.http.post("/rerank", json={**body, "return_text": True})
        assert told.json()[0] == {"index": 1, "score": 2.75, "text": "a"}


async def test_info_tells_the_model_and_its_labels(answering: Answering) -> None:
    async with answering(labels=2, max_samples=10) as api:
        said = (await api.http.get("/info")).json()
        assert said["model_id"] == "rm"
        assert said["model_type"]["classifier"]["id2label"] == {"0": "LABEL_0", "1": "LABEL_1"}
        assert said["max_client_batch_size"] == 10
        assert said["auto_truncate"] is False
        missing = await api.http.get("/info", params={"model": "x"})
        assert (missing.status_code, missing.json()["error_type"]) == (404, "Validation")


async def test_a_missing_score_is_an_error(answering: Answering) -> None:
    failures: list[tuple[ModelFailure | TooLong, int, str]] = [
        (ModelUnavailable("gone"), 424, "Backend"),
        (NotFinite("NaN"), 424, "Backend"),
        (ModelBusy("full"), 429, "Overloaded"),
        (TooLong("response", 9, 8), 413, "Validation"),
    ]
    async with answering() as api:
        assert isinstance(api.backend, Ruled)
        for failure, status, kind in failures:
            api.backend.raising = failure
            said = await api.http.post("/predict", json={"inputs": "four"})
            assert (said.status_code, said.json()["error_type"]) == (status, kind)
            assert set(said.json()) == {"error", "error_type"}


async def test_refusals_have_its_form(answering: Answering) -> None:
    refused: list[tuple[dict[str, Any], int, str]] = [
        ({"inputs": ""}, 400, "Empty"),
        ({"inputs": []}, 400, "Empty"),
        ({"inputs": [["a"], []]}, 400, "Empty"),
        ({"inputs": [["a"], ["a", "b", "c"]]}, 422, "Validation"),
        ({"inputs": [[["a"]]]}, 422, "Validation"),
        ({"inputs": [["a"]] * 3}, 413, "Validation"),
        ({"inputs": "a", "model": "x"}, 404, "Validation"),
        ({}, 422, "Validation"),
    ]
    async with answering(max_samples=2) as api:
        for body, status, kind in refused:
            said = await api.http.post("/predict", json=body)
            assert (said.status_code, said.json()["error_type"]) == (status, kind), body
