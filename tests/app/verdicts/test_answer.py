"""The answer that a list shows is what a verifier read, not the part of the response that it looked at."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from app.verdicts.answer import answer_of


@pytest.mark.parametrize(
    ("evidence", "answer"),
    [
        ({"extracted": "1/2", "rule": "boxed"}, "1/2"),
        ({"extracted": "all that was written", "rule": "response"}, None),
        ({"extracted": "all after the thinking", "rule": "answer"}, None),
        ({"extracted": "so it is 7", "rule": "response", "match": "7"}, "7"),
        ({"extracted": ["a", "ü"]}, '["a", "ü"]'),
        ({"extracted": "7", "rule": ["boxed"]}, "7"),
        ({}, None),
    ],
)
def test_the_answer_is_what_was_read(evidence: dict[str, JsonValue], answer: str | None) -> None:
    assert answer_of(evidence) == answer
