"""Both databases for tests: a fresh, migrated one each, SQLite in a file and a real PostgreSQL.

``TRUEWARD_TEST_POSTGRES_URL`` names the server (default: loopback, user postgres). Without one the tests
fail and say what to run: they are never skipped.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import URL, make_url

from app.kit.db import Database
from app.kit.migrate import upgrade
from app.kit.tokens import new_id
from app.tables import Table

SERVER = os.environ.get("TRUEWARD_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
DELETED = [table.name for table in reversed(Table.metadata.sorted_tables)]
"""Children before their parents."""
BOTH = [pytest.param("sqlite"), pytest.param("postgresql", marks=pytest.mark.postgres)]


async def on_server(statement: str) -> None:
    """Runs one statement on the PostgreSQL server, outside of any transaction."""
    try:
        connection = await asyncpg.connect(SERVER, timeout=10)
    except (OSError, TimeoutError) as refused:
        pytest.fail(f"no PostgreSQL at {SERVER} ({refused}): run `make postgres`")
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def postgres_url(name: str) -> str:
    url: URL = make_url(SERVER).set(database=name)
    return url.render_as_string(hide_password=False)


@contextmanager
def lent(name: str) -> Iterator[str]:
    """The URL of a migrated database, which is given back without a row."""
    try:
        yield postgres_url(name)
    finally:
        asyncio.run(empty(name))


async def empty(name: str) -> None:
    """Ends all sessions of a database and deletes its rows: far faster than to drop it and make another."""
    # waits until they have ended: one that is about to commit would leave rows behind
    await on_server(f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'")
    connection = await asyncpg.connect(postgres_url(name), timeout=10)
    try:
        await connection.execute(";".join(f'DELETE FROM "{table}"' for table in DELETED))
    finally:
        await connection.close()


def fresh_name() -> str:
    return f"trueward_test_{new_id().lower()}"


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("migrated") / "template.db"
    asyncio.run(upgrade(f"sqlite:///{path}"))
    return path


@pytest.fixture(scope="session")
def migrated_postgres() -> Iterator[str]:
    """The name of a migrated database, this session's own: use it by :func:`lent`."""
    name = fresh_name()
    asyncio.run(on_server(f'CREATE DATABASE "{name}"'))
    try:
        asyncio.run(upgrade(postgres_url(name)))
        yield name
    finally:
        asyncio.run(on_server(f'DROP DATABASE "{name}" WITH (FORCE)'))


@pytest.fixture
def empty_postgres() -> Iterator[str]:
    """The URL of a PostgreSQL database without a table."""
    name = fresh_name()
    asyncio.run(on_server(f'CREATE DATABASE "{name}"'))
    yield postgres_url(name)
    asyncio.run(on_server(f'DROP DATABASE "{name}" WITH (FORCE)'))


@pytest.fixture(params=BOTH)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without a table."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'trueward.db'}"
    url: str = request.getfixturevalue("empty_postgres")
    return url


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a migrated, empty database; tests leave its schema as it is."""
    if request.param == "sqlite":
        path = tmp_path / "trueward.db"
        shutil.copy(request.getfixturevalue("migrated_sqlite"), path)
        yield f"sqlite:///{path}"
        return
    with lent(request.getfixturevalue("migrated_postgres")) as url:
        yield url


@pytest.fixture
async def db(database_url: str) -> AsyncIterator[Database]:
    async with Database(database_url) as database:
        yield database
