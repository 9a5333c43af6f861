"""kill -9 of the service in the middle of its work, and it is started again."""

from __future__ import annotations

from pathlib import Path

from tests.faults.footprint import assert_gone, assert_no_growth, children, footprint
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.live import free_port, serving


def test_a_killed_service_loses_nothing_that_it_answered(database_url: str, tmp_path: Path) -> None:
    port = free_port()
    with serving(tmp_path, port=port, database_url=database_url) as first, Load(first.url, programs=True) as load:
        load.recovered()
        left = children(first.process.pid)
        first.process.kill()
        first.process.wait()
        with serving(tmp_path, port=port, database_url=database_url) as second:
            took_s = load.recovered()
            before = footprint(second.process.pid)
            load.recovered()
            load.end()
            assert_gone(left)
            assert_no_growth(second.process.pid, before)
            check(load, database_url)
            print(f"recovered in {took_s:.1f} s, unanswered {dict(load.unanswered)}")
