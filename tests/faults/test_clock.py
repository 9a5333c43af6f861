"""The wall clock jumps by hours, forward and back: deadlines, ids, jobs, keys and repeated requests go on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from tests.faults.asking import BODY, SLEEP, asked, judged
from tests.faults.clock import Clock
from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.live import serving

pytestmark = pytest.mark.toolchain

HOURS = (7.0, -7.0, 0.0)


def clock_of(http: httpx2.Client) -> datetime:
    """The service's, by what it writes on a record."""
    record = judged(http, BODY)["verdicts"][0]["record"]
    stored = http.get(f"/v1/verdicts/{record}").json()
    return datetime.fromisoformat(stored["created_at"]).astimezone(UTC)


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
        first = judged(http, BODY, **key)
        records = [first["verdicts"][0]["record"]]
        for hours in HOURS:
            with asked(http, SLEEP) as slept:
                clock.shift(hours)
            assert slept.result()["verdicts"][0]["outcome"] != "correct"
            wanted = datetime.now(UTC) + timedelta(hours=hours)
            assert abs(clock_of(http) - wanted) < timedelta(minutes=2)
            record_property(f"recovered_s after {hours:+g} h", round(load.recovered(), 1))
            assert judged(http, BODY, **key) == first
            records.append(judged(http, BODY)["verdicts"][0]["record"])
        assert records == sorted(records)
        load.end()
        record_property("report", str(check(load, f"sqlite:///{tmp_path / 'trueward.db'}")))
        assert_no_growth(service.process.pid, before)
