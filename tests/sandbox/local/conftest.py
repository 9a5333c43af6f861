"""A local sandbox for each file, and one for each test in every mode that this host has."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from sandbox.local import LocalSandbox, cgroup


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[LocalSandbox]:
    made = LocalSandbox()
    yield made
    await made.close()


@pytest_asyncio.fixture(loop_scope="module", params=["groups", "no_groups"])
async def any_sandbox(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalSandbox]:
    """With the control groups that this host grants, and as on a host that grants none."""
    if request.param == "no_groups":
        monkeypatch.setattr(cgroup, "find", lambda: cgroup.NONE)
    made = LocalSandbox()
    yield made
    await made.close()
