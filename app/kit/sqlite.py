"""A connection to SQLite whose thread ends silently with the event loop that asked it.

Each connection has a thread of its own, which answers the loop. A loop may be closed before it has its answer: where
the file could not be opened nobody waits for the thread to stop, nor does anybody for a query that was cancelled. The
thread would die of that with a traceback on standard error, beside the one line that says why the service cannot start.
"""

from __future__ import annotations

import asyncio
from typing import Any

import aiosqlite


async def connect(*arguments: Any, **named: Any) -> aiosqlite.Connection:
    """:func:`aiosqlite.connect`, with its arguments; the process does not wait for the thread when it ends."""
    connection = aiosqlite.connect(*arguments, **named)
    thread, loop = connection._thread, asyncio.get_running_loop()  # aiosqlite makes it, and has no other way to it
    work = thread.run

    def run() -> None:
        try:
            work()
        except RuntimeError:
            if not loop.is_closed():
                raise

    thread.daemon = True
    thread.run = run  # type: ignore[method-assign]
    return await connection
