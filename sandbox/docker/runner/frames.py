"""Messages between the host and the runner: one letter, the payload's length in four bytes, the payload.

To the runner: ``f`` files to keep, ``r`` a run to start, ``i`` input of the program, ``z`` its end, ``c`` credit for
more output, ``u`` nobody reads the output, ``q`` stop, ``w`` wipe. From it: ``h`` ready, ``k`` done, ``n`` cannot,
``s`` started, ``o`` standard output, ``e`` standard error, ``x`` how it ended, ``d`` contents of files. Headers are
JSON.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from typing import TypedDict

HEADER = struct.Struct(">cI")
CHUNK_BYTES = 64 * 1024
STDIN, STDOUT = 0, 1
MOST_HELD_S = 60.0
"""Seconds that a program is given beyond its limits for those in which the host kept it from running."""


class RunRequest(TypedDict):
    """The header of ``r``: a command, its limits (seconds, bytes), and what to bring back.

    With a ``window`` the run is half of a pair: its standard output is not counted, and is sent only as far as
    the host has granted credit, the window to begin with. With ``keep`` the working directory becomes the
    pristine one when the command succeeds.
    """

    command: list[str]
    environment: Mapping[str, str]
    wall_s: float
    cpu_s: float
    silence_s: float | None
    output_bytes: int
    disk_bytes: int
    processes: int
    window: int | None
    fetch: list[str]
    file_bytes: int
    keep: bool


class Report(TypedDict):
    """The header of ``x``. ``cause`` says for what the runner ended it: time, output, disk or stopped.

    ``wall_s`` is the program's own; ``held_s`` more passed in which it was kept from running; ``starved``: it was ended
    for that.
    """

    cause: str | None
    exit_code: int | None
    signal: int | None
    failure: str
    oom: bool
    cpu_s: float
    wall_s: float
    held_s: float
    starved: bool
    peak_memory_bytes: int
    truncated: bool
    clean: bool
    files: list[tuple[str, int]]


class HostGone(Exception):
    """The other end is closed: nobody wants the answer."""


class Channel:
    """The runner's end, on its standard input and output."""

    def __init__(self) -> None:
        self._received = bytearray()

    def receive(self) -> tuple[bytes, bytes]:
        """Waits for the next message."""
        while (message := self.next()) is None:
            self.fill()
        return message

    def fill(self) -> None:
        """Reads what has arrived, at least one byte."""
        data = os.read(STDIN, CHUNK_BYTES)
        if not data:
            raise HostGone
        self._received += data

    def next(self) -> tuple[bytes, bytes] | None:
        """The next whole message of those that have arrived."""
        if len(self._received) < HEADER.size:
            return None
        kind, length = HEADER.unpack_from(self._received)
        end = HEADER.size + length
        if len(self._received) < end:
            return None
        payload = bytes(self._received[HEADER.size : end])
        del self._received[:end]
        return kind, payload

    def send(self, kind: bytes, payload: bytes = b"") -> None:
        """Sends one message whole."""
        view = memoryview(HEADER.pack(kind, len(payload)) + payload)
        while view:
            view = view[os.write(STDOUT, view) :]

    def send_json(self, kind: bytes, header: object) -> None:
        """Sends a header."""
        self.send(kind, json.dumps(header).encode())
