"""The service's side of a slot: one run at a time, from its order to its report."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from sandbox.base import HostOutOfMemory, SandboxFailure
from sandbox.limits import Limits
from sandbox.local import memory
from sandbox.local.cgroup import Group, Killed
from sandbox.local.ending import near_limit
from sandbox.local.jail.message import PACKET_BYTES, Report, Run
from sandbox.local.payload import File, Payload, harvest_file, unpack

_MOST_HELD_S = 60.0
"""Seconds that a program is given for those in which the host kept it from running."""

_MOMENT_S = 0.25

_GRACE_S = 65.0 + 3 * _MOST_HELD_S
"""Seconds beyond a run's own limit until a slot that says nothing is given up: the slot keeps the limits itself."""

_INODES = 4096
_RESERVE_BYTES = 2**30
_STACK_BYTES = 8 * 2**20
"""Address space beyond the memory limit, and for each thread, where a control group counts what is touched: what a
program reserves and never touches (a table of which it fills a part, a stack) is no memory. A watch would come too
late."""
_KILLED = 9


@dataclass(frozen=True, slots=True)
class Order:
    """What to run: ``fetch`` names the files to bring back, None for all of them."""

    payload: Payload
    limits: Limits
    fetch: tuple[str, ...] | None = ()
    proc: bool = False
    address_space: bool = True


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that ended, by whatever means."""

    report: Report
    killed_for_memory: bool
    files: dict[str, File]


class Slot:
    """``freed`` is called whenever the slot can take another run, or has died (``alive``)."""

    def __init__(self, channel: socket.socket, pid: int, group: Group) -> None:
        self.alive = True
        self.busy = False
        self.freed: Callable[[Slot], None] = lambda _: None
        self._channel = channel
        self._pid = pid
        self._group = group
        self._over_memory = False
        self._host_kills = 0
        self._files = -1
        self._order: Order
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[Report | None] = self._loop.create_future()

    def close(self) -> None:
        """Ends the slot and whatever runs in it."""
        if not self.alive:
            return
        self.alive = False
        if self.busy:
            self._loop.remove_reader(self._channel.fileno())
            self._end(None)
        self._channel.close()

    def has_died(self) -> bool:
        """Whether an idle slot has died unseen."""
        try:
            return not self._channel.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def remove_group(self) -> None:
        """Removes its control group; its processes are ended before."""
        self._group.remove()

    def stop(self) -> None:
        """Ends the run early; its report comes as ever."""
        if self.busy:
            with suppress(OSError):  # it is gone: the reader will see
                self._channel.send(b'{"stop": true}')

    def silent(self, seconds: float) -> None:
        """Ends the run, silent for so long beyond its limit, unless it was kept from running for longer than that."""
        if self.busy:
            with suppress(OSError):  # it is gone: the reader will see
                self._channel.send(json.dumps({"silent_s": seconds}).encode())

    def start(
        self, order: Order, stdin: int, stdout: int, stderr: int, partner: Slot | None = None, outlives: bool = False
    ) -> None:
        """Starts a run on these descriptors, and closes them whatever happens. Raises OSError.

        ``partner`` runs the other of a pair: what keeps one of them from running keeps both. The one that ``outlives``
        has a moment more, so that the end of the other is told by its own slot where both were kept from running.
        """
        limits, payload = order.limits, order.payload
        reserve_bytes = _RESERVE_BYTES + limits.processes * _STACK_BYTES if self._group.counts_memory else 0
        keeps_all = order.fetch is None
        run: Run = {
            "wall_s": limits.wall_s + (_MOMENT_S if outlives else 0.0),
            "most_held_s": _MOST_HELD_S * (2 if outlives else 1),
            "partner": partner._pid if partner else 0,
            "cpu_s": limits.cpu_s,
            "address_space": limits.memory_bytes + reserve_bytes if order.address_space else 0,
            "disk_bytes": limits.disk_bytes + payload.disk_bytes + payload.fetch_bytes,
            "inodes": _INODES + payload.inodes,
            "processes": limits.processes,
            "proc": order.proc,
            "fetch": None if order.fetch is None else list(order.fetch),
            "file_bytes": limits.disk_bytes if keeps_all else max(limits.output_bytes, payload.fetch_bytes),
        }
        descriptors = [order.payload.descriptor, stdin, stdout, stderr]
        try:
            if order.fetch != ():
                self._files = harvest_file()
                descriptors.append(self._files)
            # what comes back is counted with the run
            room = limits.disk_bytes if keeps_all else payload.fetch_bytes
            memory_bytes = limits.memory_bytes + payload.disk_bytes + room
            self._group.limit(memory_bytes, limits.processes)
            self._host_kills = memory.host_kills()  # before it begins: it may be among the first that are killed
            socket.send_fds(self._channel, [json.dumps(run).encode()], descriptors)
        except OSError:
            self._close_files()
            raise
        finally:
            for descriptor in (stdin, stdout, stderr):
                os.close(descriptor)
        self._order = order
        self._over_memory = False
        self.busy = True
        self._loop = asyncio.get_running_loop()
        self._answer = self._loop.create_future()
        self._loop.add_reader(self._channel.fileno(), self._hear)

    async def wait_ended(self) -> Ended:
        """The end of the run that was started. Raises SandboxFailure; cancelled, it stops the run."""
        try:
            report = await self._report(self._order.limits)
            by = self._group.check_killed()
            killed = self._over_memory or by is Killed.BY_ITS_LIMIT
            if not killed and (by is Killed.BY_THE_HOST or self._may_be_the_hosts(report)):
                raise HostOutOfMemory("the kernel ended a program within its limit: this host has too little memory")
            if report is None:
                if not killed:
                    raise SandboxFailure("the sandbox's slot ended in the middle of a run")
                # the run took the whole group's memory, and the kernel's choice fell on the slot as well
                return Ended(_killed(self._order), True, {})
            if report["failure"] and not killed:
                raise SandboxFailure(f"the jail could not be set up: {report['failure']}")
            return Ended(report, killed, self._brought_back(killed))
        except (OSError, ValueError) as failure:
            self.close()
            raise SandboxFailure(f"the sandbox's slot failed: {failure}") from failure
        finally:
            self._close_files()

    def _may_be_the_hosts(self, report: Report | None) -> bool:
        """Whether the run ended badly while the kernel killed somebody for memory, and no group tells whom."""
        if report is not None and (
            self._group.counts_memory
            or not report["status"]
            or report["timed_out"]
            or near_limit(report, self._order.limits)
        ):
            return False
        return memory.host_kills() > self._host_kills

    def _brought_back(self, killed: bool) -> dict[str, File]:
        """The files of the run, also of one that was ended for its memory. Raises OSError, ValueError."""
        if self._files < 0:
            return {}
        try:
            return unpack(self._files)
        except ValueError:
            if not killed:
                raise
            return {}  # there was no memory for them either

    async def _report(self, limits: Limits) -> Report | None:
        watch = None if self._group.counts_memory else asyncio.ensure_future(self._watch_memory(limits))
        try:
            async with asyncio.timeout(limits.wall_s + _GRACE_S):
                return await self._answer
        except TimeoutError as failure:
            self.close()
            raise SandboxFailure("the sandbox's slot does not answer") from failure
        finally:
            self.stop()
            if watch:
                watch.cancel()

    def _hear(self) -> None:
        """The report has come, or the slot's end; heard also where nobody waits for it any more."""
        report: Report | None = None
        with suppress(OSError, ValueError):  # a slot that is gone, or speaks no sense, is dead
            report = json.loads(self._channel.recv(PACKET_BYTES) or b"null")
        if report is None:
            self.close()
        else:
            self._loop.remove_reader(self._channel.fileno())
            self._end(report)

    def _end(self, report: Report | None) -> None:
        self.busy = False
        if not self._answer.done():
            self._answer.set_result(report)
        self.freed(self)

    def _close_files(self) -> None:
        if self._files >= 0:
            os.close(self._files)
            self._files = -1

    async def _watch_memory(self, limits: Limits) -> None:
        while True:
            await asyncio.sleep(memory.WATCH_S)
            if memory.measure_bytes(self._pid) > limits.memory_bytes:
                self._over_memory = True
                self.stop()
                return


def _killed(order: Order) -> Report:
    return {
        "failure": "",
        "status": _KILLED,
        "timed_out": False,
        "wall_s": 0.0,
        "cpu_s": 0.0,
        "peak_bytes": order.limits.memory_bytes,
        "held_s": 0.0,
        "starved": False,
    }
