"""Redis is killed, hangs, and comes back empty in the middle of a service's work."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.faults.footprint import assert_no_growth, footprint
from tests.faults.ledger import check
from tests.faults.load import Load
from tests.live import serving
from tests.redis import RedisServer, redis_server

pytestmark = pytest.mark.redis

SECRET = "one secret for all replicas"


def _killed(redis: RedisServer) -> None:
    redis.kill()


def _hanging(redis: RedisServer) -> None:
    assert redis.process is not None
    redis.process.send_signal(signal.SIGSTOP)


def ready(url: str) -> tuple[bool, dict[str, bool]]:
    said = httpx2.get(f"{url}/health/ready", timeout=30.0, trust_env=False).json()
    return said["ready"], {check["name"]: check["ok"] for check in said["checks"]}


@pytest.mark.parametrize("fault", [_killed, _hanging])
def test_without_redis_everybody_is_answered(
    fault: Callable[[RedisServer], None], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with (
        redis_server(tmp_path) as redis,
        serving(tmp_path, redis_url=redis.url, secret=SECRET) as service,
        Load(service.url, programs=True, job=300) as load,
    ):
        load.recovered()
        before = footprint(service.process.pid)
        fault(redis)
        record_property("answered without it_s", round(load.recovered(), 1))
        record_property("answered without it, later_s", round(load.recovered(), 1))
        whole, parts = ready(service.url)
        assert whole
        assert not parts["redis"]
        redis.kill()
        redis.start()  # with nothing in it
        record_property("answered with another_s", round(load.recovered(), 1))
        load.end()
        record_property("report", str(check(load, f"sqlite:///{tmp_path / 'trueward.db'}")))
        assert_no_growth(service.process.pid, before)
