"""Everything that a database holds, written to a folder: one state of it, a row in memory at a time."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Table as SqlTable
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from app.kit.clock import now
from app.kit.db import engine_url, sqlite_engine
from app.kit.migrate import current, head
from app.tables import Table
from app.transfer.lines import line_of, reading
from app.transfer.manifest import NAME, Manifest, ManifestFile, lines_of
from app.version import VERSION
from trueward.errors import Conflict

_AT_ONCE = 500


async def export_to(url: str, folder: Path, *, with_keys: bool) -> Manifest:
    """The service may go on meanwhile. ``with_keys``: with the keyed hashes of API keys, so that these work elsewhere
    under the same secret.

    Raises :class:`Conflict` for a folder that is not empty, and for a database of another schema.
    """
    revision = await current(url)
    if revision != head():
        raise Conflict(
            f"the database has the schema {revision or 'of nothing'}, this version {head()}: upgrade it first"
        )
    _make(folder)
    tables: dict[str, ManifestFile] = {}
    async with _snapshot(url) as connection:
        for table in Table.metadata.sorted_tables:
            tables[table.name] = await _write(connection, table, lines_of(folder, table.name), with_keys=with_keys)
    manifest = Manifest(trueward=VERSION, revision=revision, exported_at=now(), with_keys=with_keys, tables=tables)
    (folder / NAME).write_text(manifest.model_dump_json(indent=2) + "\n")
    return manifest


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise Conflict(f"{folder} is not empty: an export takes a folder of its own")


async def _write(connection: AsyncConnection, table: SqlTable, path: Path, *, with_keys: bool) -> ManifestFile:
    digest = hashlib.sha256()
    rows = 0
    hidden = table.name == "keys" and not with_keys
    result = await connection.stream(reading(table, connection.dialect.name), execution_options={"yield_per": _AT_ONCE})
    with path.open("wb") as file:
        async for found in result.mappings().partitions(_AT_ONCE):
            text = "".join(line_of(_hidden(row) if hidden else row) for row in found).encode()
            digest.update(text)
            file.write(text)
            rows += len(found)
    return ManifestFile(rows=rows, sha256=digest.hexdigest())


def _hidden(row: Any) -> dict[str, Any]:
    """The key's row without what it is known by: its records stay its project's, and nobody can present it."""
    return {**row, "digest": f"not exported: {row['id']}"}


@asynccontextmanager
async def _snapshot(url: str) -> AsyncIterator[AsyncConnection]:
    """One state of the database, for as long as it takes."""
    parsed = engine_url(url)
    sqlite = parsed.get_backend_name() == "sqlite"
    engine = sqlite_engine(parsed, writes=False, pool_size=1) if sqlite else _patient(url)
    try:
        async with engine.connect() as connection:
            if not sqlite:
                await connection.execution_options(isolation_level="REPEATABLE READ")
            async with connection.begin():
                yield connection
    finally:
        await engine.dispose()


def _patient(url: str) -> Any:
    return create_async_engine(engine_url(url), poolclass=NullPool)
