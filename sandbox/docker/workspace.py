"""A program in a container of its own: laid out, compiled, run as often as there are inputs.

The container is taken anew when a run has broken it; the program is then laid out and compiled again.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from sandbox.base import Execution, Program, SandboxFailure, Status
from sandbox.docker.container import Container, Lost, Shape
from sandbox.docker.pool import Pool
from sandbox.docker.run import execute, run_request
from sandbox.docker.runner.frames import RunRequest
from sandbox.languages import Language
from sandbox.limits import Limits

PAYLOAD_FREE_BYTES = 4 * 2**20


class DockerWorkspace:
    """See :class:`sandbox.base.Workspace`. Runs follow one another: they share the container."""

    def __init__(self, pool: Pool, program: Program, language: Language, shape: Shape, limits: Limits) -> None:
        self._pool = pool
        self._program = program
        self._language = language
        self._limits = limits
        self._files = {**program.files, language.file: program.source.encode()}
        self._shape = shape
        self._container: Container | None = None
        self._compiled: Execution | None = None
        self._one_at_a_time = asyncio.Lock()

    @property
    def compiled(self) -> Execution | None:
        return self._compiled

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        async with self._one_at_a_time:
            container = await self.establish(limits)
            if self.refused is not None:
                return self.refused

            async def feed() -> None:
                await container.send_all(b"i", stdin)
                container.send(b"z")
                await container.drain()

            return await execute(container, self.request(limits), feed)

    @property
    def refused(self) -> Execution | None:
        """What the compiler did where it failed."""
        failed = self._compiled is not None and self._compiled.status is Status.COMPILE_ERROR
        return self._compiled if failed else None

    def request(self, limits: Limits | None = None, window: int | None = None) -> RunRequest:
        """What a run of the program asks of the runner."""
        limits = limits or self._limits
        command = self._program.command or self._language.run_command(limits)
        return run_request(
            (*command, *self._program.arguments),
            self._language.variables,
            with_room(self._program, self._language.running(limits)),
            fetch=self._program.fetch,
            fetch_bytes=self._program.fetch_bytes,
            window=window,
        )

    async def establish(self, limits: Limits | None = None) -> Container:
        """A container with the program in it, compiled, its memory as the limits say."""
        if self._container is not None and not self._container.alive:
            await self.close()
        if self._container is None:
            self._container = await self._pool.take(self._shape)
            try:
                await self._lay_out(self._container)
            except Lost as lost:
                raise SandboxFailure(f"a container broke off: {lost} {self._container.errors}") from lost
        if self.refused is None:
            running = with_room(self._program, self._language.running(limits or self._limits))
            await self._container.limit_memory(memory_with(self._files, running.memory_bytes))
        return self._container

    async def _lay_out(self, container: Container) -> None:
        container.send(b"f", json.dumps([(path, len(data)) for path, data in self._files.items()]).encode())
        for data in self._files.values():
            await container.send_all(b"d", data)
        await container.expect(b"k")
        if not self._language.compile_command or self._program.command:
            return

        limits = self._language.compiling(self._limits)
        request = run_request(self._language.compile_command, self._language.variables, limits, keep=True)
        done = await execute(container, request, container.no_input)
        failed = done.status is not Status.FINISHED
        self._compiled = replace(done, status=Status.COMPILE_ERROR) if failed else done

    async def close(self) -> None:
        """Gives the container up."""
        container, self._container = self._container, None
        if container is not None:
            # Not given up half-way when the caller is cancelled.
            await asyncio.shield(self._pool.give_back(container, clean=container.alive))


def with_room(program: Program, limits: Limits) -> Limits:
    """The limits with room for what the program writes to be fetched."""
    room = program.fetch_bytes
    return replace(limits, memory_bytes=limits.memory_bytes + room, disk_bytes=limits.disk_bytes + room)


def memory_with(files: dict[str, bytes], memory_bytes: int) -> int:
    """The runner keeps the files in the container's memory; small ones are part of its overhead."""
    payload = sum(map(len, files.values()))
    return memory_bytes + (payload if payload > PAYLOAD_FREE_BYTES else 0)
