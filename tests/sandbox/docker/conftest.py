"""A sandbox on the suite's engine for each file, with nothing left behind."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from sandbox.docker import DockerSandbox
from tests.sandbox.docker.engines import IMAGE, containers, volumes


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[DockerSandbox]:
    sandbox = DockerSandbox(IMAGE, warm=1)
    yield sandbox
    await sandbox.close()
    assert (containers(sandbox.server), volumes(sandbox.server)) == (set(), [])
