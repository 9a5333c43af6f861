"""One worker process as the pool sees it: what it works on, whether it is still within limits, how it ended."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from typing import Protocol, cast

from app.lanes.cpu import frames
from app.lanes.cpu.ending import Cause, Ending
from app.lanes.cpu.limits import Limits, cpu_seconds, read_held_seconds, resident_bytes
from app.lanes.cpu.progress import Mark, Progress, Stage
from app.lanes.cpu.queue import QueuedTask
from trueward.authoring.verifier import report_crash
from trueward.blame import is_crash
from trueward.wire.verdict import Verdict

LOAD_S = 60.0
"""Wall-clock limit for making a verifier in a worker: imports are ours, not the sample's."""

PATIENCE_S = 0.1
"""When an item takes longer, those behind it in its chunk go to other workers."""

ABANDONED_S = 0.5
"""An item that runs so long and whose callers have all left is not worth its worker."""

MOST_HELD_S = 60.0
"""Seconds that an item is given for those in which the host ran others."""

_ABORT_S = 1.0


class Owner(Protocol):
    """Who is told what becomes of a worker."""

    def add_worker(self, worker: WorkerProcess) -> None: ...

    def record_verdict(self, verdict: Verdict) -> None: ...

    def free(self, worker: WorkerProcess) -> None: ...

    def take_back(self, items: list[QueuedTask]) -> None: ...

    def drop_worker(self, worker: WorkerProcess) -> None: ...


@dataclass(frozen=True, slots=True)
class Sentence:
    """Why we kill a worker, with the evidence of that moment."""

    cause: Cause
    mark: Mark | None = None
    cpu_s: float = 0.0
    wall_s: float = 0.0
    starved: bool = False


@dataclass(frozen=True, slots=True)
class WorkerEnd:
    """How a worker ended; ``culprit`` and ``ending`` where an item was running and may be why."""

    cause: Cause
    culprit: QueuedTask | None = None
    ending: Ending | None = None


class WorkerProcess(asyncio.Protocol):
    """Sends chunks, settles items as verdicts arrive, and kills the process when an item is over a limit.

    ``ready`` is done when the worker can take a chunk, and fails with ConnectionError where it dies before. A worker in
    which a verifier crashed is ``tainted``: whatever comes next, that item's second try too, gets a clean one.
    """

    def __init__(self, process: ForkServerProcess, progress: Progress, limits: Limits, owner: Owner) -> None:
        assert process.pid is not None
        self.process = process
        self.pid = process.pid
        self.served = 0
        self.tainted = False
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._progress = progress
        self._limits = limits
        self._owner = owner
        self._chunk = 0
        self._pending: dict[int, QueuedTask] = {}
        self._stream = frames.VerdictStream()
        self._heard_s = time.monotonic()
        self._resident_bytes = 0
        self._first_look: tuple[Mark | None, float] = (None, 0.0)
        self._sentence: Sentence | None = None
        self._out_of_memory = False
        self._retired = False
        self._dead = asyncio.Event()
        self._disconnected = asyncio.Event()
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by inheritance

    @property
    def unfinished(self) -> list[QueuedTask]:
        return list(self._pending.values())

    @property
    def busy(self) -> bool:
        return bool(self._pending)

    @property
    def idle(self) -> bool:
        return not (self._pending or self._sentence or self._out_of_memory or self._retired)

    def assign(self, items: list[QueuedTask]) -> None:
        """Only while idle."""
        self._chunk += 1
        self._pending = dict(enumerate(items))
        self.served += len(items)
        self._heard_s = time.monotonic()
        self._transport.write(frames.pack_chunk(self._chunk, [item.packed for item in items]))

    def data_received(self, data: bytes) -> None:
        self._heard_s = time.monotonic()
        try:
            for chunk, index, body in self._stream.feed(data):
                self._receive(chunk, index, body)
        except frames.Garbled:
            self._condemn(Sentence(Cause.CRASH, self._progress.read()))

    def _receive(self, chunk: int, index: int, body: bytes) -> None:
        if chunk == 0:
            if not self.ready.done():
                self.ready.set_result(None)
                self._owner.add_worker(self)
        elif not body:
            self._out_of_memory = True
        elif chunk == self._chunk and index in self._pending:
            verdict = _parse(body)
            self.tainted |= is_crash(verdict)
            self._owner.record_verdict(verdict)
            self._pending.pop(index).settle(verdict)
            if self.idle:
                self._owner.free(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disconnected.set()
        if not self.ready.done():
            self.ready.set_exception(ConnectionError("the worker died before it was ready"))
        elif not self.ready.cancelled():
            self._owner.drop_worker(self)
        self._progress.close()

    def watch(self) -> None:
        """Kills the process where the running item is over a limit, or where nothing is heard of it."""
        if not self._pending or self._sentence:
            return
        now, mark = time.monotonic(), self._progress.read()
        if mark is None or self._item_at(mark) is None:
            if now - self._heard_s > self._limits.wall_s:
                self._condemn(Sentence(Cause.UNRESPONSIVE))
            return
        self._resident_bytes = resident_bytes(self.pid) or self._resident_bytes
        with suppress(OSError):  # it has just died, and its socket will say so
            cpu_s, wall_s = cpu_seconds(self.pid) - mark.cpu_s, now - mark.wall_s
            own_s = wall_s - self._starved_s(mark)
            cause = self._overrun(mark.stage, cpu_s, wall_s, own_s)
            if cause is not None:
                starved = cause is Cause.WALL and own_s <= self._limits.wall_s
                self._condemn(Sentence(cause, mark, cpu_s, wall_s, starved))
            elif wall_s > ABANDONED_S and not self._pending[mark.item].wanted and mark.stage is not Stage.LOAD:
                self._condemn(Sentence(Cause.ABANDONED))
            elif wall_s > PATIENCE_S and len(self._pending) > 1:
                self._reclaim(mark)

    def _reclaim(self, mark: Mark) -> None:
        """An item that the worker has begun all the same is judged twice; its verdict here is then ignored."""
        self._progress.revoke(self._chunk)
        running = self._pending.pop(mark.item)
        others, self._pending = self.unfinished, {mark.item: running}
        self._owner.take_back(others)

    def _starved_s(self, mark: Mark) -> float:
        """Seconds of the item's stage in which the host ran others, since it was first looked at."""
        held_s = read_held_seconds(self.pid)
        if self._first_look[0] != mark:
            self._first_look = (mark, held_s)
        return held_s - self._first_look[1]

    def _overrun(self, stage: Stage, cpu_s: float, wall_s: float, own_s: float) -> Cause | None:
        if stage is Stage.LOAD:
            return Cause.WALL if wall_s > LOAD_S else None
        if cpu_s > self._limits.cpu_s:
            return Cause.CPU
        over = own_s > self._limits.wall_s or wall_s > self._limits.wall_s + MOST_HELD_S
        return Cause.WALL if over else None

    def _item_at(self, mark: Mark) -> QueuedTask | None:
        return self._pending.get(mark.item) if mark.chunk == self._chunk else None

    def _condemn(self, sentence: Sentence) -> None:
        self._sentence = sentence
        self.kill()

    def retire(self) -> None:
        """Only while idle."""
        self._retired = True
        self.kill()

    def kill(self) -> None:
        """Ends the process and all that it started."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._kill_group()

    def _kill_group(self) -> None:
        """And gives the socket up soon after, whoever still holds it."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        asyncio.get_running_loop().call_later(_ABORT_S, self._transport.abort)

    def fate(self) -> WorkerEnd:
        """After the end, when all that the worker sent has been read: what ended it, and under which item.

        An item is the culprit of our kill only where the worker had not moved on between verdict and axe.
        """
        mark, sentence = self._progress.read(), self._sentence
        culprit = self._item_at(mark) if mark is not None else None
        if self._retired:
            return WorkerEnd(Cause.RECYCLED)
        if sentence is not None:
            if mark is None or culprit is None or sentence.mark != mark:
                return WorkerEnd(sentence.cause)
            used = (sentence.cpu_s, sentence.wall_s, sentence.starved)
            return WorkerEnd(sentence.cause, culprit, Ending(sentence.cause, mark.stage, *used))
        cause = Cause.MEMORY if self._out_of_memory or self._was_huge() else Cause.CRASH
        if mark is None or culprit is None:
            return WorkerEnd(cause)
        return WorkerEnd(cause, culprit, Ending(cause, mark.stage, wall_s=time.monotonic() - mark.wall_s))

    def _was_huge(self) -> bool:
        """A process that dies holding most of its allowance was killed by the kernel, or by a failed allocation."""
        return self._resident_bytes > self._limits.memory_bytes / 2

    async def wait_ended(self) -> None:
        """Returns when the process is dead and all that it sent has been read."""
        loop, sentinel = asyncio.get_running_loop(), self.process.sentinel
        loop.add_reader(sentinel, self._dead.set)
        try:
            await self._dead.wait()
        finally:
            loop.remove_reader(sentinel)
        self._kill_group()
        await self._disconnected.wait()


def _parse(body: bytes) -> Verdict:
    try:
        return Verdict.model_validate_json(body)
    except ValueError as failure:
        return report_crash(failure)
