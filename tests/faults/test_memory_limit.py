"""The control group that a service was put into has no memory left while right programs run within their limits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.faults.control_group import control_group
from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.live import serving

EACH_MB = 60
AT_ONCE = 4
LEFT_MB = 110
"""Enough for one at a time, and not for four."""

PROGRAM = """```python
import time
held = bytearray({megabytes} * 2**20)
for place in range(0, len(held), 4096):
    held[place] = 1
time.sleep(1.5)
print({number})
```"""


NO_GROUPS = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o ro none /sys/fs/cgroup; exec "$@"', "sh"]
"""A service that cannot make any, and reads none, as in many containers."""


def programs(count: int, megabytes: int = EACH_MB) -> dict[str, object]:
    """Right programs, each of its own."""
    samples = [
        {
            "response": PROGRAM.format(megabytes=megabytes, number=number),
            "reference": {"stdio": [{"stdout": f"{number}"}]},
        }
        for number in range(count)
    ]
    return {"verifier": "code", "deadline_s": 60, "samples": samples}


@pytest.mark.parametrize("granted", [True, False], ids=["groups of its own", "none"])
def test_a_right_program_is_not_charged_for_memory_that_the_host_lacks(
    granted: bool, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with control_group() as group:
        prefix = [*group.prefix, *([] if granted else NO_GROUPS)]
        with (
            serving(tmp_path, prefix=prefix, sandbox_workers=str(AT_ONCE)) as service,
            httpx2.Client(base_url=service.url, timeout=120.0, trust_env=False) as http,
            Load(service.url, job=100) as load,
        ):
            load.recovered()
            http.post("/v1/verify", json=programs(AT_ONCE))  # as many slots as there will be
            before = footprint(service.process.pid)
            group.leave(LEFT_MB)
            verdicts = http.post("/v1/verify", json=programs(2 * AT_ONCE)).json()["verdicts"]
            charged = [verdict for verdict in verdicts if verdict["score"] not in (1.0, None)]
            assert not charged, json.dumps(charged)
            codes = {verdict["reason_code"] for verdict in verdicts}
            assert codes <= {"all_passed", "host_memory", "sandbox_failed"}
            record_property("null", sum(verdict["score"] is None for verdict in verdicts))
            greedy = http.post("/v1/verify", json=programs(1, megabytes=2000)).json()["verdicts"][0]
            record_property("a program beyond its own limit", greedy["reason_code"])
            group.lift()
            record_property("recovered_s", round(load.recovered(), 1))
            again = http.post("/v1/verify", json=programs(AT_ONCE)).json()["verdicts"]
            assert [verdict["score"] for verdict in again] == [1.0] * AT_ONCE, again
            load.end()
            record_property("report", str(check(load, f"sqlite:///{tmp_path / 'trueward.db'}")))
            assert_no_growth(service.process.pid, before)
