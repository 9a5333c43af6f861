"""Whose doing it is that a model cannot be asked: the response's only where a harmless one would have been judged."""

from __future__ import annotations

import pytest

from judges.likelihood import LikelihoodVerifier
from judges.likelihood.params import LikelihoodParams
from tests.judges.scripted import LIMIT, verify
from trueward.wire.sample import Sample

LONG = "word " * (LIMIT + 5)


@pytest.mark.parametrize(
    ("fields", "outcome", "code"),
    [
        ({"response": f"{LONG}\\boxed{{41}}"}, "invalid", "too_long"),
        ({"response": "so ☃ \\boxed{41}"}, "invalid", "unjudgeable"),
        ({"prompt": LONG}, "abstained", "prompt_too_long"),
        ({"reference": LONG}, "abstained", "prompt_too_long"),
        ({"reference": "☃"}, "error", "unaskable"),
        ({}, "scored", "likelihood"),
    ],
)
def test_whose_doing_it_is(fields: dict[str, str], outcome: str, code: str) -> None:
    sample = Sample.model_validate({"prompt": "4 x 10?", "response": "so \\boxed{41}", "reference": "40", **fields})
    [verdict] = verify(LikelihoodVerifier(LikelihoodParams(model="policy")), [sample])
    assert (verdict.outcome, verdict.reason_code) == (outcome, code)
    assert (verdict.score is None) == (outcome in ("abstained", "error"))
