"""A Redis of the folder's own; links of several replicas to it, in one process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from app.replicas.link import RedisLink
from tests.app.replicas.cluster import Cluster, two
from tests.redis import RedisServer, redis_server

SECRET = b"a secret that all replicas have"
Linked = Callable[[], Awaitable[RedisLink]]


@pytest.fixture(scope="package")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
async def linked(redis: RedisServer) -> AsyncIterator[Linked]:
    """Makes the link of one more replica."""
    async with AsyncExitStack() as stack:

        async def make() -> RedisLink:
            return await stack.enter_async_context(RedisLink(redis.url, SECRET))

        yield make


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    async with two(tmp_path) as running:
        yield running
