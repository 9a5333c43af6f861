"""The load generator sends each request once, reads each answer whole, and times from the right moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from benchmarks.load.generator import Volley, fire, post, write_requests

Answer = Callable[[bytes], Awaitable[bytes]]


@asynccontextmanager
async def listening(answer: Answer) -> AsyncIterator[int]:
    """A server that gives each body to ``answer`` and sends what it returns; an empty return hangs up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length:")[2].split()[0])
                reply = await answer(await reader.readexactly(length))
                if not reply:
                    break
                writer.write(reply)
                await writer.drain()
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def load(port: int, requests: Path, connections: int, seconds: float, rate: float = 0.0) -> Volley:
    return await asyncio.to_thread(
        fire, port, requests, connections=connections, seconds=seconds, rate=rate, drain_s=30.0
    )


def reply(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


def prepared(folder: Path, count: int, padding: int = 0) -> Path:
    bodies = (str(number).encode() + b"." * padding for number in range(count))
    return write_requests(folder / "requests", (post("/x", body, tag=n % 2) for n, body in enumerate(bodies)))


async def test_each_request_is_sent_once_and_each_answer_read_whole(tmp_path: Path) -> None:
    async def echo(body: bytes) -> bytes:
        return reply(body)

    async with listening(echo) as port:
        volley = await load(port, prepared(tmp_path, 200, padding=100_000), connections=8, seconds=60.0)
    assert sorted(shot.request for shot in volley.shots) == list(range(200))
    assert {shot.request % 2 for shot in volley.shots if shot.tag == 1} == {1}
    assert volley.answers == {number: str(number).encode() + b"." * 100_000 for number in range(200)}
    assert volley.exhausted
    assert volley.client_cpu_s > 0


async def test_a_connection_that_is_closed_costs_its_own_request_only(tmp_path: Path) -> None:
    async def refuse_seven(body: bytes) -> bytes:
        return b"" if body == b"7" else reply(body)

    async with listening(refuse_seven) as port:
        volley = await load(port, prepared(tmp_path, 30), connections=3, seconds=60.0)
    assert {shot.request for shot in volley.shots if shot.status == 0} == {7}
    assert len(volley.answers) == 29


async def test_a_slow_server_cannot_slow_the_clock_of_an_open_loop(tmp_path: Path) -> None:
    async def slow(body: bytes) -> bytes:
        await asyncio.sleep(0.05)
        return reply(body)

    async with listening(slow) as port:
        volley = await load(port, prepared(tmp_path, 10), connections=1, seconds=60.0, rate=100.0)
    last = max(volley.shots, key=lambda shot: shot.request)
    assert abs(last.due_s - 0.09) < 1e-6
    assert last.latency_s > 0.4
    assert last.done_s - last.sent_s < last.latency_s


async def test_a_closed_loop_stops_in_time_and_waits_for_what_it_sent(tmp_path: Path) -> None:
    async def slow(body: bytes) -> bytes:
        await asyncio.sleep(0.3)
        return reply(body)

    async with listening(slow) as port:
        volley = await load(port, prepared(tmp_path, 100), connections=4, seconds=0.1)
    assert [shot.status for shot in volley.shots] == [200] * 4
    assert not volley.exhausted
