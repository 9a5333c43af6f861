"""Bytes to a service as they are: what no HTTP client would send."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from trueward.errors import Problem

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
ANSWER_S = 60.0


@dataclass(frozen=True, slots=True)
class Heard:
    """What came back on one connection, up to its end; ``open`` where the service left it open."""

    raw: bytes
    open: bool

    @property
    def statuses(self) -> list[int]:
        return [int(found) for found in _STATUS.findall(self.raw)]


def say(url: str, *pieces: bytes, answers: int | None = None) -> Heard:
    """Sends pieces and listens until the service closes the connection, or has given so many ``answers``."""
    return say_all(url, pieces, answers)


def say_all(url: str, pieces: Iterable[bytes], answers: int | None = None) -> Heard:
    """The same of any number of pieces; a service that closes while they are sent has said enough."""
    parts = urlsplit(url)
    raw = b""
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=ANSWER_S) as connection:
        with suppress(ConnectionError):
            for piece in pieces:
                connection.sendall(piece)
        try:
            while answers is None or len(_STATUS.findall(raw)) < answers:
                piece = connection.recv(65_536)
                if not piece:
                    return Heard(raw, open=False)
                raw += piece
        except ConnectionError:
            return Heard(raw, open=False)
    return Heard(raw, open=True)


def problems(heard: Heard) -> list[Problem]:
    """Of the answers that refuse; fails where one is no problem document."""
    found = []
    for answer in heard.raw.split(b"HTTP/1.1 ")[1:]:
        head, _, body = answer.partition(b"\r\n\r\n")
        status = int(head[:3])
        if status < 400:
            continue
        assert b"content-type: application/problem+json" in head.lower(), answer
        problem = Problem.model_validate_json(body)
        assert problem.status == status
        found.append(problem)
    return found
