"""Replies that a real model wrote, and others in the manner of larger ones, each labelled by eye before it was read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.judges.asking import by_hand
from tests.judges.asking.by_hand import ByHand, read

FILE = Path(__file__).with_name("replies_of_models.jsonl")


@dataclass(frozen=True, slots=True)
class Labelled:
    """``stands``: whether the decision stands in an object, or in words alone; None where there is none."""

    recorded: bool
    stands: str | None
    reply: ByHand


def labelled() -> Iterator[Labelled]:
    for line in FILE.read_text(encoding="utf-8").strip("\n").split("\n"):
        row = json.loads(line)
        reply = ByHand(row["preset"], row["decision"], row["text"])
        yield Labelled(row["from"] == "recorded", row["stands"], reply)


@pytest.fixture(scope="module")
def found() -> list[tuple[Labelled, JsonValue]]:
    by_old_hand = [Labelled(False, "object" if one.decision is not None else None, one) for one in by_hand.replies()]
    return [(one, read(one.reply)) for one in (*labelled(), *by_old_hand)]


def test_there_are_replies_of_both_origins(found: list[tuple[Labelled, JsonValue]]) -> None:
    assert sum(one.recorded for one, _ in found) >= 89
    assert sum(not one.recorded for one, _ in found) >= 400


def test_no_reply_is_read_as_another_decision_than_it_holds(found: list[tuple[Labelled, JsonValue]]) -> None:
    wrong = [(one.reply, got) for one, got in found if got is not None and got != one.reply.decision]
    assert wrong == []


def test_decisions_in_objects_are_read(found: list[tuple[Labelled, JsonValue]]) -> None:
    held = [got is not None for one, got in found if one.stands == "object"]
    assert len(held) >= 250
    assert sum(held) >= 0.99 * len(held)


def main() -> None:
    """The numbers of the docs."""
    for origin in (True, False):
        rows = [(one, read(one.reply)) for one in labelled() if one.recorded is origin]
        for stands in ("object", "words", None):
            of = [(one, got) for one, got in rows if one.stands == stands]
            told = sum(got is not None for _, got in of)
            wrong = sum(got is not None and got != one.reply.decision for one, got in of)
            print("recorded" if origin else "written", stands, f"{len(of)} replies, {told} read, {wrong} of them wrong")


if __name__ == "__main__":
    main()
