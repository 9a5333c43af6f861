"""How migrations run: in one transaction, on SQLite too, with its foreign keys off and checked at the end.

A migration that has to read much on PostgreSQL may do so ahead of its transaction (``autocommit_block``), so the lock
that servers take turns with is the session's.
"""

from __future__ import annotations

import asyncio
import os
from typing import Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from sqlalchemy import Connection, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from app.kit.db import engine_url
from app.kit.partitions import PARTITIONS
from app.tables import Table
from app.tables.base import UtcTime

LOCK = 7_207_112_001
"""The advisory lock that servers which start together take turns with."""


def render(kind: str, item: object, autogenerate: AutogenContext) -> str | Literal[False]:
    """Writes our own column type as what it is in the database: a migration outlives the code."""
    return "sa.DateTime(timezone=True)" if isinstance(item, UtcTime) else False


def migrate(connection: Connection) -> None:
    partitions: set[str] = set()
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_lock({LOCK})")
        partitions = set(connection.exec_driver_sql(PARTITIONS).scalars())
        connection.commit()
    context.configure(
        connection=connection,
        target_metadata=Table.metadata,
        transactional_ddl=True,
        render_as_batch=True,
        compare_server_default=True,
        render_item=render,
        include_name=lambda name, kind, _: kind != "table" or name not in partitions,
    )
    with context.begin_transaction():
        context.run_migrations()
        if connection.dialect.name == "sqlite":
            dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
            if dangling:
                raise RuntimeError(f"the migration leaves {len(dangling)} rows without their parent: {dangling[:3]}")


def engine_of(url: str) -> AsyncEngine:
    parsed = engine_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_async_engine(parsed, poolclass=NullPool)
    # altering a table copies it and drops the old one: with foreign keys on, its children would go too
    from app.kit.sqlite import connect

    asked = {"isolation_level": None, "timeout": 30.0, "async_creator_fn": connect}
    engine = create_async_engine(parsed, poolclass=NullPool, connect_args=asked)
    event.listen(engine.sync_engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


async def run() -> None:
    url = context.config.attributes.get("url") or os.environ["TRUEWARD_DATABASE_URL"]
    engine = engine_of(url)
    async with engine.connect() as connection:
        await connection.run_sync(migrate)
        await connection.commit()
    await engine.dispose()


asyncio.run(run())
