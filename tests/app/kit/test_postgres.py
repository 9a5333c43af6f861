"""A connection to PostgreSQL is watched by the kernels of both sides, and its queries are not compiled."""

from __future__ import annotations

import socket

import pytest

from app.kit.postgres import connect
from tests.databases import SERVER

pytestmark = pytest.mark.postgres


async def test_the_server_gives_a_silent_client_up() -> None:
    connection = await connect(SERVER)
    try:
        shown = [await connection.fetchval(f"SHOW {name}") for name in ("tcp_user_timeout", "tcp_keepalives_idle")]
        assert [int(value) for value in shown] == [10_000, 4]
    finally:
        await connection.close()


async def test_no_query_is_compiled() -> None:
    connection = await connect(SERVER)
    try:
        assert await connection.fetchval("SHOW jit") == "off"
    finally:
        await connection.close()


async def test_a_silent_server_is_given_up() -> None:
    connection = await connect(SERVER)
    try:
        ours = connection._transport.get_extra_info("socket")
        assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 10_000
    finally:
        await connection.close()
