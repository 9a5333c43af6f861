"""Headers without end: kept by the parser as they come, from strangers without a key."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

import pytest

from app.admission.limits import MAX_HEAD_BYTES, MAX_HEADERS
from tests.security.conftest import BODY, Target
from tests.security.wire import problems, say, say_all

OPEN = b"GET /health/live HTTP/1.1\r\nHost: x\r\n"
CHUNKS = "Transfer-Encoding: chunked"
PIECES = 1600
PIECE = b"x" * 65_536


def long(start: bytes, piece: bytes = PIECE) -> Iterator[bytes]:
    """A hundred megabytes after the start."""
    return chain([start], repeat(piece, PIECES))


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"GET /", PIECE),
        (OPEN + b"X: ", PIECE),
        (OPEN, b"X: y\r\n" * 10_000),
        (OPEN, b"X" * 65_530),
        (b"", b"\r\n" * 32_768),
    ],
    ids=["a target", "a value", "lines", "a name", "empty lines"],
)
def test_a_head_without_end_is_cut_off(target: Target, start: bytes, piece: bytes) -> None:
    before = target.memory()
    heard = say_all(target.url, long(start, piece))
    assert not heard.open
    assert set(heard.statuses) <= {400, 431}
    assert target.memory() - before < 50 * 2**20


@pytest.mark.parametrize("after", [b"41;", b"41\r\n" + BODY + b"\r\n0\r\nX: "], ids=["an extension", "a trailer"])
def test_what_stands_around_a_body_has_an_end_too(target: Target, after: bytes) -> None:
    before = target.memory()
    heard = say_all(target.url, long(target.head(CHUNKS) + after))
    assert not heard.open
    assert target.memory() - before < 50 * 2**20


def test_the_bounds_are_told(target: Target) -> None:
    size = say(target.url, OPEN + b"X: " + b"x" * MAX_HEAD_BYTES + b"\r\n\r\n")
    lines = say(target.url, OPEN + b"X: y\r\n" * MAX_HEADERS + b"\r\n")
    assert size.statuses == lines.statuses == [431]
    for heard in (size, lines):
        [problem] = problems(heard)
        assert "too large" in problem.detail


def test_a_head_within_the_bounds_is_read(target: Target) -> None:
    head = OPEN + b"X: " + b"x" * (MAX_HEAD_BYTES - 2000) + b"\r\n" + b"Y: z\r\n" * (MAX_HEADERS - 10) + b"\r\n"
    assert say(target.url, head, answers=1).statuses == [200]


def test_a_long_body_in_small_chunks_is_no_head(target: Target) -> None:
    """Framing takes more bytes here than the bound on what leads to nothing."""
    body = b"".join(b"1\r\n%c\r\n" % byte for byte in BODY + b" " * 2 * MAX_HEAD_BYTES) + b"0\r\n\r\n"
    assert say(target.url, target.head(CHUNKS) + body, answers=1).statuses == [200]
