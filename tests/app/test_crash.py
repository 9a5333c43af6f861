"""The whole service, killed under load again and again: what it answered is in the ledger, once, and its jobs end."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import select

from app import tables
from app.kit.db import Database
from tests.databases import BOTH
from tests.live import Service, serving

CLIENTS = 4
KILLS = 2
ANSWERS = 12
ITEMS = 600


@pytest.fixture(params=BOTH)
def settings(request: pytest.FixtureRequest) -> dict[str, str]:
    if request.param == "sqlite":
        return {}
    return {"database_url": request.getfixturevalue("empty_postgres")}


def rows(count: int, name: str) -> list[dict[str, str]]:
    """Each a sample of its own, so that no answer comes from a cache."""
    return [{"id": f"{name}.{index}", "response": f"{name} {index}", "reference": "x"} for index in range(count)]


class Load:
    """Clients that ask until they are told to stop; ``answered`` are the records that they were given."""

    def __init__(self, url: str, round_: int) -> None:
        self.answered: list[str] = []
        self.enough = threading.Event()
        self._url, self._round = url, round_
        self._stop = threading.Event()

    def client(self, number: int) -> None:
        with httpx2.Client(base_url=self._url, timeout=60.0, trust_env=False) as http:
            for request in range(10_000):
                samples = rows(8, f"{self._round}/{number}/{request}")
                try:
                    answer = http.post("/v1/verify", json={"verifier": "exact", "samples": samples})
                except httpx2.TransportError:
                    return
                assert answer.status_code == 200, answer.text
                self.answered += [verdict["record"] for verdict in answer.json()["verdicts"]]
                if len(self.answered) >= ANSWERS * 8:
                    self.enough.set()
                if self._stop.is_set():
                    return

    @contextmanager
    def going(self) -> Iterator[None]:
        threads = [threading.Thread(target=self.client, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._stop.set()
            for thread in threads:
                thread.join()


def submit(service: Service, name: str) -> str:
    body = {"recipe": "exact", "samples": rows(ITEMS, name)}
    answer = httpx2.post(f"{service.url}/v1/jobs", json=body, timeout=60.0)
    assert answer.status_code == 202, answer.text
    job: str = answer.json()["id"]
    return job


def ended(service: Service, job: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60.0
    while True:
        view: dict[str, Any] = httpx2.get(f"{service.url}/v1/jobs/{job}", timeout=60.0).json()
        if view["state"] not in ("queued", "running") or time.monotonic() > deadline:
            return view
        time.sleep(0.1)


async def recorded(url: str, table: type[tables.Verdict] | type[tables.Reward]) -> list[str]:
    async with Database(url) as db, db.read() as connection:
        return list((await connection.execute(select(table.record))).scalars())


def test_what_was_answered_is_recorded_once_and_jobs_end(tmp_path: Path, settings: dict[str, str]) -> None:
    answered: list[str] = []
    jobs: list[str] = []
    for number in range(KILLS):
        with serving(tmp_path, port=None, prefix=(), sandbox="off", workers="1", **settings) as service:
            jobs.append(submit(service, f"job{number}"))
            load = Load(service.url, number)
            with load.going():
                assert load.enough.wait(60.0)
                time.sleep(random.uniform(0.0, 0.2))
                service.process.kill()
            answered += load.answered
    with serving(tmp_path, port=None, prefix=(), sandbox="off", workers="1", **settings) as service:
        views = [ended(service, job) for job in jobs]
        lines = [httpx2.get(f"{service.url}/v1/jobs/{job}/results", timeout=60.0).text.splitlines() for job in jobs]
    url = settings.get("database_url", f"sqlite:///{tmp_path / 'trueward.db'}")
    verdicts = Counter(asyncio.run(recorded(url, tables.Verdict)))
    rewards = asyncio.run(recorded(url, tables.Reward))
    assert len(answered) >= KILLS * ANSWERS * 8
    assert set(answered) <= set(verdicts)
    assert [(view["state"], view["counts"]["done"]) for view in views] == [("completed", ITEMS)] * KILLS
    assert [len(found) for found in lines] == [ITEMS] * KILLS
    assert len(rewards) == len(set(rewards)) == KILLS * ITEMS
    assert set(verdicts.values()) == {1}
