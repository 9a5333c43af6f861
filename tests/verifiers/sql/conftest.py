"""A local sandbox for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sandbox.local import LocalSandbox


@pytest.fixture
async def sandbox() -> AsyncIterator[LocalSandbox]:
    made = LocalSandbox(workers=1)
    yield made
    await made.close()
