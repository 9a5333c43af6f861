"""The sandboxes by name, and which of them the settings name.

Each is made of the settings, not started: it starts with its first program.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from app.lanes.timed_sandbox import ASLEEP_BYTES
from sandbox.base import Execution, Program, Sandbox, Unsupported, Workspace
from sandbox.languages import languages
from sandbox.limits import Limits
from trueward.errors import NotInstalled
from trueward.plugins import Kind, list_built_in, list_installed, no_function

if TYPE_CHECKING:
    from app.settings import Settings

_MOST_ASLEEP = 32


def make_local(settings: Settings) -> Sandbox:
    from sandbox.local import LocalSandbox

    return LocalSandbox(
        workers=settings.sandbox_workers + count_sleeping_places(settings), floor=settings.sandbox_floor
    )


def make_docker(settings: Settings) -> Sandbox:
    try:
        from sandbox.docker import DockerSandbox
    except ModuleNotFoundError as missing:
        if missing.name != "docker":
            raise
        install = "pip install 'trueward-server[docker]'"
        raise NotInstalled(f"TRUEWARD_SANDBOX=docker needs Docker's client: {install}") from missing
    return DockerSandbox(
        settings.sandbox_image,
        warm=settings.sandbox_workers,
        reuse=settings.sandbox_reuse,
        runtime=settings.sandbox_runtime,
    )


def make_remote(settings: Settings) -> Sandbox:
    assert settings.sandbox_url, "the settings refuse that"
    from sandbox.remote import RemoteSandbox

    return RemoteSandbox(settings.sandbox_url)


def make_none(settings: Settings) -> Sandbox:
    return SandboxOff()


GROUP = "trueward.sandboxes"

SANDBOXES: Kind[Callable[[Settings], Sandbox]] = Kind(
    "sandbox",
    list_built_in(
        GROUP,
        {
            "docker": f"{__name__}:make_docker",
            "local": f"{__name__}:make_local",
            "off": f"{__name__}:make_none",
            "remote": f"{__name__}:make_remote",
        },
    ),
    list_installed(GROUP),
    no_function,
)
"""By name, functions that make one of the settings."""


def sandbox_of(settings: Settings) -> Sandbox:
    """That of the settings, not started. Those that are not named are not loaded."""
    return SANDBOXES.get(settings.sandbox)(settings)


def count_sleeping_places(settings: Settings) -> int:
    """Places for programs that sleep, beside those of the sandbox's workers.

    Half of the machine's memory holds what they may take, each of them a pair.
    """
    if settings.sandbox not in ("local", "docker"):
        return 0
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(_MOST_ASLEEP, memory_bytes // (4 * ASLEEP_BYTES))


class SandboxOff:
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
