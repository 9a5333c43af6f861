"""An export into an empty database of either kind: all of it or, whatever happens, nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from pydantic import ValidationError
from sqlalchemy import Table as SqlTable
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from app.kit.claim import sole_server
from app.kit.db import Database, engine_url, sqlite_engine
from app.kit.migrate import head, make_folder_of, upgrade
from app.path.rows import Insert
from app.tables import Table
from app.transfer.lines import LineReader
from app.transfer.manifest import NAME, Manifest, ManifestFile, lines_of
from trueward.errors import Conflict

_AT_ONCE = 1_000


async def import_from(url: str, folder: Path) -> Manifest:
    """In one transaction, so that a kill at any moment leaves the database empty.

    Raises :class:`Conflict` for an export that is not whole, or of another schema, for a database that holds anything,
    and :class:`AlreadyServed` for a SQLite file that a server works on.
    """
    manifest = _read(folder)
    make_folder_of(url)
    async with Database(url) as db:
        with ExitStack() as stack:
            stack.enter_context(sole_server(db))
            await upgrade(url)
            await _insert(url, folder, manifest)
    return manifest


async def _insert(url: str, folder: Path, manifest: Manifest) -> None:
    parsed = engine_url(url)
    sqlite = parsed.get_backend_name() == "sqlite"
    engine = (
        sqlite_engine(parsed, writes=True, pool_size=1) if sqlite else create_async_engine(parsed, poolclass=NullPool)
    )
    try:
        async with engine.begin() as connection:
            for table in Table.metadata.sorted_tables:
                if await _count(connection, table):
                    raise Conflict(f"the database has rows in {table.name}: import into one that nothing has used yet")
            for table in Table.metadata.sorted_tables:
                await _fill(connection, table, lines_of(folder, table.name), manifest.tables[table.name])
    finally:
        await engine.dispose()


async def _fill(connection: AsyncConnection, table: SqlTable, path: Path, told: ManifestFile) -> None:
    """Raises :class:`Conflict` for a file that is not what the manifest says."""
    kind = next(mapper.class_ for mapper in Table.registry.mappers if mapper.local_table is table)
    insert, reader = Insert(kind, connection.dialect), LineReader(table, connection.dialect.name)
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            lines = _iter_lines(file, digest)
            while rows := [reader.row(line) for line in islice(lines, _AT_ONCE)]:
                await connection.exec_driver_sql(*insert.fill(rows))
    except (OSError, ValueError, DBAPIError) as broken:
        raise Conflict(f"{path.name} cannot be imported, nothing was: {str(broken)[:300]}") from broken
    if digest.hexdigest() != told.sha256 or await _count(connection, table) != told.rows:
        raise Conflict(f"{path.name} is not what was exported (its hash or its rows differ), nothing was imported")


def _iter_lines(file: Iterator[bytes], digest: hashlib._Hash) -> Iterator[str]:
    for line in file:
        digest.update(line)
        yield line.decode()


async def _count(connection: AsyncConnection, table: SqlTable) -> int:
    return int((await connection.execute(select(func.count()).select_from(table))).scalar_one())


def _read(folder: Path) -> Manifest:
    try:
        manifest = Manifest.model_validate_json((folder / NAME).read_bytes())
    except (OSError, ValidationError) as broken:
        raise Conflict(f"{folder} has no {NAME} of a whole export: {str(broken)[:300]}") from broken
    if manifest.revision != head():
        raise Conflict(
            f"the export has the schema {manifest.revision}, this version {head()}: import it with version "
            f"{manifest.trueward} of the service, then upgrade"
        )
    missing = set(Table.metadata.tables) - set(manifest.tables)
    if missing:
        raise Conflict(f"the export lacks {', '.join(sorted(missing))}")
    return manifest
