"""Real outages: a SQLite file that another process keeps locked, a PostgreSQL database that admits nobody."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from app.kit.db import Database
from tests.databases import SERVER


@asynccontextmanager
async def outage(db: Database) -> AsyncIterator[None]:
    """The database cannot be written in this block."""
    if db.path is not None:
        locker = sqlite3.connect(db.path, isolation_level=None)
        locker.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            locker.execute("ROLLBACK")
            locker.close()
        return
    name = db.url.database
    server = await asyncpg.connect(SERVER)
    try:
        await server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        await server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
        try:
            yield
        finally:
            await server.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
    finally:
        await server.close()
