"""The three streams of a program, joined to the host's messages with a cap, and credit where a pair needs it."""

from __future__ import annotations

import os

from .frames import CHUNK_BYTES, Channel

PENDING_BYTES = 2**20
OUTPUT, ERRORS = b"o", b"e"


class Streams:
    """Pipes to and from a child. With a ``window`` no more standard output is sent than the host has room for."""

    def __init__(self, limit_bytes: int, window: int | None, channel: Channel) -> None:
        self._limit_bytes = limit_bytes
        self._credit = window
        self._channel = channel
        self._paired = window is not None
        self._sent = {OUTPUT: 0, ERRORS: 0}
        self._pending = bytearray()
        self._ending = False
        self._turned_away = False
        child_in, self._input = os.pipe()
        output, child_out = os.pipe()
        errors, child_err = os.pipe()
        self.child = (child_in, child_out, child_err)
        self._outputs = {output: OUTPUT, errors: ERRORS}
        self.over_limit = False
        for end in (self._input, output, errors):
            os.set_blocking(end, False)

    def release_child_ends(self) -> None:
        """After the fork: only the child and what it starts hold them now, so that the ends can be seen."""
        for end in self.child:
            os.close(end)

    def readable(self) -> list[int]:
        """Outputs that can be forwarded now."""
        return [fd for fd, kind in self._outputs.items() if kind == ERRORS or self._credit is None or self._credit > 0]

    def writable(self) -> list[int]:
        """The input, where something waits for it."""
        return [self._input] if self._pending and self._input >= 0 else []

    @property
    def has_room(self) -> bool:
        """Whether more input may be taken from the host."""
        return len(self._pending) < PENDING_BYTES

    def offer(self, data: bytes) -> None:
        """Takes input for the program; dropped once it has closed its end."""
        if self._input >= 0:
            self._pending += data

    def end_input(self) -> None:
        """Closes the program's input when all that waits is written."""
        self._ending = True
        self._close_when_done()

    def grant(self, count: int) -> None:
        """The host has room for so many more bytes."""
        if self._credit is not None:
            self._credit += count

    def turn_away(self) -> None:
        """Nobody reads the program's output any more: it is thrown away from here on.

        A broken pipe in its place would tell the program of the other's end only where the other was faster.
        """
        self._credit = None
        self._turned_away = True

    def write(self) -> None:
        """Feeds the program what fits."""
        try:
            del self._pending[: os.write(self._input, self._pending[:CHUNK_BYTES])]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._pending.clear()
            self._ending = True
        self._close_when_done()

    def forward(self, fd: int) -> bytes | None:
        """Sends what one output holds now; which of the two it was, None where there was nothing."""
        kind = self._outputs[fd]
        try:
            data = os.read(fd, CHUNK_BYTES)
        except BlockingIOError:
            return None
        if not data:
            del self._outputs[fd]
            os.close(fd)
            return None
        if kind == OUTPUT and self._paired:
            if self._credit is not None:
                self._credit -= len(data)
            if not self._turned_away:
                self._channel.send(kind, data)
            return kind
        room = self._limit_bytes - self._sent[kind]
        self._sent[kind] += len(data)
        self.over_limit |= len(data) > room
        if room > 0:
            self._channel.send(kind, data[:room])
        return kind

    def finish(self) -> None:
        """After the last process: sends what is left in the pipes and closes everything."""
        self._credit = None
        for fd in list(self._outputs):
            while not self.over_limit and self.forward(fd):
                pass
        for fd in self._outputs:
            os.close(fd)
        self._outputs.clear()
        self._pending.clear()
        self.end_input()

    def _close_when_done(self) -> None:
        if self._ending and not self._pending and self._input >= 0:
            os.close(self._input)
            self._input = -1
