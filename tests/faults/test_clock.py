"""The wall clock jumps by hours, forward and back: deadlines, ids, jobs, keys and repeated requests go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from tests.faults.clock import Clock
from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.live import serving

pytestmark = pytest.mark.toolchain

BODY = {"verifier": "exact", "samples": [{"id": "a", "response": "4", "reference": "4"}]}
HOURS = (7.0, -7.0, 0.0)
SLEEPER = "```python\nimport time\ntime.sleep(60)\nprint(input())\n```"
SLEEP = {
    "verifier": "code",
    "deadline_s": 4.0,
    "samples": [{"response": SLEEPER, "reference": {"stdio": [{"stdin": "1\n", "stdout": "1\n"}]}}],
}


def clock_of(http: httpx2.Client) -> datetime:
    """The service's, by what it writes on a record."""
    record = http.post("/v1/verify", json=BODY).json()["verdicts"][0]["record"]
    stored = http.get(f"/v1/verdicts/{record}").json()
    return datetime.fromisoformat(stored["created_at"]).astimezone(UTC)


@contextmanager
def asked(http: httpx2.Client, body: object) -> Iterator[Future[httpx2.Response]]:
    """The answer to a question that is on its way in the block, and there at its end."""
    with ThreadPoolExecutor(1) as thread:
        question = thread.submit(http.post, "/v1/verify", json=body)
        yield question
        question.result(timeout=30.0)


def test_a_jump_of_the_clock_costs_nothing(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    clock = Clock(tmp_path)
    with (
        serving(tmp_path, prefix=clock.prefix) as service,
        httpx2.Client(base_url=service.url, timeout=30.0, trust_env=False) as http,
        Load(service.url, programs=True, job=300) as load,
    ):
        with asked(http, SLEEP):  # beside the load: a second place of the sandbox starts when it is needed, and stays
            load.recovered()
        before = footprint(service.process.pid)
        key = {"Idempotency-Key": "once"}
        first = http.post("/v1/verify", json=BODY, headers=key).json()
        records = [first["verdicts"][0]["record"]]
        for hours in HOURS:
            with asked(http, SLEEP) as slept:
                clock.shift(hours)
            assert slept.result().json()["verdicts"][0]["outcome"] != "correct"
            wanted = datetime.now(UTC) + timedelta(hours=hours)
            assert abs(clock_of(http) - wanted) < timedelta(minutes=2)
            record_property(f"recovered_s after {hours:+g} h", round(load.recovered(), 1))
            assert http.post("/v1/verify", json=BODY, headers=key).json() == first
            records.append(http.post("/v1/verify", json=BODY).json()["verdicts"][0]["record"])
        assert records == sorted(records)
        load.end()
        record_property("report", str(check(load, f"sqlite:///{tmp_path / 'trueward.db'}")))
        assert_no_growth(service.process.pid, before)
