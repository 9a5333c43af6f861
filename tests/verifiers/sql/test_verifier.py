"""The two queries meet only in their results, and whose doing a failure is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sandbox.base import Execution, Program, SandboxFailure, Status, Unsupported, Usage
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from trueward import Sample, Verdict
from verifiers.sql import SqlVerifier
from verifiers.sql.verifier import SqlParams

pytestmark = pytest.mark.asyncio(loop_scope="module")
CANARY = "zq7canary"
DATABASE = "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'); CREATE VIEW v AS SELECT a FROM t"


class Recording:
    """A workspace that answers from a script, and keeps what it was given."""

    compiled = None

    def __init__(self, *answers: Execution) -> None:
        self.answers = list(answers)
        self.seen: list[bytes] = []

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        self.seen.append(stdin)
        return self.answers.pop(0)


class Scripted:
    """A sandbox with one such workspace."""

    name = "scripted"

    def __init__(self, workspace: Recording) -> None:
        self.workspace = workspace

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[Recording]:
        yield self.workspace

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        raise Unsupported("no pairs here")

    async def languages(self) -> dict[str, str]:
        return {}

    async def close(self) -> None:
        return None


def ended(status: Status, stdout: bytes = b"", wall_s: float = 0.1) -> Execution:
    return Execution(status, Usage(wall_s, wall_s, 0), stdout=stdout)


ROWS = b'{"ready": true}\n{"columns": ["a"]}\n[1]\n{"end": 1}\n'
READY = b'{"ready": true}\n'


async def judged(sandbox: object, response: str, query: str, **params: object) -> Verdict:
    verifier = SqlVerifier(SqlParams.model_validate(params))
    sample = Sample(response=response, reference={"query": query, "database": DATABASE})
    task = verifier.triage(sample)
    assert not isinstance(task, Verdict)
    return await verifier.execute(task, sandbox)  # type: ignore[arg-type]  # a sandbox or a stand-in of its shape


async def test_the_policys_run_never_holds_the_references_query() -> None:
    workspace = Recording(ended(Status.FINISHED, ROWS), ended(Status.FINISHED, ROWS))
    await judged(Scripted(workspace), "SELECT a FROM t", f"SELECT a AS {CANARY} FROM t LIMIT 1")
    assert [CANARY.encode() in stdin for stdin in workspace.seen] == [True, False]


@pytest.mark.parametrize(
    ("status", "stdout", "code"),
    [
        (Status.TIME_LIMIT, READY, "time_limit"),
        (Status.TIME_LIMIT, b"", "time_limit"),  # a backend that keeps no output of a killed program
        (Status.MEMORY_LIMIT, READY, "memory_limit"),
        (Status.OUTPUT_LIMIT, ROWS[:-4], "output_limit"),
        (Status.SIGNALLED, READY, "signalled"),
        (Status.NONZERO_EXIT, READY, "nonzero_exit"),
        (Status.FINISHED, READY, "query_failed"),
    ],
)
async def test_what_the_query_exhausts_is_its_own_doing(status: Status, stdout: bytes, code: str) -> None:
    verdict = await judged(
        Scripted(Recording(ended(Status.FINISHED, ROWS), ended(status, stdout))), "SELECT 1", "SELECT 1"
    )
    assert (verdict.outcome, verdict.reason_code) == ("incorrect", code)


async def test_a_limit_in_the_references_run_is_the_references() -> None:
    verdict = await judged(Scripted(Recording(ended(Status.TIME_LIMIT))), "SELECT 1", "SELECT 1")
    assert (verdict.outcome, verdict.reason_code) == ("abstained", "reference_resource_limit")


async def test_a_database_that_nearly_exhausts_the_time_by_itself_is_charged_to_nobody() -> None:
    workspace = Recording(ended(Status.FINISHED, ROWS, wall_s=9.0), ended(Status.TIME_LIMIT))
    with pytest.raises(SandboxFailure):
        await judged(Scripted(workspace), "SELECT 1", "SELECT 1", wall_s=10)


async def test_a_runner_that_breaks_is_our_failure() -> None:
    with pytest.raises(SandboxFailure):
        await judged(Scripted(Recording(ended(Status.NONZERO_EXIT))), "SELECT 1", "SELECT 1")


async def test_an_engine_that_is_missing_is_named() -> None:
    with pytest.raises(Unsupported, match="duckdb"):
        await judged(Scripted(Recording(ended(Status.FINISHED, b'{"unsupported": "duckdb"}'))), "SELECT 1", "SELECT 1")


async def test_a_policy_cannot_claim_that_an_engine_is_missing() -> None:
    claim = ended(Status.FINISHED, READY + b'{"unsupported": "sqlite3"}')
    verdict = await judged(Scripted(Recording(ended(Status.FINISHED, ROWS), claim)), "SELECT 1", "SELECT 1")
    assert verdict.outcome == "incorrect"


@pytest.mark.parametrize("level", ["none", "status", "redacted", "full"])
async def test_wanted_rows_are_told_at_full_level_alone(sandbox: LocalSandbox, level: str) -> None:
    verdict = await judged(sandbox, "SELECT a FROM t", f"SELECT '{CANARY}' UNION ALL SELECT 'b'", feedback=level)
    assert verdict.outcome == "incorrect"
    assert (CANARY in verdict.model_dump_json()) is (level == "full")
    assert (verdict.feedback is None) is (level == "none")


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM t",
        "DROP TABLE t",
        "UPDATE t SET a = 1",
        "CREATE TABLE u(a)",
        "PRAGMA writable_schema = 1",
        "ATTACH '/tmp/other.db' AS o",
        "VACUUM INTO '/tmp/other.db'",
        "INSERT INTO t VALUES (3, 'z') RETURNING a",
        "SELECT load_extension('x')",
        "SELECT 1; DROP TABLE t",
        "SELECT zeroblob(1 << 40)",
        "SELECT " + "(" * 2000 + "1" + ")" * 2000,
        "SELECT a FROM t WHERE a = \x00",
    ],
)
async def test_a_query_may_only_read(sandbox: LocalSandbox, query: str) -> None:
    verdict = await judged(sandbox, f"```sql\n{query}\n```", "SELECT count(*) FROM t")
    assert (verdict.outcome, verdict.reason_code) == ("incorrect", "query_failed")


async def test_every_database_has_to_agree(sandbox: LocalSandbox) -> None:
    verifier = SqlVerifier()
    scripts = [f"CREATE TABLE t(a); INSERT INTO t VALUES {rows}" for rows in ("(1)", "(1), (1)", "(1), (2)")]
    reference = {"query": "SELECT count(DISTINCT a) FROM t", "database": scripts}
    task = verifier.triage(Sample(response="SELECT max(a) FROM t", reference=reference))
    assert not isinstance(task, Verdict)
    assert (await verifier.execute(task, sandbox)).outcome == "correct"
    task = verifier.triage(Sample(response="SELECT count(a) FROM t", reference=reference))
    assert not isinstance(task, Verdict)
    verdict = await verifier.execute(task, sandbox)
    assert verdict.evidence["databases"] == [
        {"passed": True, "rows": 1},
        {"passed": False, "rows": 1, "expected_rows": 1},
    ]


async def test_duckdb_runs_where_it_is_installed_and_is_named_where_not(sandbox: LocalSandbox) -> None:
    try:
        verdict = await judged(sandbox, "SELECT b FROM t WHERE a = 2", "SELECT 'y'", dialect="duckdb")
    except Unsupported as refusal:
        assert "duckdb" in str(refusal)  # noqa: PT017 - either is right, by what the host has
    else:
        assert verdict.reason_code == "reference_unparsable" or verdict.outcome == "correct"


GUESSES = [
    "SELECT {0}",
    "VALUES ({0})",
    "SELECT {0} WHERE 1",
    "SELECT * FROM (SELECT {0})",
    "WITH t AS (SELECT {0} AS a) SELECT a FROM t",
    "WITH RECURSIVE c(x) AS (SELECT {0} UNION ALL SELECT x + 1 FROM c WHERE x < 0) SELECT x FROM c",
    "SELECT value FROM json_each('[{0}]')",
    "SELECT {0} EXCEPT SELECT -99",
    "SELECT {0} FROM (SELECT name FROM sqlite_master LIMIT 1)",
]


@pytest.mark.parametrize("guess", GUESSES)
async def test_rows_that_a_query_spells_out_are_a_guess(sandbox: LocalSandbox, guess: str) -> None:
    for query, said in (("SELECT count(*) FROM t", "2"), ("SELECT a FROM t WHERE b = 'y'", "2")):
        verdict = await judged(sandbox, guess.format(said), query)
        assert verdict.reason_code == "reads_no_table", (guess, verdict)
        assert (await judged(sandbox, guess.format(said), f"SELECT {said}")).outcome == "correct"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM t",
        "SELECT 2 FROM t LIMIT 1",
        "SELECT (SELECT count(*) FROM t)",
        "WITH w AS (SELECT * FROM t) SELECT count(*) FROM w",
        "SELECT max(a) FROM v",
    ],
)
async def test_a_query_that_reads_a_table_is_judged_by_its_rows(sandbox: LocalSandbox, query: str) -> None:
    assert (await judged(sandbox, query, "SELECT count(b) FROM t")).outcome == "correct"
