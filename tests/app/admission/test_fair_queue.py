"""Taking turns: between projects by seconds of work, within one between its requests."""

from __future__ import annotations

from collections import Counter

import pytest

from app.admission.fair_queue import FairQueue


def drained(turns: FairQueue[str]) -> list[str]:
    found = []
    while (item := turns.pop()) is not None:
        found.append(item)
    return found


def filled(turns: FairQueue[str], project: str | None, request: str, count: int, seconds: float = 1.0) -> None:
    for number in range(count):
        turns.append(f"{project}/{request}/{number}", project, request, seconds)


def test_a_request_by_itself_is_served_in_order() -> None:
    turns: FairQueue[str] = FairQueue()
    filled(turns, None, "r", 5)
    assert drained(turns) == [f"None/r/{number}" for number in range(5)]
    assert len(turns) == 0
    assert turns.seconds == 0.0


def test_a_single_sample_does_not_wait_for_a_batch_that_came_before() -> None:
    turns: FairQueue[str] = FairQueue()
    filled(turns, None, "batch", 4096)
    filled(turns, None, "single", 1)
    assert drained(turns).index("None/single/0") == 1


def test_projects_get_seconds_by_their_weights_whatever_their_items_take() -> None:
    turns: FairQueue[str] = FairQueue({"a": 1.0, "b": 3.0}.__getitem__)  # type: ignore[arg-type]  # neither is the default project
    for request in range(50):
        filled(turns, "a", f"r{request}", 10, seconds=0.5)
    filled(turns, "b", "r", 300, seconds=1.0)
    served = Counter(item[0] for item in drained(turns)[:210])
    seconds = {"a": served["a"] * 0.5, "b": served["b"] * 1.0}
    assert seconds["b"] / seconds["a"] == pytest.approx(3.0, rel=0.1)


def test_who_was_away_has_saved_nothing() -> None:
    turns: FairQueue[str] = FairQueue()
    filled(turns, "a", "r", 100)
    for _ in range(50):
        turns.pop()
    filled(turns, "b", "r", 100)
    served = Counter(item[0] for item in drained(turns)[:20])
    assert served["a"] == served["b"]


def test_who_comes_back_at_once_has_no_more_than_its_share() -> None:
    turns: FairQueue[str] = FairQueue()
    filled(turns, "a", "r", 100, seconds=1.0)
    served: Counter[str] = Counter()
    for number in range(60):
        if not any(item.startswith("b") for item in turns):
            filled(turns, "b", f"{number}", 1, seconds=5.0)
        served[str(turns.pop())[0]] += 1
    assert served["a"] == pytest.approx(5 * served["b"], rel=0.15)


def test_what_is_discarded_is_not_served() -> None:
    turns: FairQueue[str] = FairQueue()
    filled(turns, None, "r", 3)
    turns.discard("None/r/1")
    turns.discard("None/r/1")
    assert turns.seconds == 2.0
    assert drained(turns) == ["None/r/0", "None/r/2"]


def test_ahead_of_a_small_request_is_no_more_than_its_share_of_each() -> None:
    turns: FairQueue[str] = FairQueue()
    filled(turns, None, "batch", 4096)
    filled(turns, None, "other", 1)
    assert turns.ahead_s(None, 1.0) == 2.0
    assert turns.ahead_s(None, 10_000.0) == 4097.0
    assert turns.ahead_s("another project", 1.0) == 1.0


def test_projects_without_work_are_forgotten() -> None:
    turns: FairQueue[str] = FairQueue()
    for number in range(1000):
        filled(turns, f"p{number}", "r", 1)
        turns.pop()
    filled(turns, "last", "r", 3)
    drained(turns)
    filled(turns, "new", "r", 1)
    assert len(turns._lines) < 10
