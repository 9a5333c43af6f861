"""Which sandbox the settings name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.settings import Settings
from sandbox.base import Execution, Limits, Program, Sandbox, Unsupported, Workspace
from sandbox.docker import DockerSandbox
from sandbox.languages import languages
from sandbox.local import LocalSandbox
from sandbox.remote import RemoteSandbox


def sandbox_of(settings: Settings) -> Sandbox:
    """Made, not started: each starts with its first program."""
    if settings.sandbox == "local":
        return LocalSandbox(workers=settings.sandbox_workers, floor=settings.sandbox_floor)
    if settings.sandbox == "docker":
        return DockerSandbox(
            settings.sandbox_image,
            warm=settings.sandbox_workers,
            reuse=settings.sandbox_reuse,
            runtime=settings.sandbox_runtime,
        )
    if settings.sandbox == "remote":
        assert settings.sandbox_url, "the settings refuse that"
        return RemoteSandbox(settings.sandbox_url)
    return NoSandbox()


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
