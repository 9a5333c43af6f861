"""The server and its slots: started when first needed, replaced when they die, never more than asked for.

A pair has one place and two slots: its programs mostly wait for each other. A slot takes processes, descriptors and
memory, so one that was not needed for ``IDLE_S`` is ended; as many as there are cores stay warm.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from sandbox.base import SandboxFailure
from sandbox.local import cgroup
from sandbox.local.features import Feature, feature
from sandbox.local.server import Server
from sandbox.local.slot import Slot

IDLE_S = 30.0
_GONE_S = 1.0
"""Until a slot that was told to end has ended, so that nobody waits for that."""


class Pool:
    """``workers`` runs or pairs at once; ``floor`` are the features without which there is no run at all."""

    def __init__(self, workers: int, python: str, floor: frozenset[str]) -> None:
        self._python = python
        self._floor = floor
        self._places = asyncio.Semaphore(workers)
        self._starting = asyncio.Lock()
        self._server: Server | None = None
        self._groups: cgroup.Groups | None = None
        self._idle: list[tuple[Slot, float]] = []  # each with the loop's time since when; the last is needed next
        self._look: asyncio.TimerHandle | None = None
        self._slots: set[Slot] = set()
        self._made = 0
        self._closed = False

    @asynccontextmanager
    async def lease(self, count: int) -> AsyncIterator[list[Slot]]:
        """So many slots at once, in one place. Raises SandboxFailure."""
        await self._places.acquire()
        slots: list[Slot] = []
        try:
            for _ in range(count):
                slots.append(await self._slot())  # noqa: PERF401 - those before a failure are to be given back
            yield slots
        except OSError as failure:  # no descriptor or memory left, or a slot that has just died
            raise SandboxFailure(f"the sandbox failed: {failure}") from failure
        finally:
            self._give(slots)

    async def features(self) -> list[Feature]:
        """What the host grants, but for what only a slot can tell."""
        server = await self._running()
        groups = self._groups
        assert groups
        found = [feature(step["name"], step["error"] or None) for step in server.hello["steps"]]
        if server.hello["broken"]:
            return found
        return [
            *found,
            feature("memory groups", None if groups.memory else groups.why),
            feature("process groups", None if groups.pids else groups.why),
        ]

    async def folder(self) -> str:
        """Where the sandbox's interpreter lies, as programs see it."""
        return str(Path((await self._running()).hello["python"]).parent)

    def close(self) -> None:
        """Ends everything, for good."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        slots, self._slots = self._slots, set()
        self._idle.clear()
        if self._look:
            self._look.cancel()
            self._look = None
        for slot in slots:
            slot.close()
        if self._server:
            self._server.close()
            self._server = None
        for slot in slots:
            slot.remove_group()
        if self._groups:
            self._groups.remove()
            self._groups = None

    def _give(self, slots: list[Slot]) -> None:
        """Takes slots back, each when its run has ended; the place with the last of them."""
        busy = set(slots)

        def freed(slot: Slot) -> None:
            slot.freed = lambda _: None
            busy.discard(slot)
            if slot.alive and slot in self._slots:
                self._keep(slot)
            else:
                self._bury(slot)
            if not busy:
                self._places.release()

        for slot in slots:
            if slot.busy:
                slot.freed = freed
            else:
                freed(slot)
        if not slots:
            self._places.release()

    async def _slot(self) -> Slot:
        while self._idle:
            slot, _ = self._idle.pop()
            if not slot.has_died():
                return slot
            self._bury(slot)
        async with self._starting:
            server = await self._running_locked()
            self._check_floor(server)
            channel, pid = await server.slot()
            assert self._groups
            self._made += 1
            try:
                group = self._groups.group(self._made)
                group.add(pid)
            except OSError as failure:
                channel.close()
                raise SandboxFailure(f"a slot's control group failed: {failure}") from failure
        slot = Slot(channel, pid, group)
        self._slots.add(slot)
        return slot

    def _keep(self, slot: Slot) -> None:
        loop = asyncio.get_running_loop()
        self._idle.append((slot, loop.time()))
        if self._look is None:
            self._look = loop.call_later(IDLE_S, self._end_idle)

    def _end_idle(self) -> None:
        """Ends those that nobody needed for long, and looks again where some may follow."""
        loop = asyncio.get_running_loop()
        self._look = None
        while len(self._idle) > _cores():
            slot, since = self._idle[0]
            if (left_s := since + IDLE_S - loop.time()) > 0:
                self._look = loop.call_later(left_s, self._end_idle)
                return
            del self._idle[0]
            slot.close()
            loop.call_later(_GONE_S, self._bury, slot)

    def _bury(self, slot: Slot) -> None:
        self._slots.discard(slot)
        slot.close()
        slot.remove_group()

    async def _running(self) -> Server:
        async with self._starting:
            return await self._running_locked()

    async def _running_locked(self) -> Server:
        if self._server and not self._server.alive and not self._server.hello["broken"]:
            self._end()
        if self._closed:
            raise SandboxFailure("the sandbox is closed")
        if self._server is None:
            self._groups = cgroup.find()
            self._server = await Server.start(self._python)
        return self._server

    def _check_floor(self, server: Server) -> None:
        assert self._groups
        lacking = {step["name"] for step in server.hello["steps"] if step["error"]}
        lacking |= {"memory groups"} if not self._groups.memory else set()
        lacking |= {"process groups"} if not self._groups.pids else set()
        if server.hello["broken"]:
            raise SandboxFailure(f"this host cannot isolate programs: {server.hello['broken']}")
        if lacking & self._floor:
            raise SandboxFailure(f"this host lacks what is asked of it: {', '.join(sorted(lacking & self._floor))}")


def _cores() -> int:
    return os.cpu_count() or 1
