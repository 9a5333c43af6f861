"""One database, SQLite or PostgreSQL: :meth:`Database.read`, :meth:`Database.write` and :meth:`Database.insert`.

Each is a transaction. On SQLite those that write go one after the other, first come first served, and readers have
connections of their own that see the last commit (WAL); a commit survives a kill of the process, a power failure may
cost the last ones. On PostgreSQL all come from one pool.

Not here: migrations (``app.kit.migrate``), who may be the only server (``app.kit.claim``).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from copy import copy
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from sqlalchemy import URL, Dialect, Engine, Executable, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

from app.kit.datafile import DataFile, is_damage
from app.kit.private import make_file

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

_READERS = 4
_POSTGRES_CONNECTIONS = 10
_CONNECT_S = 5.0
_COMMAND_S = 30.0
_OUTAGES = frozenset({"08", "25", "40", "53", "55", "57", "58"})
"""Classes of SQLSTATE: connection, read-only, deadlock, resources, locks, operator, system."""
_SQLITE_CONNECT: Mapping[str, Any] = {"isolation_level": None, "timeout": 5.0}
_SQLITE_PRAGMAS = (
    "PRAGMA busy_timeout = 5000",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA wal_autocheckpoint = 8000",
    "PRAGMA journal_size_limit = 67108864",
)
_WRITER_PRAGMAS = ("PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON", "PRAGMA cache_size = -32768")
_READER_PRAGMAS = ("PRAGMA query_only = ON", "PRAGMA cache_size = -8192")


Row = tuple[str | int | float | bool | datetime | None, ...]
Statement = tuple[str, Sequence[Row]]
"""SQL in the driver's words, and the rows that it is run with."""

Narrow = Callable[[Executable], Executable]
"""Makes a statement one that reaches fewer rows."""


class Database:
    """An async context manager; ``url`` is ``sqlite:///path`` or ``postgresql://...``.

    ``whole`` is the database itself, of which this one may be narrowed: for what must be unique in all of it.
    """

    def __init__(self, url: str) -> None:
        self.url = engine_url(url)
        self.dialect: Literal["sqlite", "postgresql"] = (
            "sqlite" if self.url.get_backend_name() == "sqlite" else "postgresql"
        )
        self.file = DataFile(Path(self.url.database or "")) if self.dialect == "sqlite" else None
        if self.file is not None:
            self._writer = sqlite_engine(self.url, self.file, writes=True, pool_size=1)
            self._reader = sqlite_engine(self.url, self.file, writes=False, pool_size=_READERS)
        else:
            self._writer = self._reader = postgres_engine(self.url)
        self._rows = _SqliteRows(self.url, self.file) if self.file is not None else None
        self._turn = asyncio.Lock()
        self._narrow: Narrow | None = None
        self.whole = self

    def restrict(self, narrow: Narrow) -> Database:
        """The same database behind the same doors; every statement passes ``narrow`` before it is executed."""
        seen = copy(self)
        seen._narrow = narrow
        seen.whole = self.whole
        return seen

    async def __aenter__(self) -> Self:
        if self.file is not None:
            make_file(self.file.path)
            async with self._writer.connect():
                pass  # turns WAL on, which it cannot while anybody reads
        return self

    async def __aexit__(self, *failure: object) -> None:
        if self.file is not None:
            self.file.close()
        if self._rows is not None:
            self._rows.close()
        await self._reader.dispose()
        await self._writer.dispose()

    @property
    def sql(self) -> Dialect:
        """The dialect that statements are compiled for."""
        return self._writer.dialect

    @property
    def path(self) -> Path | None:
        """The SQLite file; None for PostgreSQL."""
        return None if self.file is None else self.file.path

    def stamp(self) -> tuple[int, int] | None:
        """Another value after every commit, whoever made it; None where only a query can tell what is new."""
        return None if self.file is None else self.file.stamp()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that sees one state of the database and changes nothing."""
        self._check()
        async with self._reader.connect() as connection, connection.begin():
            yield self._narrowing(connection)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction: committed when the block ends, undone when it raises. Keep it short on SQLite."""
        if self.dialect == "postgresql":
            async with self._writer.begin() as connection:
                yield self._narrowing(connection)
        else:
            async with self._turn:
                self._check()
                async with self._writer.begin() as connection:
                    yield self._narrowing(connection)

    async def insert(self, statements: Sequence[Statement]) -> None:
        """Runs statements in the driver's words, each for all of its rows, in one transaction.

        On SQLite a thread does all of it at once. :meth:`write` asks its thread anew for each step, and each answer
        is a turn of the event loop: that costs more than the rows.
        """
        if self._rows is None:
            async with self.write() as connection:
                for sql, rows in statements:
                    await connection.exec_driver_sql(sql, rows)
            return
        async with self._turn:
            self._check()
            await self._rows.insert(statements)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[AsyncConnection]:
        """A connection outside of any transaction, for what lasts as long as it does (advisory locks)."""
        async with self._writer.connect() as connection:
            yield await connection.execution_options(isolation_level="AUTOCOMMIT")

    def _check(self) -> None:
        if self.file is not None:
            self.file.check()

    def _narrowing(self, connection: AsyncConnection) -> AsyncConnection:
        """The listener is the connection's own, and ends with the block that it was opened for."""
        narrow = self._narrow
        if narrow is not None:

            def before(_: Any, statement: Executable, many: Any, one: Any, __: Any) -> tuple[Executable, Any, Any]:
                return narrow(statement), many, one

            event.listen(connection.sync_connection, "before_execute", before, retval=True)
        return connection


class _SqliteRows:
    """A connection of its own for rows that are inserted all at once, and the one thread that uses it."""

    def __init__(self, url: URL, file: DataFile) -> None:
        arguments = {**_SQLITE_CONNECT, "check_same_thread": False}
        self._engine = create_engine(url.set(drivername="sqlite"), pool_size=1, max_overflow=0, connect_args=arguments)
        _set_up(self._engine, file, writes=True)
        self._thread = ThreadPoolExecutor(1, "ledger")

    async def insert(self, statements: Sequence[Statement]) -> None:
        work = asyncio.get_running_loop().run_in_executor(self._thread, self._insert, statements)
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.wait([work])  # the next write has its turn once this one is done
            raise

    def _insert(self, statements: Sequence[Statement]) -> None:
        with self._engine.begin() as connection:
            for sql, rows in statements:
                connection.exec_driver_sql(sql, rows)

    def close(self) -> None:
        self._thread.shutdown()
        self._engine.dispose()


def insert_in(dialect: str, table: Any) -> SqliteInsert | PostgresInsert:
    """An ``INSERT`` that knows ``ON CONFLICT``, which each dialect has as its own. Only what is used is loaded."""
    if dialect == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)


def is_damaged(error: BaseException) -> bool:
    """Whether the database says that its file is damaged: nothing is wrong with the statement, nor will a second try
    help before somebody mends the file."""
    return isinstance(error, DBAPIError) and is_damage(error.orig)


def is_outage(error: BaseException) -> bool:
    """Whether the database could not be reached or could not go on, so that trying again may help.

    False for what another attempt meets again: a value that cannot be stored, a violated constraint.
    """
    if isinstance(error, (OSError, TimeoutError, PoolTimeout)):
        return True
    origin = error.orig if isinstance(error, DBAPIError) else error
    state = getattr(origin, "sqlstate", None)
    if state is not None:
        return state[:2] in _OUTAGES
    if not isinstance(error, DBAPIError):
        return False
    if isinstance(error, InterfaceError):
        # asyncpg says so of a value that it cannot encode, too
        return not isinstance(getattr(origin, "__cause__", None), ValueError)
    if is_damaged(error):
        return True
    return error.connection_invalidated or isinstance(error, OperationalError)


def engine_url(url: str) -> URL:
    """The URL with its asynchronous driver; libpq's ``sslmode`` becomes asyncpg's ``ssl``."""
    parsed = make_url(url)
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise ValueError("the SQLite database must be a file: sqlite:///path/to/trueward.db")
        return parsed.set(drivername="sqlite+aiosqlite")
    if backend in ("postgres", "postgresql"):
        query = {("ssl" if name == "sslmode" else name): value for name, value in parsed.query.items()}
        return parsed.set(drivername="postgresql+asyncpg", query=query)
    raise ValueError(f"a {backend} database is not supported: use sqlite:///path or postgresql://user@host/name")


def sqlite_engine(url: URL, file: DataFile | None = None, *, writes: bool, pool_size: int) -> AsyncEngine:
    """An engine whose transactions are SQLite's own: begun by us, at once where they write. ``file`` is told of
    errors."""
    from app.kit.sqlite import connect

    engine = create_async_engine(
        url,
        pool_size=pool_size,
        max_overflow=0,
        connect_args={**_SQLITE_CONNECT, "async_creator_fn": connect},
    )

    _set_up(engine.sync_engine, file, writes=writes)
    return engine


def _set_up(engine: Engine, file: DataFile | None, *, writes: bool) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        mode = _WRITER_PRAGMAS if writes else _READER_PRAGMAS
        with ExitStack() as undo:
            # of a file that is no database the pool would keep a thread
            undo.callback(connection.close)
            cursor = connection.cursor()
            for pragma in (*_SQLITE_PRAGMAS, *mode):
                cursor.execute(pragma)
            cursor.close()
            undo.pop_all()

    @event.listens_for(engine, "handle_error")
    def tell(context: ExceptionContext) -> None:
        if file is not None:
            file.note_error(context.original_exception)

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def postgres_engine(url: URL) -> AsyncEngine:
    """An engine that notices dead connections before they are used, and never waits for one forever."""
    from app.kit.postgres import connect

    return create_async_engine(
        url,
        pool_size=_POSTGRES_CONNECTIONS,
        max_overflow=_POSTGRES_CONNECTIONS,
        pool_timeout=_CONNECT_S,
        pool_pre_ping=True,
        connect_args={"timeout": _CONNECT_S, "command_timeout": _COMMAND_S, "async_creator_fn": connect},
    )
