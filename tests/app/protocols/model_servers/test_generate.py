"""SGLang's ``/generate`` for log-probabilities, as slime's distillation posts and reads it."""

from __future__ import annotations

from typing import Any

import pytest

from judges.base import TooLong
from judges.questions import EachToken
from tests.app.protocols.model_servers.conftest import Answering, Ruled

BODY: dict[str, Any] = {
    "sampling_params": {"temperature": 0.8, "max_new_tokens": 0, "skip_special_tokens": False},
    "return_logprob": True,
    "logprob_start_len": 0,
}


async def test_every_token_but_the_first_has_a_log_probability(answering: Answering) -> None:
    async with answering() as api:
        said = (await api.http.post("/generate", json={**BODY, "input_ids": [5, 2, 9]})).json()
        assert said["meta_info"].pop("id")
        assert said == {
            "text": "",
            "output_ids": [],
            "meta_info": {
                "finish_reason": {"type": "length", "length": 0},
                "prompt_tokens": 3,
                "completion_tokens": 0,
                "cached_tokens": 0,
                "weight_version": "3",
                "input_token_logprobs": [[None, 5, None], [-2.0, 2, None], [-9.0, 9, None]],
                "output_token_logprobs": [],
            },
        }
        # as slime's client reads a response of two tokens
        assert [item[0] for item in said["meta_info"]["input_token_logprobs"][1:]][-2:] == [-2.0, -9.0]
        assert api.backend.asked == [EachToken((5, 2, 9))]


async def test_texts_lists_and_later_beginnings_are_understood(answering: Answering) -> None:
    async with answering() as api:
        many = (await api.http.post("/generate", json={**BODY, "input_ids": [[5, 2], [9]]})).json()
        told = [one["meta_info"]["input_token_logprobs"] for one in many]
        assert told == [[[None, 5, None], [-2.0, 2, None]], [[None, 9, None]]]
        text = (await api.http.post("/generate", json={**BODY, "text": "ab c"})).json()
        assert text["meta_info"]["input_token_logprobs"] == [[None, 2, None], [-1.0, 1, None]]
        texts = {**BODY, "text": ["ab c"], "sampling_params": [BODY["sampling_params"]], "return_logprob": [True]}
        assert len((await api.http.post("/generate", json=texts)).json()) == 1
        late = (await api.http.post("/generate", json={**BODY, "input_ids": [5, 2, 9], "logprob_start_len": 1})).json()
        assert late["meta_info"]["input_token_logprobs"] == [[None, 2, None], [-9.0, 9, None]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"sampling_params": {"max_new_tokens": 1}},
        {"sampling_params": {}},
        {"return_logprob": False},
        {"logprob_start_len": -1},
        {"top_logprobs_num": 5},
        {"return_text_in_logprobs": True},
        {"stream": True},
        {"text": "both"},
        {"input_ids": None},
        {"input_ids": []},
        {"input_ids": [[]]},
        {"input_ids": [[1], 2]},
        {"input_ids": [-1]},
        {"input_ids": [1.5]},
        {"input_ids": ["1"]},
    ],
)
async def test_what_is_no_question_of_log_probabilities_is_refused(
    answering: Answering, wrong: dict[str, object]
) -> None:
    async with answering() as api:
        refused = await api.http.post("/generate", json={**BODY, "input_ids": [1, 2], **wrong})
        assert (refused.status_code, set(refused.json())) == (400, {"error"})
        assert refused.json()["error"]["message"]
        assert not api.backend.asked


async def test_the_url_may_name_the_model_and_a_long_input_is_refused(answering: Answering) -> None:
    async with answering((("lm", "causal"), ("teacher", "causal"))) as api:
        body = {**BODY, "input_ids": [1, 2]}
        assert (await api.http.post("/generate", json=body)).status_code == 404
        assert (await api.http.post("/generate?model=teacher", json=body)).status_code == 200
        assert (await api.http.post("/generate", json={**body, "model": "lm"})).status_code == 200
        backend = api.backend
        assert isinstance(backend, Ruled)
        backend.raising = TooLong("prompt", 9, 8)
        long = await api.http.post("/generate?model=lm", json=body)
        assert (long.status_code, "too long" in long.json()["error"]["message"]) == (400, True)


async def test_clients_that_wait_for_the_server_are_answered(answering: Answering) -> None:
    async with answering() as api:
        assert (await api.http.get("/health")).json() == {"status": "healthy"}
