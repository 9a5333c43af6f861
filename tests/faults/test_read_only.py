"""The file system of the SQLite file goes read-only, as Linux makes one whose disk fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.faults.disk import failing_disk
from tests.faults.ledger import check
from tests.faults.load import Load, wait_until_unready
from tests.live import free_port, serving

ROOM_MB = 64


def test_a_file_system_that_goes_read_only_costs_waiting_and_no_reward(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    port, folder = free_port(), tmp_path / "disk"
    folder.mkdir()
    url = f"sqlite:///{folder / 'trueward.db'}"
    with (
        failing_disk(folder, ROOM_MB) as disk,
        serving(tmp_path, port=port, database_url=url) as first,
        Load(first.url, job=300) as load,
    ):
        load.recovered()
        disk.fail()
        wait_until_unready(first.url)
        load.some_answers()
        first.process.kill()
        first.process.wait()
        disk.mend()
        with serving(tmp_path, port=port, database_url=url):
            record_property("recovered_s", round(load.recovered(), 1))
            load.end()
            record_property("report", str(check(load, url)))
