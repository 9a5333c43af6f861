"""A gateway without a cluster, run by a link: what is asked says what becomes of it.

``echo``: answered with what travelled. ``lose``: lost. ``lose once``: lost, unless it comes alone. ``die``: the gateway
ends. ``hold``: no answer. The address ``refuse`` is that of no cluster.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import socket
import sys

from app.lanes.ray import frames
from app.lanes.ray.frames import Kind


async def main(stream: socket.socket, address: str) -> None:
    reader, writer = await asyncio.open_unix_connection(sock=stream)
    if address == "refuse":
        writer.write(frames.pack(Kind.REFUSED, body=b"nobody there"))
        await writer.drain()
        return
    writer.write(frames.pack(Kind.READY))
    writer.write(frames.pack(Kind.STATS, body=json.dumps({"cpu": [{}]}).encode()))
    while True:
        kind, number, body = await frames.receive(reader)
        if kind is Kind.CANCEL:
            continue
        _, alone, (method, _, waited_s, payload) = pickle.loads(body)
        if method == "die":
            return
        if method == "lose" or (method == "lose once" and not alone):
            writer.write(frames.pack(Kind.LOST, number, b"its replica died"))
        elif method != "hold":
            writer.write(frames.pack(Kind.REPLY, number, json.dumps([alone, waited_s >= 0]).encode() + payload))


if __name__ == "__main__":
    asyncio.run(main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2]))
