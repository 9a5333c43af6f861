"""The SQLite file is damaged, or taken away, under a running service."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load, wait_until_unready
from tests.live import Service, serving

PAGE_BYTES = 4096
RIGHT = {"response": "4", "reference": "4"}
WRONG = {"response": "5", "reference": "4"}


def back_up(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)


def damage(file: Path) -> None:
    """The head of each page but the first two."""
    with file.open("r+b") as pages:
        for place in range(2 * PAGE_BYTES, file.stat().st_size, PAGE_BYTES):
            pages.seek(place)
            pages.write(os.urandom(512))


def lines_of(service: Service, event: str) -> list[dict[str, object]]:
    found = [json.loads(line) for line in service.log.read_text().splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == event]


def verified(http: httpx2.Client, number: int) -> list[float | None]:
    """The scores of a right and a wrong response that nobody has sent before."""
    body = {"verifier": "exact", "deadline_s": 3, "run": f"r{number}", "samples": [RIGHT, WRONG]}
    answer = http.post("/v1/verify", json=body)
    assert answer.status_code in (200, 503), answer.text
    return [verdict["score"] for verdict in answer.json().get("verdicts", [])]


def test_a_damaged_file_is_named_and_scores_nothing(tmp_path: Path) -> None:
    file, backup = tmp_path / "trueward.db", tmp_path / "backup.db"
    with serving(tmp_path) as service, httpx2.Client(base_url=service.url, timeout=60.0, trust_env=False) as http:
        known = http.post("/v1/verify", json={"verifier": "exact", "samples": [RIGHT]}).json()["verdicts"][0]
        back_up(file, backup)
        damage(file)
        wait_until_unready(service.url)
        ready = http.get("/health/ready").json()
        assert f"the database {file} is damaged" in ready["checks"][0]["detail"]
        assert http.get("/health/live").status_code == 200
        for number in range(5):
            assert verified(http, number) in ([1.0, 0.0], [None, None], [])
        refused = http.post("/v1/jobs", json={"verifier": "exact", "samples": [RIGHT]})
        assert refused.status_code == 503
        assert "damaged" in refused.json()["detail"]
        (line,) = lines_of(service, "the database is damaged")
        assert str(file) in str(line["reason"])
        assert "exception" not in service.log.read_text()
    for left in tmp_path.glob("trueward.db*"):
        left.unlink()
    backup.rename(file)
    with serving(tmp_path) as service, httpx2.Client(base_url=service.url, timeout=60.0, trust_env=False) as http:
        assert http.get(f"/v1/verdicts/{known['record']}").status_code == 200
        assert verified(http, 0) == [1.0, 0.0]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_was_taken_away_gets_no_more_rows(
    replaced: bool, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    file, elsewhere, other = tmp_path / "trueward.db", tmp_path / "elsewhere.db", tmp_path / "other.db"
    with serving(tmp_path) as service, Load(service.url, job=300) as load:
        load.recovered()
        before = footprint(service.process.pid)
        if replaced:
            back_up(file, other)
        file.rename(elsewhere)
        if replaced:
            other.rename(file)
        wait_until_unready(service.url)
        elsewhere.rename(file)
        record_property("recovered_s", round(load.recovered(), 1))
        load.end()
        record_property("report", str(check(load, f"sqlite:///{file}")))
        assert_no_growth(service.process.pid, before)
