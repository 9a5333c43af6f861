"""Keys of repeated requests are forgotten by their age, which no jump of the clock changes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from app.idempotency.repository import Claims
from app.kit.clock import now
from app.kit.db import Database

DAY = timedelta(hours=24)


async def is_known(claims: Claims, key: str) -> bool:
    """Whether the key has a claim: another seed for it is not stored then."""
    return (await claims.claim("s", key, "hash", "another")).seed == "first"


async def test_a_key_is_forgotten_after_a_day(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    claims, earlier = Claims(db), now() - 2 * DAY
    with monkeypatch.context() as patch:
        patch.setattr("app.idempotency.repository.now", lambda: earlier)
        await claims.claim("s", "old", "hash", "first")
    await claims.claim("s", "new", "hash", "first")
    await claims.purge(DAY)
    assert not await is_known(claims, "old")
    assert await is_known(claims, "new")


async def test_a_clock_that_is_set_ahead_forgets_no_key(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    claims, later = Claims(db), now() + 2 * DAY
    await claims.claim("s", "new", "hash", "first")
    monkeypatch.setattr("app.kit.clock.now", lambda: later)
    await claims.purge(DAY)
    assert await is_known(claims, "new")
