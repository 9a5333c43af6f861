"""Starts a device's process, and is this process's end of the socket to it.

A plain new interpreter with this one's import path: it shares nothing with the server (CUDA forbids forks), and does
not import the server's ``__main__``. It has a session of its own, and ends with the thread that started it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from judges.engine.messages import Message, Request, Setup, Stream, pack


class Child(asyncio.Protocol):
    """``hear`` gets its messages in order, ``lost`` is called once when it has died, after the last message."""

    def __init__(self, hear: Callable[[Message], None], lost: Callable[[Child], None]) -> None:
        self.heard_s = asyncio.get_running_loop().time()
        self._hear = hear
        self._lost = lost
        self._stream = Stream()
        self._unsent: list[bytes] = []
        self._transport: asyncio.Transport | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def start(self, setup: Setup) -> None:
        """Raises OSError."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._process = _spawn(theirs)
        except OSError:
            ours.close()
            raise
        self._unsent.append(pack(setup))
        self._connecting = asyncio.get_running_loop().create_task(self._connect(ours))

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def send(self, requests: Sequence[Request]) -> None:
        packed = pack(requests)
        if self._transport is None:
            self._unsent.append(packed)
        else:
            self._transport.write(packed)

    def kill(self) -> None:
        """And all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        if self._transport is not None:
            self._transport.abort()

    async def wait_ended(self) -> None:
        """Returns when the process is dead and buried."""
        await asyncio.shield(self._gone)
        assert self._process is not None
        await asyncio.to_thread(self._process.wait)

    async def _connect(self, ours: socket.socket) -> None:
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=ours)

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by inheritance
        self._transport.writelines(self._unsent)

    def data_received(self, data: bytes) -> None:
        self.heard_s = asyncio.get_running_loop().time()
        for messages in self._stream.feed(data):
            for message in cast(Sequence[Message], messages):
                self._hear(message)

    def connection_lost(self, exc: Exception | None) -> None:
        self.kill()
        self._gone.set_result(None)
        self._lost(self)


def _spawn(stream: socket.socket) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [sys.executable, "-m", "judges.engine.child", str(stream.fileno())],
        pass_fds=(stream.fileno(),),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HF_HUB_DISABLE_PROGRESS_BARS": "1"},
    )
