"""Runs in the sandbox: builds a database, runs one read-only query, writes what it returns. Standard library only.

Standard input is one JSON object: ``dialect``, ``script``, ``query``. Standard output is lines of JSON:
``{"ready": true}`` when the database stands, ``{"columns": [...], "reads": ...}`` (whether it reads a table of the
database), one list a row, ``{"end": <number of rows>}``; or ``{"unsupported": ...}``, ``{"script_error": ...}``,
``{"query_error": ...}``. A value that JSON lacks is an object with one key that names its kind. This file is sent to
the sandbox as text; nothing of it runs in the service.
"""

from __future__ import annotations

import base64
import contextlib
import datetime
import decimal
import importlib
import json
import os
import sys
from typing import Any, TextIO

_TEMPORAL = (datetime.datetime, datetime.date, datetime.time)


def plain(value: Any) -> Any:
    """A value of either engine as JSON."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else {"float": str(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"blob": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, decimal.Decimal):
        return {"decimal": str(value)}
    if isinstance(value, _TEMPORAL):
        return {type(value).__name__: value.isoformat()}
    if isinstance(value, datetime.timedelta):
        return {"interval": [value.days, value.seconds, value.microseconds]}
    if isinstance(value, (list, tuple)):
        return {"list": [plain(item) for item in value]}
    if isinstance(value, dict):
        return {"map": [[plain(key), plain(item)] for key, item in value.items()]}
    return {type(value).__name__.lower(): str(value)}


def run_sqlite(job: dict[str, str], say: Any) -> None:
    try:
        import sqlite3
    except ImportError:
        say({"unsupported": "sqlite3"})
        return
    tables: set[Any] = set()
    read: set[Any] = set()
    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        connection.executescript(job["script"])
        tables.update(row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))
    except (sqlite3.Error, sqlite3.Warning, ValueError) as failure:
        say({"script_error": str(failure)[:300]})
        return
    with contextlib.suppress(sqlite3.Error):  # a SQLite without JSON
        # their first use writes to the schema, which no query may
        connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')").fetchall()

    def authorize(action: int, table: Any, *_: Any) -> int:
        if action == sqlite3.SQLITE_READ:
            read.add(table)
        return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY

    connection.set_authorizer(authorize)
    say({"ready": True})
    try:
        cursor = connection.execute(job["query"])
        deliver(cursor, say, reads=not tables.isdisjoint(read))
    except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError) as failure:
        say({"query_error": (str(failure) or type(failure).__name__)[:300]})


def run_duckdb(job: dict[str, str], say: Any) -> None:
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        say({"unsupported": "duckdb"})
        return
    settings = {"threads": "1", "autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    connection = duckdb.connect(":memory:", config=settings)
    try:
        connection.execute(job["script"])
    except Exception as failure:  # noqa: BLE001 - the engine's errors have no common base worth naming
        say({"script_error": str(failure)[:300]})
        return
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    with contextlib.suppress(Exception):  # the script may have left a transaction open
        connection.commit()
    # a SELECT may have a DELETE or INSERT among its common table expressions
    connection.execute("BEGIN TRANSACTION READ ONLY")
    say({"ready": True})
    try:
        statements = connection.extract_statements(job["query"])
        if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
            say({"query_error": "not authorized: a single SELECT is wanted"})
            return
        deliver(connection.execute(statements[0]), say, reads=duckdb_reads(connection, job["query"]))
    except Exception as failure:  # noqa: BLE001 - whatever the query makes the engine raise is the query's doing
        say({"query_error": (str(failure) or type(failure).__name__)[:300]})


def duckdb_reads(connection: Any, query: str) -> bool:
    """Whether a query reads a table; yes where DuckDB cannot say, as for PIVOT."""
    try:
        return bool(connection.get_table_names(query))
    except Exception:  # noqa: BLE001 - the engine's errors have no common base worth naming
        return True


def deliver(cursor: Any, say: Any, *, reads: bool) -> None:
    say({"columns": [column[0] for column in cursor.description or []], "reads": reads})
    count = 0
    while True:
        rows = cursor.fetchmany(500)
        if not rows:
            break
        count += len(rows)
        for row in rows:
            say([plain(value) for value in row])
    say({"end": count})


def main() -> None:
    job = json.load(sys.stdin)
    # a query that could write to standard output would write into its own result
    channel: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def say(message: Any) -> None:
        channel.write(json.dumps(message) + "\n")
        if isinstance(message, dict):
            channel.flush()

    {"sqlite": run_sqlite, "duckdb": run_duckdb}[job["dialect"]](job, say)
    channel.flush()


if __name__ == "__main__":
    main()
