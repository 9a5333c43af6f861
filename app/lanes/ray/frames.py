"""What travels between the service and its gateway process, over a stream socket.

A frame is a kind, a number, a length and a body. What the service writes is pickled where it is more than bytes; what
the gateway writes is data: replies as they came from the cluster, JSON, text.
"""

from __future__ import annotations

import asyncio
import struct
from enum import Enum
from typing import Final

_HEAD: Final = struct.Struct("=cQI")

MAX_BODY_BYTES: Final = 512 * 2**20
"""Of one frame: what is longer is no frame of ours."""


class Kind(Enum):
    # from the service
    ASK = b"a"
    CANCEL = b"c"
    DROP = b"d"
    # from the gateway
    READY = b"r"
    REFUSED = b"f"
    REPLY = b"y"
    LOST = b"l"
    STATS = b"s"


def pack(kind: Kind, number: int = 0, body: bytes = b"") -> bytes:
    return _HEAD.pack(kind.value, number, len(body)) + body


async def receive(stream: asyncio.StreamReader) -> tuple[Kind, int, bytes]:
    """The next frame. Raises IncompleteReadError at the end, ValueError for what is no frame."""
    kind, number, length = _HEAD.unpack(await stream.readexactly(_HEAD.size))
    if length > MAX_BODY_BYTES:
        raise ValueError(f"a frame of {length} bytes")
    return Kind(kind), number, await stream.readexactly(length)
