"""What a service has started is killed or stopped in the middle of its work; the service itself stands still."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.faults.footprint import assert_no_growth, children, footprint, kill
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.live import Service, serving

STOPPED_S = 5.0
WATCHED_S = 3.0


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("service")


@pytest.fixture(scope="module")
def service(data: Path) -> Iterator[Service]:
    with serving(data, wall_limit_s="2") as started:
        yield started


def workers(service: int) -> list[psutil.Process]:
    """Those that the fork server made."""
    return [child for server in fork_server(service) for child in server.children()]


def fork_server(service: int) -> list[psutil.Process]:
    return [child for child in psutil.Process(service).children() if "forkserver" in " ".join(child.cmdline())]


def jails(service: int) -> list[psutil.Process]:
    """The sandbox's server and all that runs in its jails."""
    servers = [child for child in psutil.Process(service).children() if "-S" in child.cmdline()]
    return [inside for server in servers for inside in (server, *server.children(recursive=True))]


def everything(service: int) -> list[psutil.Process]:
    return children(service)


def stopped(process: psutil.Process) -> None:
    process.send_signal(signal.SIGSTOP)


@pytest.mark.parametrize(
    ("victims", "end"),
    [(workers, kill), (fork_server, kill), (jails, kill), (everything, kill), (workers, stopped)],
    ids=["workers", "fork server", "jails", "everything", "workers stopped"],
)
def test_a_killed_process_costs_no_answer(
    victims: Callable[[int], list[psutil.Process]],
    end: Callable[[psutil.Process], None],
    service: Service,
    data: Path,
    record_property: Callable[[str, object], None],
) -> None:
    with Load(service.url, programs=True, job=300) as load:
        load.recovered()
        before = footprint(service.process.pid)
        found = victims(service.process.pid)
        assert found
        for process in found:
            end(process)
        record_property("recovered_s", round(load.recovered(), 1))
        load.end()
        record_property("report", str(check(load, f"sqlite:///{data / 'trueward.db'}")))
    assert_no_growth(service.process.pid, before)


def test_a_service_that_stood_still_goes_on(
    service: Service, data: Path, record_property: Callable[[str, object], None]
) -> None:
    with Load(service.url, programs=True, job=300) as load:
        load.recovered()
        before = footprint(service.process.pid)
        service.process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        service.process.send_signal(signal.SIGCONT)
        record_property("recovered_s", round(load.recovered(), 1))
        load.end()
        record_property("report", str(check(load, f"sqlite:///{data / 'trueward.db'}")))
    assert_no_growth(service.process.pid, before)
