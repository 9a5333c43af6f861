"""The short forms of the benchmarks that do a service harm run, and their claims hold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import hangs, servers, soak
from benchmarks.load.mix import KINDS
from benchmarks.servers import Server
from tests.benchmarks.forms import ran

pytestmark = pytest.mark.benchmark


@pytest.fixture(scope="module")
def hung() -> Iterator[Server]:
    """The service of those that plant hangs; no process outlives it."""
    caches = {"verdict_cache": soak.CACHE, "check_cache": soak.CACHE}
    with servers.trueward(workers=hangs.WORKERS, cpu_limit_s=hangs.CPU_LIMIT_S, **caches) as server:
        yield server
    assert not server.survivors


@pytest.mark.parametrize("name", ["hangs", "soak"])
def test_planted_hangs_cost_nobody_anything(
    name: str, hung: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "trueward", lambda **settings: nullcontext(hung))
    ran(name, tmp_path)


def test_too_much_is_answered_or_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    told = ran("overload", tmp_path)["told"]
    assert isinstance(told, dict)
    assert set(told) == {kind.name for kind in KINDS}
