"""A replica is restarted amid each one-sample protocol: nothing is lost, paid twice, or paid as a stranger."""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from benchmarks.standing.protocols import PROTOCOLS, Draw, Where, asked
from benchmarks.standins import MOST, SIZE, advantages, draws
from tests.app.replicas.cluster import Cluster, rows

pytestmark = [pytest.mark.postgres, pytest.mark.long]

GROUPS = 16


async def recorded(cluster: Cluster, run: str) -> list[str]:
    """Records of priced samples."""
    return [str(row) for row in await rows(cluster, f"SELECT record FROM rewards WHERE run = '{run}'")]


async def until_answered(cluster: Cluster, run: str, count: int) -> None:
    async with asyncio.timeout(120):
        while len(await recorded(cluster, run)) < count:
            await asyncio.sleep(0.05)


def run_of(name: str) -> str:
    return f"restart {name}"


def right(one: Draw) -> float:
    return 1.0 if f"\\boxed{{{one.label}}}" in one.response else 0.0


async def test_a_missing_member_stands_in_its_group_through_a_restart(cluster: Cluster) -> None:
    # two protocols at a time: a restart takes longer than their groups
    for number, names in enumerate(zip(*[iter(PROTOCOLS)] * 2, strict=True)):
        sent = {name: draws("random", GROUPS, PROTOCOLS[name].at_once, Random(name)) for name in names}
        asking = [
            asyncio.create_task(asked(name, Where(cluster.balancer.url, "math", run_of(name), SIZE), sent[name]))
            for name in names
        ]
        for name in names:
            await until_answered(cluster, run_of(name), SIZE)
        port = cluster.ports[number % 2]
        await cluster.stop(port)
        await cluster.start(port)
        for name, numbers in zip(names, await asyncio.gather(*asking), strict=True):
            assert max(advantages(sent[name], numbers)) < MOST, name
            judged = [
                (told, right(one)) for told, one in zip(numbers, sent[name], strict=True) if one.label is not None
            ]
            assert [told for told, _ in judged] == [wanted for _, wanted in judged], name
            found = await recorded(cluster, run_of(name))
            assert (len(found), len(set(found))) == (len(sent[name]), len(sent[name])), name
    assert cluster.balancer.cut == 0
