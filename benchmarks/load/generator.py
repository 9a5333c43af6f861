"""The load generator from Python: compiles ``load.c`` once, fires prepared requests, reads what came back.

Requests are rendered before anything is measured, and answers are read after; while the load runs only the C
program does. Needs a C compiler (``cc``); everything else is in ``load.c``'s own contract.
"""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).with_name("load.c")
_HEAD = struct.Struct("=II")
_SHOT = struct.Struct("=IHHqqqq")


@dataclass(frozen=True, slots=True)
class Request:
    """A whole HTTP request, and a small number that its shot will carry."""

    tag: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Shot:
    """One request as it went, in seconds from the start of the load; ``status`` 0: it got no answer.

    ``retry_after_s`` is what its answer said, -1 where it said nothing.
    """

    request: int
    tag: int
    status: int
    due_s: float
    sent_s: float
    done_s: float
    retry_after_s: int = -1

    @property
    def latency_s(self) -> float:
        """From when it was due: in a closed loop when it was sent, in an open one the schedule's time."""
        return self.done_s - self.due_s


@dataclass(frozen=True, slots=True)
class Volley:
    """All shots of one load, the answers by request number, and what the generator itself used."""

    shots: list[Shot]
    answers: dict[int, bytes]
    client_cpu_s: float
    wall_s: float
    exhausted: bool
    """True where the requests ran out before the time did."""


def post(path: str, body: bytes, tag: int) -> Request:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return Request(tag, f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)


def write_requests(path: Path, requests: Iterable[Request]) -> Path:
    with path.open("wb") as sink:
        for request in requests:
            sink.write(_HEAD.pack(request.tag, len(request.content)) + request.content)
    return path


def fire(
    port: int, requests: Path, *, connections: int, seconds: float, rate: float = 0.0, drain_s: float = 60.0
) -> Volley:
    """Sends for ``seconds``: a closed loop, or ``rate`` requests a second. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory(prefix="trueward-load-") as scratch:
        shots, bodies = Path(scratch, "shots"), Path(scratch, "bodies")
        arguments = (port, connections, seconds, rate, drain_s, requests, shots, bodies)
        command = [str(_program()), *map(str, arguments)]
        ended = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        own = json.loads(ended.stdout)
        return Volley(
            shots=list(_read_shots(shots.read_bytes())),
            answers=dict(_read_answers(bodies.read_bytes())),
            client_cpu_s=own["cpu_s"],
            wall_s=own["wall_s"],
            exhausted=own["sent"] == own["offered"],
        )


@cache
def _program() -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise SystemExit("the load generator needs a C compiler: apt-get install gcc libc6-dev")
    folder = Path(_kept().name)
    subprocess.run([compiler, "-O2", "-o", folder / "load", SOURCE], check=True)
    return folder / "load"


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    """Lives as long as this process."""
    return tempfile.TemporaryDirectory(prefix="trueward-load-", ignore_cleanup_errors=True)


def _read_shots(raw: bytes) -> Iterator[Shot]:
    for request, tag, status, due, sent, done, retry_after_s in _SHOT.iter_unpack(raw):
        yield Shot(request, tag, status, due / 1e9, sent / 1e9, done / 1e9, retry_after_s)


def _read_answers(raw: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(raw):
        request, length = _HEAD.unpack_from(raw, at)
        at += _HEAD.size + length
        yield request, raw[at - length : at]
