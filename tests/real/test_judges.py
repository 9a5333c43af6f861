"""Judges of a real language model: on the service's own engine, and on a live llama.cpp server.

The model is small, so what it decides is not looked at: that a decision comes, and what it is made of.
"""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from trueward import Client, Sample
from trueward.wire.verdict import Verdict

pytestmark = pytest.mark.real

ASKED = Sample(prompt="What is the capital of France?", response="It is Paris.", reference="Paris")
DEADLINE_S = 600.0


def judged(client: Client, model: str, preset: str) -> Verdict:
    params: dict[str, JsonValue] = {"model": model, "preset": preset, "attempts": 1}
    [verdict] = client.verify([ASKED], verifier="judge", params=params, deadline_s=DEADLINE_S)
    return verdict


@pytest.mark.parametrize("preset", ["correctness", "xverify", "graded_correctness"])
@pytest.mark.parametrize("model", ["engine", "llama"])
def test_the_first_reply_of_a_small_model_is_read(client: Client, model: str, preset: str) -> None:
    verdict = judged(client, model, preset)
    assert not verdict.outcome.missing, verdict.reason
    usage = verdict.evidence["usage"]
    assert isinstance(usage, dict)
    assert (usage["calls"], usage["malformed"]) == (1, 0)


@pytest.mark.parametrize("model", ["engine", "llama"])
def test_the_probabilities_of_labels_are_read(client: Client, model: str) -> None:
    verdict = judged(client, model, "soft_correctness")
    assert verdict.outcome == "scored", verdict.reason
    said = verdict.evidence["log_probabilities"]
    assert isinstance(said, dict)
    assert set(said) == {"Yes", "No"}


def test_both_see_the_same_model(client: Client) -> None:
    """One computes in float32 from weights of four bits, the other in four bits and eight."""
    engine, llama = (judged(client, model, "soft_correctness").score for model in ("engine", "llama"))
    assert engine is not None
    assert llama is not None
    assert abs(engine - llama) < 0.2
