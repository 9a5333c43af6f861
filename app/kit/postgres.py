"""A connection to PostgreSQL that ends soon after the network under it, on both sides, and compiles no query.

By the kernels' defaults a cut that nobody is told of is noticed after a quarter of an hour here, and there after two
hours, for which the server would keep the locks of a session that is gone, and with them its claims on jobs.

Every query of ours reads a bounded number of rows, which the planner overestimates where they are chosen by ranges: it
would compile them for a second to run them for a tenth of one (a run's page over a million verdicts: 1.3 s, and .1).
"""

from __future__ import annotations

import socket
from typing import Any

import asyncpg

_SILENT_MS = 10_000
"""Milliseconds for which what was sent may stay unacknowledged."""
_IDLE_S, _EVERY_S, _TIMES = 4, 2, 3
"""An idle connection is asked after so many seconds, again every so many, and is dead after so many questions."""
_HERE = {
    socket.TCP_USER_TIMEOUT: _SILENT_MS,
    socket.TCP_KEEPIDLE: _IDLE_S,
    socket.TCP_KEEPINTVL: _EVERY_S,
    socket.TCP_KEEPCNT: _TIMES,
}
_THERE = (
    f"SET jit = off; SET tcp_user_timeout = {_SILENT_MS}; SET tcp_keepalives_idle = {_IDLE_S}; "
    f"SET tcp_keepalives_interval = {_EVERY_S}; SET tcp_keepalives_count = {_TIMES}"
)


async def connect(*arguments: Any, **named: Any) -> asyncpg.Connection:
    """:func:`asyncpg.connect`, with its arguments."""
    connection = await asyncpg.connect(*arguments, **named)
    try:
        _watch(connection._transport.get_extra_info("socket"))  # asyncpg makes it, and has no other way to it
        await connection.execute(_THERE)
    except BaseException:  # raised again, cleaned up
        connection.terminate()
        raise
    return connection


def _watch(ours: socket.socket) -> None:
    if ours.family == socket.AF_UNIX:
        return
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _HERE.items():
        ours.setsockopt(socket.IPPROTO_TCP, option, value)
