"""A verdict leaves under its sample's name, in text that database and JSON can carry, whatever a verifier wrote."""

from __future__ import annotations

import pytest

from app.path.plan import stamp_verdict
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.exact import ExactVerifier

VERIFIER = ExactVerifier()
RECORD = "0" * 26


def stamp(verdict: Verdict) -> Verdict:
    return stamp_verdict(verdict, Sample(id="a"), RECORD, VERIFIER)


def test_a_verdict_says_of_what_it_is_and_who_made_it() -> None:
    found = stamp(Verdict.correct("equal", evidence={"x": 1}))
    assert (found.id, found.record, found.producer) == ("a", RECORD, VERIFIER.producer)
    assert (found.outcome, found.score, found.evidence) == ("correct", 1.0, {"x": 1})


def test_what_a_verifier_keeps_stays_as_it_is() -> None:
    kept = Verdict.correct("equal")
    stamp(kept)
    assert (kept.id, kept.record, kept.producer) == (None, None, None)


@pytest.mark.parametrize("bad", ["\x00", "\ud800"])
@pytest.mark.parametrize("field", ["reason_code", "reason", "feedback"])
def test_text_that_cannot_be_stored_is_replaced(field: str, bad: str) -> None:
    verdict = Verdict.correct("equal").model_copy(update={field: f"a{bad}b"})
    assert getattr(stamp(verdict), field) == "a\ufffdb"


@pytest.mark.parametrize("bad", ["\x00", "\ud800"])
def test_evidence_is_made_storable_however_deep(bad: str) -> None:
    found = stamp(Verdict.incorrect("unequal", evidence={bad: [{"x": [bad]}], "y": "é"}))
    assert found.evidence == {"\ufffd": [{"x": ["\ufffd"]}], "y": "é"}
    assert (found.id, found.record, found.producer) == ("a", RECORD, VERIFIER.producer)


def test_an_escape_that_is_plain_text_stays() -> None:
    assert stamp(Verdict.correct("equal", reason=r"it says \u0000")).reason == r"it says \u0000"
