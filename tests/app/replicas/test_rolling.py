"""Two replicas under load: upgraded one after the other with a migration, Redis killed and back, one replica killed."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.app.replicas import newer
from tests.app.replicas.cluster import Cluster, rows
from tests.app.replicas.pair import Replica
from trueward import AsyncClient
from trueward.wire.sample import Sample

pytestmark = pytest.mark.postgres

NATIVE, TRAINER = "native", "trainer"
JOB_SAMPLES, JOBS = 300, 3


@dataclass
class Load:
    """Clients that ask without a pause, and count what they are told."""

    url: str
    stopped: bool = False
    answered: dict[str, int] = field(default_factory=lambda: {NATIVE: 0, TRAINER: 0})
    failures: list[str] = field(default_factory=list)

    async def native(self, name: int) -> None:
        async with AsyncClient(self.url) as client:
            turn = 0
            while not self.stopped:
                turn += 1
                samples = [
                    Sample(prompt="?", response=f"\\boxed{{{name}{turn}{n}}}", reference=f"{name}{turn}{n}")
                    for n in range(3)
                ]
                try:
                    rewards = await client.reward(samples, recipe="math", run=NATIVE)
                    told = [reward.reward for reward in rewards.rewards]
                except Exception as failure:  # noqa: BLE001 - every failure is one too many, and is told
                    self.failures.append(f"native: {failure!r}")
                    continue
                self._count(NATIVE, told, 3)

    async def trainer(self, name: int) -> None:
        """As OpenRLHF asks: one sample a request, and here without trying again."""
        async with httpx2.AsyncClient(timeout=120, trust_env=False) as http:
            turn = 0
            while not self.stopped:
                turn += 1
                symbolic = f"\\int_0^{{{turn % 50}}} x dx" if turn % 5 == 0 else f"{turn}"
                label = str((turn % 50) ** 2 / 2) if turn % 5 == 0 else f"{turn}"
                body = {"query": [f"{name}? \\boxed{{{symbolic}}}"], "prompts": [f"{name}?"], "labels": [label]}
                try:
                    answer = await http.post(f"{self.url}/t/math/openrlhf?run={TRAINER}", json=body)
                    told = answer.json()["rewards"] if answer.status_code == 200 else [answer.text]
                except httpx2.TransportError as failure:
                    told = [repr(failure)]
                self._count(TRAINER, told, 1)

    def _count(self, kind: str, told: list[Any], count: int) -> None:
        self.answered[kind] += len(told)
        if told != [1.0] * count:
            self.failures.append(f"{kind}: {told}")

    async def go_on(self, count: int) -> None:
        """Returns when so many more samples were answered."""
        goal = sum(self.answered.values()) + count
        async with asyncio.timeout(240):
            while sum(self.answered.values()) < goal and not self.failures:
                await asyncio.sleep(0.05)


async def assert_recorded(cluster: Cluster, load: Load) -> None:
    """Each answered sample once."""
    for run, count in load.answered.items():
        found = await rows(cluster, f"SELECT record FROM rewards WHERE run = '{run}'")
        assert (len(found), len(set(found))) == (count, count)


def sample(number: int, n: int) -> dict[str, str]:
    """One in ten takes a worker."""
    if n % 10:
        return {"id": f"{n}", "response": f"\\boxed{{{number}{n}}}", "reference": f"{number}{n}"}
    k = number + 2
    return {"id": f"{n}", "response": f"\\boxed{{\\int_0^{{{n}}} {k} x dx}}", "reference": f"{k * n * n / 2}"}


async def submit(http: httpx2.AsyncClient, where: Replica, number: int) -> str:
    samples = [sample(number, n) for n in range(JOB_SAMPLES)]
    answer = await http.post(f"{where.url}/v1/jobs", json={"verifier": "math", "samples": samples})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


async def finished(http: httpx2.AsyncClient, where: Replica, job: str) -> dict[str, Any]:
    async with asyncio.timeout(240):
        while True:
            view: dict[str, Any] = (await http.get(f"{where.url}/v1/jobs/{job}")).json()
            if view["state"] not in ("queued", "running"):
                return view
            await asyncio.sleep(0.2)


async def test_no_request_fails_while_replicas_are_upgraded_redis_restarts_and_one_is_killed(
    cluster: Cluster, tmp_path: Path
) -> None:
    migrations = tmp_path / "newer"
    newer.write_migrations(migrations)
    prefix = (sys.executable, newer.__file__, migrations)
    load = Load(cluster.balancer.url)
    clients = [asyncio.create_task(load.native(n)) for n in range(2)]
    clients += [asyncio.create_task(load.trainer(n)) for n in range(4)]
    await load.go_on(100)

    for port in cluster.ports:
        await cluster.stop(port)
        await load.go_on(50)
        await cluster.start(port, *prefix)
        await load.go_on(50)
        assert await rows(cluster, "SELECT version_num FROM alembic_version") == ["0999"]

    cluster.redis.kill()
    await load.go_on(100)
    for _, one in cluster.running.values():
        found = await asyncio.to_thread(one.readiness)
        assert (found[""], found["redis"]) == (True, False)
    cluster.redis.start()
    async with asyncio.timeout(60):
        while not all([(await asyncio.to_thread(one.readiness))["redis"] for _, one in cluster.running.values()]):
            await asyncio.sleep(0.1)
    await load.go_on(100)

    load.stopped = True
    await asyncio.gather(*clients)
    assert load.failures == []
    assert cluster.balancer.cut == 0
    assert min(cluster.balancer.sent.values()) > 50
    await assert_recorded(cluster, load)

    # and what one replica has begun the other finishes
    (_, one), (_, other) = cluster.running.values()
    async with httpx2.AsyncClient(timeout=60, trust_env=False) as http:
        accepted = [await submit(http, one, number) for number in range(JOBS)]
        async with asyncio.timeout(60):
            while (await http.get(f"{other.url}/v1/jobs/{accepted[0]}")).json()["state"] == "queued":
                await asyncio.sleep(0.02)
        one.service.process.kill()
        for job in accepted:
            view = await finished(http, other, job)
            assert (view["state"], view["counts"]["done"]) == ("completed", JOB_SAMPLES), view
            lines = (await http.get(f"{other.url}/v1/jobs/{job}/results")).text.splitlines()
            results = [json.loads(line) for line in lines]
            assert [result["id"] for result in results] == [f"{n}" for n in range(JOB_SAMPLES)]
            assert len({result["record"] for result in results}) == JOB_SAMPLES
