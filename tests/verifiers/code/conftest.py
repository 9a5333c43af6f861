"""A local sandbox for the tests of the verifier."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from sandbox.base import Sandbox
from sandbox.local import LocalSandbox


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[Sandbox]:
    sandbox = LocalSandbox()
    yield sandbox
    await sandbox.close()
