"""Two programs run against each other, each in a container of its own: the output of each is the other's input.

Only so much output is under way as the window says, so that a program that is not read stands still, as at a pipe.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from sandbox.base import Execution, Status, Usage
from sandbox.docker.container import Container
from sandbox.docker.run import execute
from sandbox.docker.workspace import DockerWorkspace

WINDOW_BYTES = 256 * 1024
STOP_S = 0.5
_NEVER_RAN = Execution(Status.STOPPED, Usage(0.0, 0.0, 0))


class Side:
    """One program's container, with the bytes that wait to become its input."""

    def __init__(self, container: Container) -> None:
        self.container = container
        self._waiting: asyncio.Queue[bytes | None] = asyncio.Queue()

    def offer(self, data: bytes | None) -> None:
        """Bytes of the other's output; None: there will be no more."""
        self._waiting.put_nowait(data)

    async def feed(self, source: Container) -> None:
        """Passes the bytes on as fast as this side takes them, and lets the source send as many more."""
        while (data := await self._waiting.get()) is not None:
            self.container.send(b"i", data)
            await self.container.drain()
            source.send(b"c", json.dumps(len(data)).encode())
        self.container.send(b"z")
        await self.container.drain()


async def run_pair(first: DockerWorkspace, second: DockerWorkspace) -> tuple[Execution, Execution]:
    """See :meth:`sandbox.base.Sandbox.pair`. What did not compile is not run, nor is its partner."""
    await asyncio.gather(first.establish(), second.establish())
    if first.refused is not None or second.refused is not None:
        return first.refused or _NEVER_RAN, second.refused or _NEVER_RAN
    sides = Side(await first.establish()), Side(await second.establish())
    tests = asyncio.create_task(_run(first, sides[0], sides[1]))
    candidate = asyncio.create_task(_run(second, sides[1], sides[0]))
    try:
        done, _ = await asyncio.wait((tests, candidate), return_when=asyncio.FIRST_COMPLETED)
        if tests not in done:
            second_ended = await candidate
            return await tests, second_ended
        first_ended = await tests
        if candidate.done():
            return first_ended, await candidate
        await asyncio.wait((candidate,), timeout=STOP_S)
        sides[1].container.send(b"q")
        outlived = await candidate
        if outlived.status is not Status.FINISHED:
            # By the end of its input or by us: it was for the first's end.
            outlived = replace(outlived, status=Status.STOPPED)
        return first_ended, outlived
    finally:
        tests.cancel()
        candidate.cancel()
        await asyncio.gather(tests, candidate, return_exceptions=True)


async def _run(workspace: DockerWorkspace, side: Side, other: Side) -> Execution:
    try:
        return await execute(
            side.container,
            workspace.request(window=WINDOW_BYTES),
            lambda: side.feed(other.container),
            other.offer,
        )
    finally:
        other.offer(None)
        other.container.send(b"u")
