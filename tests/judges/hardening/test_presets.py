"""Whatever a preset asks, a response that says nothing never reaches its model."""

from __future__ import annotations

import pytest

from judges.judge import JudgeVerifier
from judges.presets import names
from tests.judges.hardening.test_canonical import LISTED
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers import registry

VERIFIERS = {"pointwise": "judge"}
GIVEN = {"principle": "Be right.", "documents": ["A text."]}


@pytest.mark.parametrize("preset", names("pointwise"))
def test_none_of_the_listed_keys_is_asked_about_with_any_preset(preset: str) -> None:
    verifier = registry.create("judge", {"preset": preset})
    assert isinstance(verifier, JudgeVerifier)
    for key in LISTED:
        found = verifier.triage(Sample(prompt="2 + 2?", response=key, reference="4", metadata=dict(GIVEN)))
        assert isinstance(found, Verdict), key
        assert found.outcome is Outcome.INVALID
        assert found.score == 0.0, key
