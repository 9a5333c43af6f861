"""``length`` refuses to count what nobody knows."""

from __future__ import annotations

import pytest

from trueward import Sample
from trueward.errors import InvalidParameters
from verifiers import registry


@pytest.mark.parametrize("scope", ["answer", "thinking", "final"])
def test_tokens_of_a_part_are_refused(scope: str) -> None:
    with pytest.raises(InvalidParameters, match="tokens are known for the whole response alone"):
        registry.create("length", {"unit": "tokens", "scope": scope})


def test_thinking_and_answer_together_are_no_longer_than_the_response() -> None:
    sample = Sample(response="<think> a b </think> c d e ")
    lengths = {
        scope: registry.create("length", {"unit": "words", "scope": scope}).verify([sample])[0].score
        for scope in ("thinking", "answer")
    }
    assert lengths == {"thinking": 2.0, "answer": 3.0}
