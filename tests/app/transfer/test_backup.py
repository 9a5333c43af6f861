"""Backups that are taken while the service writes: restored, a service starts on them and explains an old record."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.databases import BOTH, fresh_name, on_server, postgres_url
from tests.live import Service, serving

QUIET = {"sandbox": "off", "workers": "1"}


def ask(url: str, name: str) -> str:
    samples = [{"id": f"{name}{index}", "response": name, "reference": name, "group": "g"} for index in range(4)]
    answer = httpx2.post(f"{url}/v1/rewards", json={"recipe": "exact", "run": "r", "samples": samples}, timeout=60.0)
    assert answer.status_code == 200, answer.text
    record: str = answer.json()["rewards"][0]["record"]
    return record


@contextmanager
def load(service: Service) -> Iterator[None]:
    """Writes go on in this block."""
    done = threading.Event()

    def go_on() -> None:
        number = 0
        while not done.is_set():
            ask(service.url, f"later{number}")
            number += 1

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        yield
    finally:
        done.set()
        writer.join()


def copied(source: Path, target: Path) -> None:
    """What ``.backup`` of SQLite's command line does."""
    with sqlite3.connect(source) as live, sqlite3.connect(target) as copy:
        live.backup(copy, pages=16)
    live.close()
    copy.close()


@pytest.fixture(params=BOTH)
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Settings of the service that is backed up, and of the one that starts on the copy."""
    if request.param == "sqlite":
        yield {}, {}
        return
    name = fresh_name()
    asyncio.run(on_server(f'CREATE DATABASE "{name}"'))
    yield {"database_url": request.getfixturevalue("empty_postgres")}, {"database_url": postgres_url(name)}
    asyncio.run(on_server(f'DROP DATABASE "{name}" WITH (FORCE)'))


def test_a_backup_under_load_is_a_service(tmp_path: Path, places: tuple[dict[str, str], dict[str, str]]) -> None:
    here, there = places
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    with serving(old, port=None, prefix=(), **QUIET, **here) as service:
        record = ask(service.url, "first")
        explained = httpx2.get(f"{service.url}/v1/verdicts/{record}/explanation", timeout=60.0).json()
        with load(service):
            if there:
                dump = ["pg_dump", "--format=custom", "--file", str(tmp_path / "dump"), here["database_url"]]
                subprocess.run(dump, check=True)
            else:
                copied(old / "trueward.db", new / "trueward.db")
    if there:
        subprocess.run(["pg_restore", "--dbname", there["database_url"], str(tmp_path / "dump")], check=True)
    with serving(new, port=None, prefix=(), **QUIET, **there) as service:
        found = httpx2.get(f"{service.url}/v1/verdicts/{record}/explanation", timeout=60.0)
        assert (found.status_code, found.json()) == (200, explained)
        report = httpx2.post(f"{service.url}/v1/runs/r/replay", timeout=60.0).text.splitlines()[-1]
        assert '"differ":0' in report
        ask(service.url, "goes on")
