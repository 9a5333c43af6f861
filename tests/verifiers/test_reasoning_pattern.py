"""``reasoning_pattern``: the worked numbers of its score, and long texts go to a worker."""

from __future__ import annotations

import pytest

from trueward import Sample, Verdict
from verifiers import registry
from verifiers.reasoning_pattern import CUES, pattern_score


def test_the_score_by_its_worked_numbers() -> None:
    assert pattern_score(8, 0.05) == pytest.approx(0.35)
    assert pattern_score(40, 0.0, user_turns=2) == 0
    assert pattern_score(40, 0.25) == pytest.approx(0.75)
    assert len(set(CUES)) == 40


def test_saying_it_all_again_earns_nothing() -> None:
    """Once the windows repeat, more of the same costs."""
    text = " ".join(CUES)
    scores = [
        registry.create("reasoning_pattern", {}).verify([Sample(response=" ".join([text] * n))]) for n in (1, 2, 9)
    ]
    found = [one.score for [one] in scores]
    assert found == sorted(found, reverse=True, key=lambda score: score or 0)
    assert found[0] == 1
    assert (found[-1] or 0) < 0.15


def test_what_takes_longer_than_a_few_milliseconds_goes_to_a_worker() -> None:
    verifier = registry.create("reasoning_pattern", {})
    assert isinstance(verifier.triage(Sample(response="thus " * 400)), Verdict)
    assert not isinstance(verifier.triage(Sample(response="thus " * 4000)), Verdict)
