"""64 clients at once with planted hangs: every sample gets its outcome, nothing leaks, memory is bounded.

The short form; benchmarks/soak.py is the long one.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import pytest

from tests.live import Service, serving

PLUGIN = Path(__file__).parents[2] / "hostile_plugin"
CLIENTS, REQUESTS, HANG_EVERY = 64, 25, 100
GROWTH_BYTES = 150 * 2**20


def _sample(number: int) -> tuple[dict[str, Any], str]:
    if number % HANG_EVERY == 50:
        return {"response": "spin", "reference": "fine", "prompt": str(number)}, "invalid"
    if number % 5 == 0:
        return {"response": "fine", "reference": "fine", "prompt": str(number)}, "correct"
    return {"response": f"\\boxed{{{number}}}", "reference": str(number + number % 2)}, (
        "incorrect" if number % 2 else "correct"
    )


async def _client(session: aiohttp.ClientSession, url: str, first: int) -> list[tuple[str, str]]:
    """``(expected, outcome)`` of one client's samples, one request each."""
    seen = []
    for number in range(first, first + REQUESTS):
        sample, expected = _sample(number)
        verifier = "hostile" if sample["response"] in ("spin", "fine") else "math"
        body = {"verifier": verifier, "samples": [sample], "deadline_s": 300}
        [verdict] = (await _accepted(session, f"{url}/v1/verify", body))["verdicts"]
        seen.append((expected, verdict["outcome"]))
    return seen


async def _accepted(session: aiohttp.ClientSession, url: str, body: dict[str, Any]) -> Any:
    """Sends it again when it is told to, where the machine is slower than the clients are many."""
    while True:
        async with session.post(url, json=body) as answer:
            if answer.status == 200:
                return await answer.json()
            assert answer.status == 503, await answer.text()
            wait_s = float(answer.headers["Retry-After"])
        await asyncio.sleep(wait_s)


async def _storm(url: str) -> list[tuple[str, str]]:
    timeout = aiohttp.ClientTimeout(total=300)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout) as session:
        each = await asyncio.gather(*(_client(session, url, number * REQUESTS) for number in range(CLIENTS)))
    return [pair for pairs in each for pair in pairs]


def _family(service: Service) -> list[psutil.Process]:
    return psutil.Process(service.process.pid).children(recursive=True)


async def test_64_clients_with_planted_hangs_each_get_their_outcome_and_nothing_leaks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(PLUGIN))
    with serving(tmp_path, workers="2", cpu_limit_s="0.3", wall_limit_s="3") as service:
        server = psutil.Process(service.process.pid)
        processes, memory = len(_family(service)), server.memory_info().rss
        seen = await _storm(service.url)
        assert len(seen) == CLIENTS * REQUESTS
        assert [pair for pair in seen if pair[0] != pair[1]] == []
        await asyncio.sleep(1)
        assert len(_family(service)) <= processes
        assert server.memory_info().rss - memory < GROWTH_BYTES
        orphans = _family(service)
    assert service.process.returncode == 0
    _, alive = psutil.wait_procs(orphans, timeout=10)
    assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []
