"""Two replicas behind a balancer, which start and stop on their own."""

from __future__ import annotations

import asyncio
import signal
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg

from tests.app.replicas.balancer import Balancer, balancing
from tests.app.replicas.pair import Replica, replica
from tests.databases import on_server, postgres_url
from tests.live import free_port
from tests.redis import RedisServer, redis_server


@dataclass
class Cluster:
    folder: Path
    database: str
    redis: RedisServer
    ports: tuple[int, int]
    balancer: Balancer
    running: dict[int, tuple[ExitStack, Replica]] = field(default_factory=dict)

    async def start(self, port: int, *prefix: str | Path) -> Replica:
        stack = ExitStack()
        made = replica(
            self.folder / str(port), self.database, self.redis.url, port=port, prefix=prefix, lame_duck_s="1"
        )
        started = await asyncio.to_thread(stack.enter_context, made)
        self.running[port] = stack, started
        await self.balancer.until(port, True)
        return started

    async def stop(self, port: int) -> None:
        stack, stopped = self.running.pop(port)
        stopped.service.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(stopped.service.process.wait, 120) == 0
        stack.close()

    def close(self) -> None:
        for stack, _ in self.running.values():
            stack.close()


@asynccontextmanager
async def two(folder: Path) -> AsyncIterator[Cluster]:
    name = f"trueward_rolling_{uuid.uuid4().hex}"
    await on_server(f'CREATE DATABASE "{name}"')
    ports = (free_port(), free_port())
    async with AsyncExitStack() as stack:
        stack.push_async_callback(on_server, f'DROP DATABASE "{name}" WITH (FORCE)')
        redis = stack.enter_context(redis_server(folder))
        balancer = await stack.enter_async_context(balancing(ports))
        made = Cluster(folder, postgres_url(name), redis, ports, balancer)
        stack.callback(made.close)
        await asyncio.gather(*(made.start(port) for port in ports))
        yield made


async def rows(cluster: Cluster, query: str) -> list[Any]:
    connection = await asyncpg.connect(cluster.database)
    try:
        return [row[0] for row in await connection.fetch(query)]
    finally:
        await connection.close()
