"""Webhooks: posted with bounds, never to addresses that only the service can reach, never in anybody's way."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from app.watch.webhook import Webhooks, check_url, shown
from trueward.errors import InvalidRequest
from trueward.watch import Alarm, Finding

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _alarm(name: str = "a", detail: str = "d") -> Alarm:
    finding = Finding(
        signal="invalid",
        cause="resource_limit",
        detail=detail,
        value=0.5,
        limit=0.1,
        first_step=1,
        last_step=2,
        windows=1,
        record="R",
    )
    return Alarm(
        id=name, watch="w", run="r", recipe=None, state="open", finding=finding, first_seen=NOW, last_seen=NOW, seen=1
    )


class _Told:
    """What became of each alarm's post."""

    def __init__(self) -> None:
        self.how: dict[str, str] = {}

    async def __call__(self, alarm: str, how: str) -> None:
        self.how[alarm] = how


@asynccontextmanager
async def _receiver(*answers: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server on loopback that answers each request with the next of ``answers``, the last one again and again."""
    received: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(next(line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-l")))
        answer = answers[min(len(received), len(answers) - 1)]
        received.append(head + await reader.readexactly(length))
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", received


def _answer(status: str, extra: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n{extra}\r\n".encode()


async def _post(url: str, alarm: Alarm) -> str:
    told = _Told()
    webhooks = Webhooks(told, waits_s=(0.01, 0.01))
    webhooks.post(url, alarm)
    for _ in range(1000):
        if told.how:
            break
        await asyncio.sleep(0.01)
    await webhooks.close()
    return told.how[alarm.id]


async def test_the_alarm_is_posted_as_json_under_the_hosts_name() -> None:
    async with _receiver(_answer("204 No Content")) as (address, received):
        url = f"http://localhost:{address.partition(':')[2]}/hook?token=t"
        assert await _post(url, _alarm(detail='"} <b>\n')) == "sent"
    [request] = received
    head, _, body = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /hook?token=t HTTP/1.1")
    assert b"host: localhost:" in head.lower()
    assert Alarm.model_validate_json(body).finding.detail == '"} <b>\n'


async def test_a_failing_receiver_is_tried_three_times() -> None:
    async with _receiver(_answer("500 Oh")) as (address, received):
        assert await _post(f"http://{address}/", _alarm()) == "failed: status 500"
    assert len(received) == 3


async def test_a_receiver_that_recovers_gets_it_once() -> None:
    async with _receiver(_answer("500 Oh"), _answer("200 OK")) as (address, received):
        assert await _post(f"http://{address}/", _alarm()) == "sent"
    assert len(received) == 2


async def test_a_redirect_is_not_followed() -> None:
    async with _receiver(_answer("302 Found", "Location: http://169.254.169.254/\r\n")) as (address, received):
        assert await _post(f"http://{address}/", _alarm()) == "failed: status 302"
    assert len(received) == 3


async def test_nobody_listening_is_told_without_the_url() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    how = await _post(f"http://127.0.0.1:{port}/secret", _alarm())
    assert how.startswith("failed: ")
    assert "secret" not in how


async def test_a_name_that_stands_for_a_refused_address_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(self: object, host: str, port: int, **rest: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", port))]

    monkeypatch.setattr(asyncio.get_running_loop().__class__, "getaddrinfo", resolve)
    assert (await _post("http://metadata.example.com/", _alarm())).startswith(
        "refused: 169.254.169.254 is a link-local"
    )


async def test_a_name_that_changes_between_two_tries_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is called is the address that was looked at, not the name once more."""
    asked: list[str] = []

    async with _receiver(_answer("500 Oh")) as (address, received):
        port = int(address.partition(":")[2])

        async def resolve(self: object, host: str, service: int, **rest: Any) -> list[Any]:
            asked.append(host)
            now = "127.0.0.1" if len(asked) == 1 else "169.254.169.254"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (now, port))]

        monkeypatch.setattr(asyncio.get_running_loop().__class__, "getaddrinfo", resolve)
        how = await _post(f"http://hooks.example.com:{port}/", _alarm())
    assert how.startswith("refused: 169.254.169.254")
    assert [name for name in asked if name == "hooks.example.com"] == ["hooks.example.com"] * 2
    assert len(received) == 1


async def test_a_name_with_one_refused_address_among_others_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    async def resolve(self: object, host: str, port: int, **rest: Any) -> list[Any]:
        found = ("127.0.0.1", "169.254.169.254")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    async with _receiver(_answer("200 OK")) as (address, received):
        monkeypatch.setattr(asyncio.get_running_loop().__class__, "getaddrinfo", resolve)
        how = await _post(f"http://both.example.com:{address.partition(':')[2]}/", _alarm())
    assert how.startswith("refused: ")
    assert not received


async def test_too_many_under_way_are_told_not_queued() -> None:
    told = _Told()
    webhooks = Webhooks(told, waits_s=(60.0,))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        for place in range(60):
            webhooks.post(f"http://127.0.0.1:{silent.getsockname()[1]}/", _alarm(str(place)))
        await asyncio.sleep(0.1)
    assert sum(how.startswith("not posted") for how in told.how.values()) == 10
    await webhooks.close()


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "//host/path",
        "http:///path",
        "http://host:99999/",
        "http://host:0/",
        "http://user:password@host/",
        "http://ho st/",
        "http://host/\r\nX: y",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1]/",
        "http://[fd00:ec2::254]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[64:ff9b:1::a9fe:a9fe]/",
        "http://[::169.254.169.254]/",
        "http://[::ffff:0:169.254.169.254]/",
        "http://[2002:a9fe:a9fe::]/",
        "http://[2001:0:a00:1::5601:5601]/",
        "http://100.100.100.200/",
        "http://0.0.0.0/",
        "http://224.0.0.1/",
    ],
)
def test_urls_that_are_refused(url: str) -> None:
    with pytest.raises(InvalidRequest, match="the webhook is refused"):
        check_url(url)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]"])
def test_where_keys_are_asked_for_the_services_own_machine_is_refused(host: str) -> None:
    with pytest.raises(InvalidRequest, match="own machine"):
        check_url(f"http://{host}:8421/x", loopback=False)


async def test_a_name_that_stands_for_this_machine_is_refused_at_the_call() -> None:
    told: asyncio.Queue[str] = asyncio.Queue()

    async def tell(_: str, how: str) -> None:
        await told.put(how)

    webhooks = Webhooks(tell, waits_s=(), loopback=False)
    try:
        webhooks.post("http://localhost:9/x", _alarm())
        assert (await told.get()).startswith("refused: ")
    finally:
        await webhooks.close()


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9000/x", "http://[::1]/", "https://10.0.0.1/", "https://hooks.example.com/T/B?k=v"]
)
def test_urls_that_are_taken_and_what_is_shown_of_them(url: str) -> None:
    check_url(url)
    assert shown(url).endswith("/***")
    assert "T/B" not in shown(url)
