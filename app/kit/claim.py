"""Claims that end with their holder: the only server of a SQLite file, the only worker of a job.

A claim is a lock of the operating system or a session-level advisory lock of PostgreSQL: a kill at any
moment frees it at once, and nothing has to expire.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from app.kit.db import Database
from app.kit.private import explain_refusals
from trueward.errors import AlreadyServed


@contextmanager
def sole_server(db: Database) -> Iterator[None]:
    """Holds the SQLite file for this process; PostgreSQL is shared. Raises :class:`AlreadyServed`."""
    if db.path is None:
        yield
        return
    lock = db.path.with_name(db.path.name + ".lock")
    with explain_refusals(lock):
        handle = lock.open("a")
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyServed(
                f"another server uses {db.path}: stop it, give this one another --data-dir, or let both "
                "share a PostgreSQL (TRUEWARD_DATABASE_URL)"
            ) from None
        yield


class Claim:
    """A claim that is held; on PostgreSQL as long as its connection lives."""

    def __init__(self, connection: AsyncConnection | None) -> None:
        self._connection = connection
        self._lost = False

    async def is_held(self) -> bool:
        """False once the connection is gone: another server may have the claim by now."""
        if self._connection is None:
            return True
        if self._lost:
            return False
        try:
            await self._connection.execute(text("SELECT 1"))
        except (DBAPIError, OSError):
            # asked once more, SQLAlchemy would connect anew: to a session without the lock
            self._lost = True
        return not self._lost


@asynccontextmanager
async def claim(db: Database, name: str) -> AsyncIterator[Claim | None]:
    """The claim on ``name`` among all servers of this database, or None where another has it.

    On SQLite there is one server (:func:`sole_server`), so every claim is granted.
    """
    if db.dialect == "sqlite":
        yield Claim(None)
        return
    number = {"lock": int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)}
    async with db.session() as connection:
        if not (await connection.execute(text("SELECT pg_try_advisory_lock(:lock)"), number)).scalar():
            yield None
            return
        granted = Claim(connection)
        try:
            yield granted
        finally:
            if await granted.is_held():
                await connection.execute(text("SELECT pg_advisory_unlock(:lock)"), number)
