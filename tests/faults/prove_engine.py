"""kill -9 of the Docker engine that runs programs, an engine of the test's own, and its return."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.live import serving
from tests.sandbox.docker.engines import SMALL_IMAGE, client, second_engine

_SETTLE_S = 60.0


@pytest.mark.image
def test_a_killed_engine_costs_no_program_its_verdict(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with (
        second_engine() as engine,
        serving(
            tmp_path,
            prefix=["env", f"DOCKER_HOST={engine.url}"],
            sandbox="docker",
            sandbox_image=SMALL_IMAGE,
        ) as service,
        Load(service.url, programs=True, job=300) as load,
    ):
        load.recovered()
        before = footprint(service.process.pid)
        usual = containers(engine.url)
        engine.kill()
        wait_for_missing_programs(load)
        engine.start()
        record_property("recovered_s", round(load.recovered(), 1))
        load.end()
        record_property("report", str(check(load, f"sqlite:///{tmp_path / 'trueward.db'}")))
        assert_no_growth(service.process.pid, before)
        assert_at_most(usual + 1, lambda: containers(engine.url))
        assert "trueward_sandbox_leaked 0.0" in httpx2.get(f"{service.url}/metrics").text


def wait_for_missing_programs(load: Load) -> None:
    """Until programs are answered without a score: the outage is there."""
    start = time.monotonic()
    while not any(one.who == "program" and one.sent > start and not one.whole for one in list(load.exchanges)):
        assert time.monotonic() - start < _SETTLE_S, "no program was answered"
        time.sleep(0.1)


def containers(engine: str) -> int:
    api = client(engine)
    try:
        return len(api.containers(all=True))
    finally:
        api.close()


def assert_at_most(count: int, counted: Callable[[], int]) -> None:
    deadline = time.monotonic() + _SETTLE_S
    while (now := counted()) > count:
        assert time.monotonic() < deadline, f"{now} containers, {count} are usual"
        time.sleep(0.2)
