"""Other responses to the prompt reach the service from whatever a trainer calls a row, and only well-formed numbers."""

from __future__ import annotations

import math
from types import SimpleNamespace

from tests.client.fake_service import FakeService
from trueward.trainers import areal, prime, trl, verl
from trueward.trainers.passed_on import logprobs_of

OTHERS = {"baselines": ["3"], "baseline_scores": [0.25]}


def sent(service: FakeService) -> dict[str, object]:
    found: dict[str, object] = service.received[-1].body["samples"][0]
    return found


def test_verl_reads_them_from_its_extra_info(url: str, service: FakeService) -> None:
    verl.score(url, recipe="math")("gsm8k", "2", "2", {"index": 1, **OTHERS})
    assert OTHERS.items() <= sent(service).items()
    verl.score(url, recipe="math")("gsm8k", "2", "2", {"index": 1, "baselines": None})
    assert OTHERS.keys().isdisjoint(sent(service))


def test_trl_and_areal_read_them_from_columns(url: str, service: FakeService) -> None:
    columns = {name: [value] for name, value in OTHERS.items()}
    trl.reward_function(url, recipe="math")(["1+1?"], ["2"], reference=["2"], **columns)  # type: ignore[arg-type]
    assert OTHERS.items() <= sent(service).items()
    areal.reward_function(url, recipe="math")("1+1?", "2", [1], [5, 6, 7], answer="2", **OTHERS)
    assert ({**OTHERS, "tokens": 3}).items() <= sent(service).items()


async def test_prime_reads_them_from_the_tasks_data(url: str, service: FakeService) -> None:
    task = SimpleNamespace(prompt_text="1+1?", answer="2", **OTHERS)
    trace = SimpleNamespace(last_reply="2", record_metrics=lambda values: None)
    await prime.reward(url, recipe="math")(task, trace)
    assert OTHERS.items() <= sent(service).items()


def test_log_probabilities_are_one_finite_number_a_token_or_none() -> None:
    assert logprobs_of([1, 2], [-0.5, -1.0]) == {"logprobs": {"token_ids": [1, 2], "logprobs": [-0.5, -1.0]}}
    for ids, said in (([], []), ([1], [-0.5, -1.0]), ([1], [math.nan]), ([1], [-math.inf])):
        assert logprobs_of(ids, said) == {}
