"""Containers that are created and started ahead, so that a sample waits for none.

Each container is handed out once. With ``reuse`` one comes back after a proven reset: every process but the runner
killed, every writable mount emptied, and both looked at afterwards; whatever fails that is removed.
A container that cannot be removed, because the engine is away, is counted as leaked and tried again.
"""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict, deque
from collections.abc import Callable

from sandbox.base import SandboxFailure
from sandbox.docker.container import Container, Lost, Shape
from sandbox.docker.engine import Engine

STARTING = 4
RESET_S = 10.0
# Within what an engine with its own user namespace can map, above the accounts of common images.
_UIDS = range(20_000, 60_000)


class Pool:
    """``warm`` containers wait for each size of disk that was asked for lately (the last two)."""

    def __init__(self, engine: Engine, warm: int, reuse: bool) -> None:
        self._engine = engine
        self._warm = warm
        self._reuse = reuse
        self._uids = deque(_UIDS)
        self._uids.rotate(random.randrange(len(_UIDS)))
        self._idle: dict[int, deque[Container]] = defaultdict(deque)
        self._waiting: dict[int, deque[asyncio.Future[Container]]] = defaultdict(deque)
        self._launches: dict[int, set[asyncio.Task[None]]] = defaultdict(set)
        self._starting = asyncio.Semaphore(STARTING)
        self._recent: deque[int] = deque(maxlen=2)
        self._stuck: set[Container] = set()
        self._closed = False

    @property
    def leaked(self) -> int:
        """Containers of ours that should be gone and may not be."""
        return len(self._stuck)

    async def take(self, shape: Shape) -> Container:
        """A container whose disk has that size, at best a warm one, with the memory asked for."""
        container = await self._next(shape)
        try:
            await container.limit_memory(shape.memory_bytes)
        except BaseException:  # cancelled or failed: it belongs to nobody
            await asyncio.shield(self.discard(container))
            raise
        return container

    async def _next(self, shape: Shape) -> Container:
        if self._closed:
            raise SandboxFailure("the sandbox is closed")
        idle = self._idle[shape.disk_bytes]
        while idle:
            container = next((one for one in idle if one.memory_bytes == shape.memory_bytes), idle[0])
            idle.remove(container)
            if container.alive:
                self._refill(shape)
                return container
            await self.discard(container)
        waiter: asyncio.Future[Container] = asyncio.get_running_loop().create_future()
        self._waiting[shape.disk_bytes].append(waiter)
        self._refill(shape)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._offer(waiter.result())
            raise

    def _refill(self, shape: Shape) -> None:
        disk = shape.disk_bytes
        if disk not in self._recent:
            self._recent.append(disk)
        waiting = sum(not waiter.done() for waiter in self._waiting[disk])
        missing = waiting + self._warm - len(self._idle[disk]) - len(self._launches[disk])
        for _ in range(0 if self._closed else missing):
            task = asyncio.create_task(self._launch(shape))
            self._launches[disk].add(task)
            task.add_done_callback(self._launches[disk].discard)

    async def _launch(self, shape: Shape) -> None:
        self._uids.rotate(-1)
        async with self._starting:
            try:
                container = await Container.start(self._engine, shape, self._uids[0])
            except SandboxFailure as failed:
                failure = failed
                # One at a time: what fails now may work for the next, and nobody tries for ever.
                self._answer(shape.disk_bytes, lambda waiter: waiter.set_exception(failure))
                return
        self._offer(container)
        await self._retry_removals()

    def _answer(self, disk_bytes: int, answer: Callable[[asyncio.Future[Container]], None]) -> bool:
        waiting = self._waiting[disk_bytes]
        while waiting:
            waiter = waiting.popleft()
            if not waiter.done():
                answer(waiter)
                return True
        return False

    def _offer(self, container: Container) -> None:
        disk = container.shape.disk_bytes
        if not self._answer(disk, lambda waiter: waiter.set_result(container)):
            self._idle[disk].append(container)

    async def give_back(self, container: Container, clean: bool) -> None:
        """Ends a container's use: reset where that is allowed and works, else removed."""
        spare = len(self._idle[container.shape.disk_bytes]) >= self._warm
        if self._reuse and clean and not spare and not self._closed and await self._reset(container):
            self._offer(container)
        else:
            await self.discard(container)
        for disk in [disk for disk in self._idle if disk not in self._recent]:
            for idle in self._idle.pop(disk, ()):  # another program's end may have been faster
                await self.discard(idle)

    async def _reset(self, container: Container) -> bool:
        try:
            async with asyncio.timeout(RESET_S):
                container.send(b"w")
                await container.expect(b"k")
        except (Lost, SandboxFailure, TimeoutError):
            return False
        return True

    async def discard(self, container: Container) -> None:
        """Removes a container for good; never raises for an engine that is away."""
        try:
            await container.remove()
        except SandboxFailure:
            self._stuck.add(container)
        else:
            self._stuck.discard(container)

    async def _retry_removals(self) -> None:
        for container in list(self._stuck):
            await self.discard(container)

    async def close(self) -> None:
        """Removes every idle container, those that are just being started included."""
        self._closed = True
        await asyncio.gather(*(task for tasks in self._launches.values() for task in tasks))
        for idle in self._idle.values():
            await asyncio.gather(*(self.discard(container) for container in idle))
            idle.clear()
