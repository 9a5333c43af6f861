"""DuckDB through the verifier, in the tests' Python: what is right, what is a guess, and what a query must not do."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sandbox.base import Execution, Program, Status, Unsupported, Usage
from sandbox.limits import Limits
from trueward import Sample, Verdict
from verifiers.sql import SqlVerifier
from verifiers.sql.verifier import SqlParams

pytestmark = pytest.mark.asyncio(loop_scope="module")
DATABASE = """
    BEGIN; CREATE TABLE t(a INTEGER, b VARCHAR); INSERT INTO t VALUES (1, 'x'), (2, 'y'); COMMIT;
    CREATE VIEW v AS SELECT a FROM t; CREATE SEQUENCE s; CREATE SCHEMA m; CREATE TABLE m.u AS SELECT 5 AS c;
    CREATE MACRO biggest() AS (SELECT max(a) FROM t)
"""


class Process:
    """A workspace that runs a program in this Python: nothing of it is a jail, so what must not happen is the engine's
    to refuse."""

    compiled = None

    def __init__(self, program: Program, folder: Path) -> None:
        self._program = program
        self._folder = folder

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        command = (sys.executable, "-c", self._program.source)
        started = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=self._folder)
        stdout, stderr = await started.communicate(stdin)
        return Execution(Status.FINISHED, Usage(0.1, 0.1, 0), stdout=stdout, stderr=stderr)


class Here:
    """A sandbox of such workspaces."""

    name = "here"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[Process]:
        yield Process(program, self._folder)

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        raise Unsupported("no pairs here")

    async def languages(self) -> dict[str, str]:
        return {}

    async def close(self) -> None:
        return None


async def judged(folder: Path, response: str, query: str, database: str = DATABASE) -> Verdict:
    verifier = SqlVerifier(SqlParams(dialect="duckdb", feedback="full"))
    fenced = f"```sql\n{response}\n```"
    task = verifier.triage(Sample(response=fenced, reference={"query": query, "database": database}))
    assert not isinstance(task, Verdict), task
    return await verifier.execute(task, Here(folder))


RIGHT = [
    ("FROM t SELECT a WHERE b = 'y'", "SELECT a FROM t WHERE a = 2"),
    ("SELECT * FROM v ORDER BY a", "SELECT a FROM t ORDER BY 1"),
    ("SELECT c FROM m.u", "SELECT 5 FROM m.u"),
    ("SELECT biggest()", "SELECT max(a) FROM t"),
    ("SELECT x, y FROM (PIVOT t ON b IN ('x', 'y') USING sum(a))", "SELECT 1::HUGEINT, 2::HUGEINT FROM t LIMIT 1"),
    ("SELECT * FROM query_table('t')", "FROM t"),
    ("SELECT avg(a) FROM t", "SELECT 1.5::DOUBLE FROM t LIMIT 1"),
    ("SELECT list(a ORDER BY a) FROM t", "SELECT [1, 2] FROM t LIMIT 1"),
    ("WITH RECURSIVE c AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM c WHERE x < 3) FROM c", "FROM range(1, 4)"),
]


@pytest.mark.parametrize(("response", "query"), RIGHT)
async def test_an_equal_result_is_right(tmp_path: Path, response: str, query: str) -> None:
    verdict = await judged(tmp_path, response, query)
    assert verdict.outcome == "correct", verdict


@pytest.mark.parametrize(
    "response", ["SELECT a + 1 FROM t", "SELECT b FROM t", "SELECT a::VARCHAR FROM t", "SELECT a > 0 FROM t"]
)
async def test_another_result_is_wrong(tmp_path: Path, response: str) -> None:
    verdict = await judged(tmp_path, response, "SELECT a FROM t")
    assert (verdict.outcome, verdict.reason_code) == ("incorrect", "unequal_result")


GUESSES = [
    "SELECT {0}",
    "VALUES ({0})",
    "WITH t AS (SELECT {0} AS a) SELECT a FROM t",
    "SELECT a FROM (VALUES ({0})) t(a)",
    "SELECT unnest([{0}])",
    "FROM range({0}, {0} + 1)",
    "SELECT * FROM query('SELECT {0}')",
    "SELECT x FROM (PIVOT (SELECT {0} AS a, 'x' AS b) ON b IN ('x') USING max(a))",
    "SELECT value FROM (UNPIVOT (SELECT {0} AS a) ON a)",
    "SELECT {0} FROM pragma_table_info('t') LIMIT 1",
    "SELECT {0} FROM duckdb_tables() LIMIT 1",
    "SELECT {0} FROM information_schema.tables LIMIT 1",
    "SELECT {0} FROM (SHOW TABLES) LIMIT 1",
    "SELECT $${0}$$::INT",
]


@pytest.mark.parametrize("guess", GUESSES)
async def test_rows_that_a_query_spells_out_are_a_guess(tmp_path: Path, guess: str) -> None:
    verdict = await judged(tmp_path, guess.format(2), "SELECT count(*)::INT FROM t")
    assert (verdict.outcome, verdict.reason_code) == ("incorrect", "reads_no_table"), verdict


FORBIDDEN = [
    "WITH gone AS (DELETE FROM t RETURNING a) SELECT a FROM gone",
    "WITH new AS (INSERT INTO t VALUES (1, 'x'), (2, 'y') RETURNING a) SELECT a FROM new",
    "WITH new AS (UPDATE t SET a = a RETURNING a) SELECT a FROM new",
    "SELECT a FROM t WHERE nextval('s') > 0",
    "DELETE FROM t RETURNING a",
    "INSERT INTO t VALUES (1, 'x') RETURNING a",
    "SELECT a FROM t; DROP TABLE t",
    "COMMIT; SELECT a FROM t",
    "COPY t TO 'written.csv'",
    "EXPORT DATABASE 'written'",
    "ATTACH 'written.db' AS w",
    "SET enable_external_access = true",
    "PRAGMA database_list",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SELECT a FROM t UNION ALL SELECT 1 FROM read_text('{file}')",
    "SELECT a FROM t UNION ALL SELECT 1 FROM read_csv('{file}')",
    "SELECT a FROM t UNION ALL SELECT 1 FROM '{file}'",
    "SELECT a FROM t UNION ALL SELECT 1 FROM glob('/*')",
    "SELECT a FROM t UNION ALL SELECT 1 FROM read_json_auto('/proc/self/environ')",
    "SELECT a FROM t UNION ALL SELECT 1 FROM read_csv('https://example.invalid/a.csv')",
    "EXPLAIN ANALYZE SELECT a FROM t",
    "SELECT a FROM t WHERE a = ?",
    "SELECT error('x') FROM t",
    "SELECT a FROM",
]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret.csv"
    file.write_text("zq7secret\n")
    return file


@pytest.mark.parametrize("query", FORBIDDEN)
async def test_a_query_may_only_read_the_database(tmp_path: Path, secret: Path, query: str) -> None:
    file = secret
    verdict = await judged(tmp_path, query.replace("{file}", str(file)), "SELECT a FROM t")
    assert (verdict.outcome, verdict.reason_code) == ("incorrect", "query_failed"), verdict
    assert os.listdir(tmp_path) == [file.name]  # noqa: PTH208 - pathlib's own blocks, to ruff's mind
    assert "zq7secret" not in verdict.model_dump_json()


async def test_a_script_that_leaves_its_transaction_open_stands(tmp_path: Path) -> None:
    database = "BEGIN; CREATE TABLE t AS SELECT 7 AS a"
    assert (await judged(tmp_path, "SELECT a FROM t", "FROM t", database)).outcome == "correct"
