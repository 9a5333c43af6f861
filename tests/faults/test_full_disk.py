"""The disk of the SQLite file is full, and has room again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.faults.disk import disk
from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load, wait_until_unready
from tests.live import serving

ROOM_MB = 64


def test_a_full_disk_costs_waiting_and_no_reward(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    url = f"sqlite:///{small / 'trueward.db'}"
    with (
        disk(small, ROOM_MB) as room,
        serving(tmp_path, database_url=url) as service,
        Load(service.url, job=300) as load,
    ):
        load.recovered()
        before = footprint(service.process.pid)
        room.fill()
        wait_until_unready(service.url)
        room.free()
        record_property("recovered_s", round(load.recovered(), 1))
        load.end()
        record_property("report", str(check(load, url)))
        assert_no_growth(service.process.pid, before)
