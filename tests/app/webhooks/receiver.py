"""A server on loopback that keeps what is posted to it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


def answer(status: str, extra: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n{extra}\r\n".encode()


OK = answer("204 No Content")


@dataclass(frozen=True, slots=True)
class Posted:
    """A request as it came; header names in small letters."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Receiver:
    port: int = 0
    posts: list[Posted] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?token=t0ken"

    async def got(self, number: int) -> list[Posted]:
        async with asyncio.timeout(60):
            while len(self.posts) < number:
                await asyncio.sleep(0.02)
        return self.posts


@asynccontextmanager
async def receiver(*answers: bytes, tls: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    """Answers each request with the next of ``answers``, the last one again and again."""
    made = Receiver()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, *rest = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in rest)}
        body = await reader.readexactly(int(headers["content-length"]))
        said = answers[min(len(made.posts), len(answers) - 1)]
        made.posts.append(Posted(line, headers, body))
        writer.write(said)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    async with server:
        yield made
