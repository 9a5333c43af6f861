"""Frames over two descriptors: four bytes of length, then one JSON object in ASCII (see PROTOCOL.md).

What comes in may be an attacker's: it is bounded in length, items and depth before it is parsed, because the
parser itself would recurse as deep as the text says.
"""

from __future__ import annotations

import json
import os
from typing import Any

from .limits import FRAME_BYTES, FRAME_DEPTH, FRAME_ITEMS, Malformed, Unencodable

Frame = dict[str, Any]

_BRACKETS = b"[]{}"
_ELSE = bytes(byte for byte in range(256) if byte not in _BRACKETS)


def pack_frame(frame: Frame) -> bytes:
    """A frame as it goes over the wire. Raises Unencodable where it is too large."""
    body = _ENCODER.encode(frame).encode("ascii")
    if len(body) > FRAME_BYTES or _items(body) > FRAME_ITEMS:
        raise Unencodable("the value is too large to send")
    return len(body).to_bytes(4, "big") + body


def parse_frame(body: bytes) -> Frame:
    """The frame of a body. Raises Malformed."""
    if _items(body) > FRAME_ITEMS:
        raise Malformed("a frame has too many items")
    if not _shallow(body):
        raise Malformed("a frame is nested too deep")
    try:
        frame = _DECODER.decode(body.decode("ascii"))
    except (ValueError, RecursionError) as failure:
        raise Malformed("a frame is not JSON in ASCII") from failure
    if type(frame) is not dict or type(frame.get("op")) is not str:
        raise Malformed("a frame has no operation")
    return frame


def _items(body: bytes) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{")


def _shallow(body: bytes) -> bool:
    unescaped = body.replace(rb"\\", b"").replace(rb"\"", b"")
    brackets = b"".join(unescaped.split(b'"')[::2]).translate(None, _ELSE)
    for _ in range(FRAME_DEPTH):
        if not brackets:
            return True
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return not brackets


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
_DECODER = json.JSONDecoder(parse_constant=_refused)


class Channel:
    """Both directions of a channel."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader = reader
        self._writer = writer
        self.received_bytes = 0
        """Length of the last frame that came."""

    def send(self, frame: Frame) -> None:
        """Writes a frame whole. Raises Unencodable before anything is written, OSError where nobody reads."""
        rest = memoryview(pack_frame(frame))
        while rest:
            rest = rest[os.write(self._writer, rest) :]

    def receive(self) -> Frame:
        """The next frame. Raises EOFError at the end of the stream, Malformed."""
        length = int.from_bytes(self._exactly(4), "big")
        if length > FRAME_BYTES:
            raise Malformed("a frame is too long")
        self.received_bytes = length
        return parse_frame(self._exactly(length))

    def _exactly(self, length: int) -> bytes:
        piece = os.read(self._reader, length)
        if len(piece) == length:
            return piece
        pieces = []
        while piece:
            pieces.append(piece)
            length -= len(piece)
            if not length:
                return b"".join(pieces)
            piece = os.read(self._reader, min(length, 2**20))
        raise EOFError("the other end of the channel was closed")


def take_channel() -> Channel:
    """Takes descriptors 0 and 1 for the channel and puts /dev/null and descriptor 2 in their place."""
    channel = Channel(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return channel
