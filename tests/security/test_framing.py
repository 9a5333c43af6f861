"""Where one request ends and the next begins: two readings of that are what a smuggled request lives on."""

from __future__ import annotations

import pytest

from tests.security.conftest import BODY, Target
from tests.security.wire import say

SMUGGLED = b"GET /v1/keys HTTP/1.1\r\nHost: trueward\r\n\r\n"
LENGTH = f"Content-Length: {len(BODY)}"
CHUNKED = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)

AMBIGUOUS = {
    "length and chunks": (("Content-Length: 5", "Transfer-Encoding: chunked"), b"0\r\n\r\n" + SMUGGLED),
    "chunks and length": (("Transfer-Encoding: chunked", "Content-Length: 5"), b"0\r\n\r\n" + SMUGGLED),
    "two lengths": ((LENGTH, "Content-Length: 3"), BODY),
    "the same length twice": ((LENGTH, LENGTH), BODY),
    "a list of lengths": ((f"{LENGTH}, {len(BODY)}",), BODY),
    "a negative length": (("Content-Length: -1",), BODY),
    "a signed length": ((f"Content-Length: +{len(BODY)}",), BODY),
    "a hexadecimal length": (("Content-Length: 0x41",), BODY),
    "a length beyond 64 bits": (("Content-Length: 99999999999999999999999",), BODY),
    "a space before the colon": ((f"Content-Length : {len(BODY)}",), BODY),
    "an unknown coding": (("Transfer-Encoding: xchunked",), CHUNKED),
    "identity": (("Transfer-Encoding: identity", LENGTH), BODY),
    "chunked is not last": (("Transfer-Encoding: chunked, identity",), CHUNKED),
    "two codings": (("Transfer-Encoding: chunked", "Transfer-Encoding: identity"), CHUNKED),
    "a vertical tab": (("Transfer-Encoding:\x0bchunked", LENGTH), BODY),
    "a folded line": (("X-Note: a", " b", LENGTH), BODY),
    "a folded coding": (("Transfer-Encoding:", " chunked", LENGTH), BODY),
    "a bare carriage return": (("X-Note: a\rTransfer-Encoding: chunked", LENGTH), BODY),
    "a bare line feed": (("X-Note: a\nX-More: b", LENGTH), BODY),
    "a NUL in a header": (("X-Note: a\0b", LENGTH), BODY),
    "a header without a name": ((": x", LENGTH), BODY),
    "a negative chunk": (("Transfer-Encoding: chunked",), b"-1\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a chunk with a prefix": (("Transfer-Encoding: chunked",), b"0x41\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a chunk beyond 64 bits": (("Transfer-Encoding: chunked",), b"f" * 17 + b"\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a chunk longer than it says": (("Transfer-Encoding: chunked",), b"5\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "chunks in bare line feeds": (("Transfer-Encoding: chunked",), b"41\n" + BODY + b"\n0\n\n"),
    "a line feed in an extension": (("Transfer-Encoding: chunked",), b"41;a\nb\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a length among the trailers": (
        ("Transfer-Encoding: chunked",),
        b"41\r\n" + BODY + b"\r\n0\r\nContent-Length: 5\r\n\r\n" + SMUGGLED,
    ),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_a_request_that_can_be_read_in_two_ways_is_refused_and_the_connection_closed(target: Target, name: str) -> None:
    lines, body = AMBIGUOUS[name]
    heard = say(target.url, target.head(*lines), body)
    assert 400 in heard.statuses
    assert not heard.open
    assert len(heard.statuses) <= 2, "a smuggled request was answered"
    assert b'"keys"' not in heard.raw


def test_bare_line_feeds_end_no_line(target: Target) -> None:
    assert say(target.url, target.head(LENGTH).replace(b"\r\n", b"\n"), BODY).statuses == [400]


@pytest.mark.parametrize(
    "body", [CHUNKED, CHUNKED.replace(b"\r\n", b";name=value\r\n", 1)], ids=["chunks", "an extension"]
)
def test_a_body_in_chunks_is_read(target: Target, body: bytes) -> None:
    assert say(target.url, target.head("Transfer-Encoding: chunked"), body, answers=1).statuses == [200]


def test_requests_that_come_together_are_answered_in_order(target: Target) -> None:
    lengths = [f"Content-Length: {len(BODY)}", "Content-Length: 2"]
    pieces = [target.head(lengths[index % 2]) + (BODY, b"{}")[index % 2] for index in range(10)]
    assert say(target.url, b"".join(pieces), answers=10).statuses == [200, 422] * 5


def test_what_follows_the_body_is_no_header(target: Target) -> None:
    """A key among the trailers opens nothing, whoever added it."""
    head = target.head("Transfer-Encoding: chunked").replace(f"Authorization: Bearer {target.key}\r\n".encode(), b"")
    trailers = f"0\r\nAuthorization: Bearer {target.key}\r\n\r\n".encode()
    assert say(target.url, head, b"41\r\n" + BODY + b"\r\n", trailers, answers=1).statuses == [401]


@pytest.mark.parametrize(
    ("raw", "statuses"),
    [
        (b"CONNECT 169.254.169.254:80 HTTP/1.1\r\nHost: x\r\n\r\n", [400]),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]),
        (b"GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n", [400]),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100), [400]),
        (bytes(range(256)) * 10, [400]),
    ],
    ids=["a tunnel", "HTTP/2", "HTTP/9.9", "TLS", "noise"],
)
def test_what_is_no_request_of_http_1_is_refused(target: Target, raw: bytes, statuses: list[int]) -> None:
    heard = say(target.url, raw)
    assert (heard.statuses, heard.open) == (statuses, False)


@pytest.mark.parametrize("upgrade", ["h2c", "websocket"])
def test_an_upgrade_is_not_made(target: Target, upgrade: str) -> None:
    lines = ["Connection: Upgrade", f"Upgrade: {upgrade}", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA=="]
    heard = say(target.url, target.head(*lines, method="GET", target="/health/live"), answers=1)
    assert heard.statuses == [200]
