"""Which sandbox the settings name."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.scoring.hurried import ASLEEP_BYTES
from app.settings import Settings
from sandbox.base import Execution, Limits, Program, Sandbox, Unsupported, Workspace
from sandbox.languages import languages

_MOST_ASLEEP = 32


def sandbox_of(settings: Settings) -> Sandbox:
    """Made, not started: each starts with its first program. Those that are not named are not loaded."""
    if settings.sandbox == "local":
        from sandbox.local import LocalSandbox

        return LocalSandbox(workers=settings.sandbox_workers + asleep_of(settings), floor=settings.sandbox_floor)
    if settings.sandbox == "docker":
        from sandbox.docker import DockerSandbox

        return DockerSandbox(
            settings.sandbox_image,
            warm=settings.sandbox_workers,
            reuse=settings.sandbox_reuse,
            runtime=settings.sandbox_runtime,
        )
    if settings.sandbox == "remote":
        assert settings.sandbox_url, "the settings refuse that"
        from sandbox.remote import RemoteSandbox

        return RemoteSandbox(settings.sandbox_url)
    return NoSandbox()


def asleep_of(settings: Settings) -> int:
    """Places for programs that sleep, beside those of the sandbox's workers.

    Half of the machine's memory holds what they may take, each of them a pair.
    """
    if settings.sandbox not in ("local", "docker"):
        return 0
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(_MOST_ASLEEP, memory_bytes // (4 * ASLEEP_BYTES))


class NoSandbox:
    """Runs nothing: everything is :class:`Unsupported`."""

    name = "off"
    _WHY = "this service runs no programs (TRUEWARD_SANDBOX=off)"

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[Workspace]:
        raise Unsupported(self._WHY)
        yield

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        raise Unsupported(self._WHY)

    async def languages(self) -> dict[str, str]:
        return dict.fromkeys(languages(), self._WHY)

    async def close(self) -> None:
        return None
