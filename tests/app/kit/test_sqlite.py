"""A connection's thread outlives the loop that asked it, and says nothing of that."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.kit.db import engine_url, sqlite_engine

SLOW = text("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n")


async def _not_opened(folder: Path) -> None:
    engine = sqlite_engine(engine_url(f"sqlite:///{folder}"), writes=False, pool_size=1)
    with pytest.raises(OperationalError, match="unable to open"):
        await engine.connect()
    await engine.dispose()


async def _cut_off(folder: Path) -> None:
    """The query is under way, and nobody waits until it has been."""
    engine = sqlite_engine(engine_url(f"sqlite:///{folder / 'a.db'}"), writes=False, pool_size=1)

    async def query() -> None:
        async with engine.connect() as connection:
            await connection.execute(SLOW)

    asking = asyncio.create_task(query())
    while engine.pool.checkedout() == 0:  # type: ignore[attr-defined]  # the pool of files
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.01)
    asking.cancel()
    await asyncio.wait([asking], timeout=0.01)


@pytest.mark.parametrize("left", [_not_opened, _cut_off])
def test_a_loop_that_is_closed_before_the_answer_costs_no_traceback(
    left: Callable[[Path], Awaitable[None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    died: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", died.append)
    before = set(threading.enumerate())
    loop = asyncio.new_event_loop()
    with _thread_comes_late():
        loop.run_until_complete(left(tmp_path))
        loop.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(30)
        assert not thread.is_alive()
    assert [str(one.exc_value) for one in died] == []


@contextmanager
def _thread_comes_late() -> Iterator[None]:
    """A thread that computes keeps the interpreter to itself until it waits."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(60.0)
    yield
    sys.setswitchinterval(before)
