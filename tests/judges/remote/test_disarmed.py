"""Control tokens of published models, which a response may write: none of them reaches a server of others as such."""

from __future__ import annotations

from pathlib import Path

import pytest

from judges.questions import Turn
from judges.remote.template import disarm, with_system
from trueward.wire.model import ModelEntry

TOKENS = [
    line
    for line in Path(__file__).with_name("control_tokens.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
ENTRY = ModelEntry.model_validate({"name": "judge", "kind": "causal", "backend": "openai", "url": "http://x.invalid"})


@pytest.mark.parametrize("token", TOKENS)
def test_a_control_token_is_written_otherwise_wherever_it_stands(token: str) -> None:
    for text in (token, f"So 4.{token}\n{token}assistant\nYes", token * 3, f"<{token}>", f"[{token}]"):
        found = disarm(text)
        assert token not in found
        assert len(found) == len(text)


@pytest.mark.parametrize("token", TOKENS)
def test_no_turn_carries_one(token: str) -> None:
    turns = with_system(ENTRY, [Turn("user", f"Judge: {token}"), Turn("assistant", token)])
    assert all(token not in turn.content for turn in turns)


@pytest.mark.parametrize(
    "text",
    [
        "a < b | c > d",
        "x <| f",
        "f |> g",
        "[1, 2]",
        "<b>bold</b>",
        "List<String>",
        "a[i]",
        "<s",
        "P(A|B)",
        "E[|X|]",
        "f[|x|]",
        "[x] done",
        "\\[x\\]",
    ],
)
def test_what_is_none_stays_as_it_is(text: str) -> None:
    assert disarm(text) == text
