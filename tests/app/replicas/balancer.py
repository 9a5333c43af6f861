"""A balancer of a hundred lines: it asks ``/health/ready``, and repeats only what it could not send at all."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

import httpx2

_EVERY_S = 0.2
_NONE_READY_S = 30.0
_PROBE_S = 10.0


class Balancer:
    """``ports`` of replicas on loopback; ``sent`` counts requests by port, ``cut`` answers that did not come."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.sent: Counter[int] = Counter()
        self.cut = 0
        self.ready = dict.fromkeys(ports, False)
        self._turn = itertools.count()
        self.url = ""

    async def until(self, port: int, ready: bool) -> None:
        """Returns when the replica is known to be ready, or not to be."""
        async with asyncio.timeout(300):
            while self.ready[port] != ready:
                await asyncio.sleep(0.05)

    async def look(self, port: int) -> None:
        async with httpx2.AsyncClient(timeout=_PROBE_S, trust_env=False) as http:
            while True:
                try:
                    answer = await http.get(f"http://127.0.0.1:{port}/health/ready")
                    self.ready[port] = answer.status_code == 200
                except httpx2.TransportError:
                    self.ready[port] = False
                await asyncio.sleep(_EVERY_S)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request a connection."""
        try:
            request = await _request(reader)
            if request is not None:
                writer.write(await self._answer(request))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client has gone
        finally:
            writer.close()

    async def _answer(self, request: bytes) -> bytes:
        port, upstream_reader, upstream = await self._connect()
        self.sent[port] += 1
        try:
            upstream.write(request)
            answer = await upstream_reader.read()
        except OSError:
            answer = b""
        finally:
            upstream.close()
        if not answer:
            self.cut += 1
            return b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        return answer

    async def _connect(self) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter]:
        """To the next replica that is ready and takes the connection."""
        async with asyncio.timeout(_NONE_READY_S):
            while True:
                ready = [port for port, is_ready in self.ready.items() if is_ready]
                turn = next(self._turn)
                for place in range(len(ready)):
                    port = ready[(turn + place) % len(ready)]
                    with suppress(ConnectionRefusedError):
                        return port, *await asyncio.open_connection("127.0.0.1", port)
                await asyncio.sleep(0.02)


async def _request(reader: asyncio.StreamReader) -> bytes | None:
    """A whole request, to be answered on a connection of its own."""
    head = await reader.readuntil(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:] if line)}
    body = await reader.readexactly(int(headers.get(b"content-length", b"0")))
    kept = [line for line in lines[1:] if line and not line.lower().startswith((b"connection:", b"expect:"))]
    return b"\r\n".join([lines[0], *kept, b"connection: close", b"", b""]) + body


@asynccontextmanager
async def balancing(ports: Sequence[int]) -> AsyncIterator[Balancer]:
    balancer = Balancer(ports)
    server = await asyncio.start_server(balancer.serve, "127.0.0.1", 0, limit=2**20)
    balancer.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    looking = [asyncio.create_task(balancer.look(port)) for port in ports]
    try:
        yield balancer
    finally:
        for task in looking:
            task.cancel()
        server.close()
        await server.wait_closed()
