"""What runs in a worker process: judge the items of each chunk, one after the other, and tell how far it is.

A verdict leaves as soon as it is known, so that a later item's hang costs it nothing. The process ends when the
server's end of the socket closes, when the fork server dies (the kernel's parent-death signal), and by itself
after a MemoryError, whose heap nobody should trust.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module
from multiprocessing import forkserver
from typing import NoReturn, cast

from pydantic import JsonValue

from app.lanes.cpu import frames
from app.lanes.cpu.ending import report_exhaustion
from app.lanes.cpu.limits import confine, relax
from app.lanes.cpu.progress import Progress, Stage
from app.lanes.long_samples import LongSample, with_control
from trueward.authoring.verifier import Abstain, Task, Verifier, report_crash
from trueward.wire.verdict import Verdict

Resolver = Callable[[str, Mapping[str, JsonValue]], Verifier]

_PR_SET_PDEATHSIG = 1
_VERIFIERS_KEPT = 128


def main(stream: socket.socket, resolver: str, preload: Sequence[str], memory_bytes: int) -> None:
    """The process's whole life. ``resolver``: 'module:function' that makes a verifier of name and parameters."""
    _die_with_the_server()
    for module in preload:
        import_module(module)
    confine(memory_bytes)
    with suppress(EOFError, ConnectionError):  # the server is gone, or does not want this worker any more
        worker = Worker(stream, Progress.receive(stream), resolver)
        stream.sendall(frames.READY)
        while True:
            worker.run(*frames.receive_chunk(stream))


def _die_with_the_server() -> None:
    """The inherited descriptor would keep the fork server waiting for this very process."""
    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]  # private
    # A session of its own: Ctrl-C in the server's terminal is the server's to handle, and one kill takes the group.
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Worker:
    """Judges items; verifiers are made once for each name and parameters."""

    def __init__(self, stream: socket.socket, progress: Progress, resolver: str) -> None:
        self._stream = stream
        self._progress = progress
        self._resolver = resolver
        self._verifier = lru_cache(_VERIFIERS_KEPT)(self._make_verifier)
        self._judged = 0

    def _make_verifier(self, name: str, params: str) -> Verifier:
        module, _, function = self._resolver.partition(":")
        create = cast(Resolver, getattr(import_module(module), function))
        return create(name, json.loads(params))

    def run(self, chunk: int, items: list[bytes]) -> None:
        for index, item in enumerate(items):
            if self._progress.is_revoked(chunk):
                return
            try:
                frame = frames.pack_verdict(chunk, index, self._judge(chunk, index, item))
            except MemoryError:
                self._give_up(chunk, index)
            self._stream.sendall(frame)
            self._judged += 1

    def _judge(self, chunk: int, index: int, item: bytes) -> Verdict:
        mark = self._progress.write
        start = time.perf_counter()
        try:
            mark(chunk, index, Stage.LOAD)
            name, params, task = frames.unpack_item(item)
            verifier = self._verifier(name, params)
            start = time.perf_counter()
            verdict = _verdict(self._checked(verifier, task, partial(mark, chunk, index)))
        except Abstain as refusal:
            verdict = Verdict.abstained(refusal.reason_code, refusal.reason)
        except RecursionError:
            verdict = self._exhausted("recursion")
        except MemoryError:
            raise
        except Exception as failure:  # noqa: BLE001 - whatever a verifier raises is our crash, for this item alone
            verdict = report_crash(failure)
        verdict.elapsed_s = time.perf_counter() - start
        return verdict

    def _checked(self, verifier: Verifier, task: Task, begin: Callable[[Stage], None]) -> object:
        begin(Stage.PREPARE)
        if isinstance(task, LongSample):
            sample = task.sample()
            with suppress(Abstain):  # it comes again below, where the response is not at fault first
                verifier.triage(with_control(sample))
            begin(Stage.CHECK)
            task = verifier.triage(sample)
            if isinstance(task, Verdict):
                return task
            begin(Stage.PREPARE)
        verifier.prepare(task)
        begin(Stage.CHECK)
        return verifier.check(task)

    def _exhausted(self, limit: str) -> Verdict:
        mark = self._progress.read()
        assert mark is not None
        used_s = time.process_time() - mark.cpu_s
        return report_exhaustion(mark.stage, limit, used_s, time.monotonic() - mark.wall_s)

    def _give_up(self, chunk: int, index: int) -> NoReturn:
        """Memory ran out. Only a fresh worker can blame the item, else what others left behind may be why."""
        relax()
        frame = frames.pack_memory_exhausted(chunk, index)
        if self._judged == 0:
            frame += frames.pack_verdict(chunk, index, self._exhausted("memory_bytes"))
        self._stream.sendall(frame)
        os._exit(0)


def _verdict(found: object) -> Verdict:
    if not isinstance(found, Verdict):
        raise TypeError(f"check returned {type(found).__name__}, not a Verdict")
    return found
