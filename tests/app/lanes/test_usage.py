"""What models were asked, what they read and wrote for it, and what that cost."""

from __future__ import annotations

import pytest

from app.lanes.usage import UsageTally
from judges.questions import Answer
from trueward.wire.model import ModelEntry, Price


def entry(name: str, price: Price | None = None) -> ModelEntry:
    return ModelEntry(name=name, kind="reward", path="/m", price=price)


PRICED, FREE = entry("priced", Price(read=2.0, written=10.0)), entry("free")


def test_what_was_asked_is_added_up_by_model() -> None:
    tally = UsageTally()
    for model in (PRICED, PRICED, FREE):
        tally.record_asked(model, Answer(tokens=1000, written=100))
    assert dict(tally.answers) == {("priced", "asked"): 2, ("free", "asked"): 1}
    assert dict(tally.tokens) == {
        ("priced", "read"): 2000,
        ("priced", "written"): 200,
        ("free", "read"): 1000,
        ("free", "written"): 100,
    }
    assert tally.cost == {"priced": pytest.approx(2 * PRICED.price.of(1000, 100)), "free": 0.0}  # type: ignore[union-attr]


def test_what_is_shared_costs_nothing_and_is_counted_apart() -> None:
    tally = UsageTally()
    for _ in range(3):
        tally.record_shared(PRICED)
    assert dict(tally.answers) == {("priced", "shared"): 3}
    assert (dict(tally.tokens), tally.cost, dict(tally.unreadable)) == ({}, {}, {})
