"""The process of one device: ``python -m judges.engine.child DESCRIPTOR``, started by :mod:`judges.engine.launch`.

An engine in the main thread; one thread reads what is asked, one tells how it goes, also while a batch hangs. The
process ends when the other end of its socket closes or the server dies, and when its device is lost.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from functools import cache, partial
from importlib import import_module
from threading import Lock, Thread
from typing import NoReturn, cast

from judges.engine.engine import Engine
from judges.engine.messages import Message, Request, Setup, Stream, pack
from judges.engine.work import DeviceLost, Loaded, Loader
from trueward.wire.model import ModelEntry
from verifiers.collector import keep_what_is_made

_PR_SET_PDEATHSIG = 1
_RECEIVE_BYTES = 1 << 20


class Child:
    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self._sending = Lock()
        self._stream = Stream()
        self._early: list[object] = []

    def serve(self) -> NoReturn:
        while not self._early:
            self._early.extend(self._receive())
        setup = cast(Setup, self._early.pop(0))
        engine = Engine(
            partial(_load, setup.loader),
            self._tell,
            device=setup.device,
            memory_bytes=setup.memory_bytes,
            batch_tokens=setup.batch_tokens,
            queue_tokens=setup.queue_tokens,
        )
        Thread(target=self._read, args=(engine,), daemon=True).start()
        Thread(target=self._beat, args=(engine, setup.beat_s), daemon=True).start()
        try:
            engine.run()
        except DeviceLost as lost:
            print(f"model process: the device {setup.device} is lost: {lost}", file=sys.stderr, flush=True)
        os._exit(1)  # no tidying up: a device that is lost may hang in it

    def _read(self, engine: Engine) -> NoReturn:
        for requests in self._early:
            engine.submit(cast(Sequence[Request], requests))
        while True:
            for requests in self._receive():
                engine.submit(cast(Sequence[Request], requests))

    def _beat(self, engine: Engine, beat_s: float) -> NoReturn:
        while True:
            self._tell([engine.beat()])
            time.sleep(beat_s)

    def _receive(self) -> list[object]:
        try:
            data = self._server.recv(_RECEIVE_BYTES)
        except ConnectionError:
            data = b""
        if not data:
            os._exit(0)  # the server is gone, or wants this process no more
        return list(self._stream.feed(data))

    def _tell(self, messages: Sequence[Message]) -> None:
        packed = pack(messages)
        try:
            with self._sending:
                self._server.sendall(packed)
        except OSError:
            os._exit(0)


def _load(loader: str, entry: ModelEntry) -> Loaded:
    return _loader(loader)(entry)


@cache
def _loader(name: str) -> Loader:
    """Imported with the first model that is loaded, so that a missing library is told as that model's failure."""
    module, _, function = name.partition(":")
    with keep_what_is_made():
        return cast(Loader, getattr(import_module(module), function))


def main() -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the server's terminal is the server's to handle
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    Child(socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
