"""Frames are whole, bounded and shallow, or they are refused before they are parsed."""

from __future__ import annotations

import os
import sys

import pytest

from sandbox.harness.python.trueward_harness.channel import Channel, pack_frame, parse_frame
from sandbox.harness.python.trueward_harness.limits import FRAME_BYTES, FRAME_ITEMS, Malformed, Unencodable


def test_a_frame_arrives_in_pieces() -> None:
    reader, writer = os.pipe()
    wire = pack_frame({"op": "return", "value": "x" * 30_000})
    for begin in range(0, len(wire), 1000):
        os.write(writer, wire[begin : begin + 1000])
    os.write(writer, wire[:10])
    os.close(writer)
    channel = Channel(reader, reader)
    assert channel.receive()["value"] == "x" * 30_000
    with pytest.raises(EOFError):
        channel.receive()
    os.close(reader)


def test_a_length_beyond_the_limit_is_refused_before_it_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"\xff\xff\xff\xff")
    with pytest.raises(Malformed, match="too long"):
        Channel(reader, writer).receive()
    os.close(reader)
    os.close(writer)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'"op"',
        b'{"op": 1}',
        b'{"op": "x", "value": NaN}',
        b'{"op": "x", "value": Infinity}',
        '{"op": "é"}'.encode(),
        b'{"op": "x"',
        b'{"op": "x"} {}',
        b'{"op": "x", "value": ' + b"9" * 5000 + b"}",
        b'{"op": "x", "value": ' + b"[" * 9 + b"]" * 9 + b"}",
        b"[" * 100_000,
        b'{"op": "x", "nodes": [' + b"[]," * FRAME_ITEMS + b"[]]}",
    ],
    ids=lambda body: body[:30].decode("latin-1"),
)
def test_what_is_no_frame_is_malformed(body: bytes) -> None:
    with pytest.raises(Malformed):
        parse_frame(body)


def test_a_deep_frame_is_refused_even_under_a_high_recursion_limit() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10**6)
    try:
        with pytest.raises(Malformed, match="deep"):
            parse_frame(b'{"op": "x", "value": ' + b"[" * 500_000 + b"]" * 500_000 + b"}")
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize("text", ['[[[[[[[[[[[["', '\\"[[[[[[[[[[[', "\\\\", '\\\\"]]]]]]]'])
def test_brackets_and_escapes_in_texts_do_not_count_as_nesting(text: str) -> None:
    assert parse_frame(pack_frame({"op": "x", "value": text})[4:])["value"] == text


def test_too_large_a_value_is_not_sent() -> None:
    with pytest.raises(Unencodable, match="too large"):
        pack_frame({"op": "x", "value": "x" * FRAME_BYTES})
