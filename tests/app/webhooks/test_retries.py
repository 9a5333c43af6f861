"""When a delivery is tried again."""

from __future__ import annotations

import pytest

from app.kit.clock import now
from app.webhooks.retries import WAITS_S, next_try_at
from app.webhooks.sender import GONE, REFUSED, SENT


def test_the_waits_span_most_of_a_day() -> None:
    assert list(WAITS_S) == sorted(WAITS_S)
    assert 12 * 3600 < sum(WAITS_S) < 24 * 3600


@pytest.mark.parametrize("outcome", [SENT, GONE, f"{REFUSED}it is no URL"])
def test_what_another_try_would_not_change_is_not_tried_again(outcome: str) -> None:
    assert next_try_at(outcome, 1) is None


def test_each_try_waits_as_long_as_its_place_says_and_the_last_is_the_last() -> None:
    began = now()
    for attempts, wait_s in enumerate(WAITS_S, 1):
        at = next_try_at("failed: status 500", attempts)
        assert at is not None
        assert wait_s <= (at - began).total_seconds() < 1.1 * wait_s + 60
    assert next_try_at("failed: status 500", len(WAITS_S) + 1) is None
