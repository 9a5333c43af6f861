"""A local sandbox for each file."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from sandbox.local import LocalSandbox


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[LocalSandbox]:
    made = LocalSandbox(workers=2)
    yield made
    await made.close()
