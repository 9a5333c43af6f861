"""PostgreSQL is killed, stopped, frozen, and ends every session, in the middle of commits."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.faults.cluster import Cluster, cluster
from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load, wait_until_unready
from tests.live import Service, serving

pytestmark = pytest.mark.postgres
JOB = 600


@pytest.fixture(scope="module")
def database() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


@pytest.fixture(scope="module")
def service(database: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("service"), database_url=database.url) as started:
        yield started


def kill(database: Cluster, unready: Callable[[], None]) -> None:
    database.kill()
    unready()
    database.start()


def stop(database: Cluster, unready: Callable[[], None]) -> None:
    database.stop(signal.SIGINT)
    unready()
    database.start()


def freeze(database: Cluster, unready: Callable[[], None]) -> None:
    """It takes connections and says nothing, as one does whose disk hangs."""
    with ExitStack() as thaw:
        for process in database.processes():
            process.send_signal(signal.SIGSTOP)
            thaw.callback(process.send_signal, signal.SIGCONT)
        unready()


def end_sessions(database: Cluster, unready: Callable[[], None]) -> None:
    database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")


@pytest.mark.parametrize("fault", [kill, stop, freeze, end_sessions])
def test_no_reward_is_lost_with_the_database(
    fault: Callable[[Cluster, Callable[[], None]], None],
    database: Cluster,
    service: Service,
    record_property: Callable[[str, object], None],
) -> None:
    with Load(service.url, job=JOB) as load:
        load.recovered()
        before = footprint(service.process.pid)
        fault(database, lambda: wait_until_unready(service.url))
        record_property("recovered_s", load.recovered())
        load.end()
        record_property("report", str(check(load, database.url)))
    assert_no_growth(service.process.pid, before)
