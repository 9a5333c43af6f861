"""The service's side: which worker does what, and what its end means."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from sandbox.base import SandboxFailure
from verifiers.apart.frames import BEGUN, DONE, FAILED, OUT_OF_MEMORY, REPLY, VALUE, WORK

KEPT = 2
"""Idle workers that are kept. As many may work at once as there are programs judged at once."""

WALL_S = 120.0
"""Until a worker that neither ends nor answers is given up: on any host that runs, its CPU seconds end it before."""

_AT_ONCE = 100
"""Values that are taken before the event loop gets its turn."""

_BOOT = "import sys; from verifiers.apart.worker import main; main(int(sys.argv[1]))"
_EXHAUSTED = (-signal.SIGXCPU, OUT_OF_MEMORY)


class WorkFailed(Exception):
    """The work raised: a bug of ours."""


class _Ended(Exception):
    """The worker has ended. ``code``: its exit code, negative where a signal ended it."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code
        self.begun = False


@dataclass(frozen=True, slots=True)
class Told:
    """What work gave. Where it is not ``whole`` its limits were exhausted after these values."""

    values: list[JsonValue]
    whole: bool
    cpu_s: float


def estimate_cpu_s(length: int) -> float:
    """CPU seconds for reading and comparing so many bytes: some ten times what those of a right program take."""
    return 2.0 + 4.0 * length / 2**20


async def run_apart(function: Callable[..., Iterable[JsonValue]], *arguments: object, cpu_s: float) -> Told:
    """Calls a function of a module, whose arguments can be pickled, in a worker, and gives what it yields.

    Exhausting ``cpu_s`` or the worker's memory is an end like any other. Work whose worker dies in another way is
    tried once more in a fresh one; where that dies as well, it is the work that kills it, and counts as exhausted.
    Raises WorkFailed where the function raises, and SandboxFailure where no worker comes to begin or answers at all.
    Cancelled, it ends the worker.
    """
    packed = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
    try:
        return await _tried(packed, cpu_s, _taken())
    except _Ended:
        pass
    try:
        return await _tried(packed, cpu_s, _Worker())
    except _Ended as ended:
        if not ended.begun:
            raise SandboxFailure(f"a process that reads results ended when it began ({ended.code})") from ended
        return Told([], False, cpu_s)


async def _tried(packed: bytes, cpu_s: float, worker: _Worker) -> Told:
    values: list[JsonValue] = []
    begun = kept = False
    try:
        async with asyncio.timeout(WALL_S + cpu_s):
            await worker.send(WORK.pack(cpu_s, len(packed)) + packed)
            kind, body = await worker.receive()
            if kind == BEGUN:
                begun = True
                while (reply := await worker.receive())[0] == VALUE:
                    values.append(reply[1])
                    if len(values) % _AT_ONCE == 0:
                        await asyncio.sleep(0)  # they may all be here already
                kind, body = reply
        kept = True
    except _Ended as ended:
        if begun and ended.code in _EXHAUSTED:
            return Told(values, False, cpu_s)
        ended.begun = begun
        raise
    except TimeoutError as failure:
        raise SandboxFailure("a process that reads results does not answer") from failure
    finally:
        worker.release(kept)
    if kind == FAILED:
        raise WorkFailed(body)
    assert kind == DONE
    assert isinstance(body, float)
    return Told(values, True, body)


class _Worker:
    """One process. Bound to no event loop: a later one may use it. Raises SandboxFailure where none can be started."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair()
        self._channel.setblocking(False)
        self._received = bytearray()
        environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PATH": os.defpath}
        try:
            with theirs:
                self._process = subprocess.Popen(  # noqa: S603 - our own program
                    [sys.executable, "-c", _BOOT, str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    env=environment,
                    cwd="/",
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                )
        except OSError as failure:
            self._channel.close()
            raise SandboxFailure(f"a process that reads results cannot be started: {failure}") from failure

    async def send(self, data: bytes) -> None:
        try:
            await asyncio.get_running_loop().sock_sendall(self._channel, data)
        except OSError as failure:
            raise _Ended(self._exit_code()) from failure

    async def receive(self) -> tuple[bytes, JsonValue]:
        kind, length = REPLY.unpack(await self._exactly(REPLY.size))
        return kind, json.loads(await self._exactly(length))

    async def _exactly(self, length: int) -> bytes:
        loop = asyncio.get_running_loop()
        while len(self._received) < length:
            try:
                data = await loop.sock_recv(self._channel, 2**16)
            except OSError as failure:
                raise _Ended(self._exit_code()) from failure
            if not data:
                raise _Ended(self._exit_code())
            self._received += data
        found = bytes(self._received[:length])
        del self._received[:length]
        return found

    def _exit_code(self) -> int:
        """Of a process that has closed its end, and so is dying if it is not dead."""
        return self._process.wait()

    def release(self, keep: bool) -> None:
        """Keeps it for later work, or ends it."""
        if keep and len(_idle) < KEPT:
            _idle.append(self)
        else:
            self.end()

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._channel.close()


_idle: list[_Worker] = []


def _taken() -> _Worker:
    """One that is idle, else a new one."""
    while _idle:
        worker = _idle.pop()
        if worker.alive:
            return worker
        worker.end()
    return _Worker()


@atexit.register
def _end_all() -> None:
    while _idle:
        _idle.pop().end()


# a child of this process has no share in its workers
os.register_at_fork(after_in_child=_idle.clear)
