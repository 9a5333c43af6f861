"""What a replica shares with the others, all of it behind one Redis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from app.keys.quotas import LocalBuckets
from app.kit.db import Database
from app.replicas.buckets import SharedBuckets
from app.replicas.checks import SharedChecks
from app.replicas.groups import Seats, SharedGroups
from app.replicas.link import RedisLink
from app.replicas.record_state import make_reward_reader
from app.replicas.replica_lock import ReplicaLock
from app.replicas.siblings import SharedSiblings


class Peers(Collector):
    """An async context manager: the link to Redis lives as long as the block."""

    def __init__(self, url: str, secret: bytes, db: Database) -> None:
        self.link = RedisLink(url, secret)
        self.turns = ReplicaLock(self.link)
        self.checks = SharedChecks(self.link)
        self.groups = SharedGroups(url, self.link, make_reward_reader(db))
        self.siblings = SharedSiblings(self.link)
        self.buckets = SharedBuckets(self.link, LocalBuckets())
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Peers:
        await self._stack.enter_async_context(self.link)
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self._stack.aclose()

    async def assemble(self, seats: Seats) -> None:
        """From now on other replicas' members are taken into the groups that this one leads."""
        self.groups.seats = seats
        await self._stack.enter_async_context(self.groups.post)

    async def probe(self) -> str:
        """For readiness: raises RuntimeError where this replica goes on by itself."""
        if not self.link.up:
            why = f" ({self.link.why})" if self.link.why else ""
            raise RuntimeError(f"Redis does not answer{why}; this replica caches, counts and groups by itself")
        return f"replica {self.link.name}"

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        """What is counted of all this, when metrics are scraped."""
        up = GaugeMetricFamily("trueward_redis_up", "Whether Redis answers")
        up.add_metric([], self.link.up)
        failures = CounterMetricFamily("trueward_redis_failures", "Times that Redis stopped answering")
        failures.add_metric([], self.link.failures)
        checks = CounterMetricFamily("trueward_shared_checks", "Checks that replicas share", labels=["found"])
        for found, count in self.checks.found.items():
            checks.add_metric([found], count)
        handed = CounterMetricFamily(
            "trueward_assembly_handed", "Samples handed to the replica that leads their group", labels=["ended"]
        )
        for ended, count in self.groups.handed.items():
            handed.add_metric([ended], count)
        yield from (up, failures, checks, handed)
