"""The network between a service and its PostgreSQL is cut without a word, or a whole machine is gone. Needs root."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from tests.faults.cluster import Cluster, cluster
from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.faults.network import DATABASE, SERVICE, Cable, cable, inside
from tests.live import free_port, serving

CUT_S = 20.0


class Site(NamedTuple):
    cable: Cable
    database: Cluster


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """The tests stand at the service's end."""
    with cable() as made, ExitStack() as ending:
        with inside(made.there):
            database = ending.enter_context(cluster(DATABASE))
        database.admit(f"{SERVICE}/32")
        with inside(made.here):
            yield Site(made, database)


@pytest.mark.parametrize("how", ["cut", "lose"])
def test_a_silent_network_costs_waiting_and_no_reward(
    how: str, site: Site, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with serving(tmp_path, database_url=site.database.url) as service, Load(service.url, job=4000) as load:
        load.recovered()
        before = footprint(service.process.pid)
        getattr(site.cable, how)()
        cut = time.monotonic()
        time.sleep(CUT_S)
        site.cable.restore()
        restored = time.monotonic()
        record_property("recovered_s", round(load.recovered(), 1))
        record_property("missing while it was cut", round(load.missing_share(cut + 2.0, restored), 2))
        load.end()
        record_property("whole_s", round(time.monotonic() - restored, 1))
        record_property("report", str(check(load, site.database.local_url)))
        assert_no_growth(service.process.pid, before)


def test_a_service_whose_machine_died_keeps_no_job_to_itself(
    site: Site, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    port = free_port()
    with (
        serving(tmp_path, port=port, database_url=site.database.url) as first,
        Load(first.url, job=4000) as load,
    ):
        load.recovered()
        sessions = psutil.Process(first.process.pid).net_connections("tcp4")
        ports = {one.laddr.port for one in sessions if one.raddr and one.raddr.ip == DATABASE}
        assert ports
        site.cable.silence(ports)
        first.process.kill()
        first.process.wait()
        with serving(tmp_path, port=port, database_url=site.database.url):
            load.recovered()
            again = time.monotonic()
            load.end()
            record_property("job_s", round(time.monotonic() - again, 1))
            check(load, site.database.local_url)
