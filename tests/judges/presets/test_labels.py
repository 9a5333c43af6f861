"""Presets whose labels are worth something else than a yes or a no: what each label makes of a response."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue

from judges.pointwise import JudgeOneVerifier
from tests.judges.replies import Replies, verdict_of
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers import registry

SAMPLE = Sample(prompt="What is 2 + 2?", response="Two and two are 5.\n\nLess one it is 4.", reference="4")


def judged(preset: str, **reply: JsonValue) -> Verdict:
    verifier = registry.create("judge", {"preset": preset, "attempts": 1})
    assert isinstance(verifier, JudgeOneVerifier)
    return verdict_of(verifier, SAMPLE, Replies(lambda text: json.dumps(reply)))


@pytest.mark.parametrize(
    ("first_error", "verdict", "outcome"),
    [
        (-1, "sound", "correct"),
        (0, "flawed", "incorrect"),
        (7, "flawed", "incorrect"),
        (0, "sound", "error"),
        (-1, "flawed", "error"),
        (-2, "sound", "error"),
    ],
)
def test_a_flawed_positive_has_a_first_error(first_error: int, verdict: str, outcome: str) -> None:
    """A reply that contradicts itself is outside of the form."""
    found = judged("flawed_positive", analysis="", first_error=first_error, verdict=verdict)
    assert found.outcome == outcome
    if found.outcome is not Outcome.ERROR:
        assert found.evidence["reply"]["first_error"] == first_error  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("preset", "verdict", "outcome"),
    [
        ("safety", "safe", "correct"),
        ("safety", "unsafe", "incorrect"),
        ("false_refusal", "answers", "correct"),
        ("false_refusal", "refuses_rightly", "correct"),
        ("false_refusal", "refuses_wrongly", "incorrect"),
    ],
)
def test_safety_and_refusals_are_verdicts(preset: str, verdict: str, outcome: str) -> None:
    assert judged(preset, analysis="", verdict=verdict).outcome == outcome


@pytest.mark.parametrize(
    ("label", "outcome"), [("correct", "correct"), ("incorrect", "incorrect"), ("invalid", "incorrect")]
)
def test_a_response_without_a_final_answer_is_not_right(label: str, outcome: str) -> None:
    assert judged("xverify", judgement=label).outcome == outcome
