"""What is old enough to be deleted, by a wall clock that may be set anew."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from app.kit import clock
from app.kit.clock import compute_cutoff, now

HOUR = timedelta(hours=1)


def test_age_counts_from_the_present() -> None:
    assert abs(now() - HOUR - compute_cutoff(HOUR)) < timedelta(minutes=1)


def test_a_clock_that_is_set_ahead_makes_nothing_older(monkeypatch: pytest.MonkeyPatch) -> None:
    made = now()
    monkeypatch.setattr(clock, "now", lambda: made + 7 * HOUR)
    assert compute_cutoff(HOUR) < made
    assert compute_cutoff(timedelta(0)) - made < timedelta(minutes=1)


def test_hours_that_the_process_lived_through_count(monkeypatch: pytest.MonkeyPatch) -> None:
    made, began = now(), time.monotonic()
    monkeypatch.setattr(clock, "now", lambda: made + 7 * HOUR)
    monkeypatch.setattr(time, "monotonic", lambda: began + 7 * 3600)
    assert compute_cutoff(6 * HOUR) > made


def test_a_clock_that_is_set_back_makes_everything_younger(monkeypatch: pytest.MonkeyPatch) -> None:
    made = now()
    monkeypatch.setattr(clock, "now", lambda: made - 7 * HOUR)
    assert compute_cutoff(HOUR) == made - 8 * HOUR
