"""``sql``: does the response's query return what the reference's query returns, on every database given?

Execution match (Spider's and BIRD's measure; the main term of Reasoning-SQL, arXiv 2503.23157), on SQLite or DuckDB.
Both queries run in the sandbox, each in a run of its own on a database of its own, so that neither can change what
the other sees, and the policy's run never holds the reference's query; the results come back as plain data and are
compared here (:mod:`verifiers.sql.rows` has the rules). A query may only read. Where the reference orders its rows
the order counts, ties included as the engine broke them.

Whose doing a failure is: all that happens before the database stands is the reference's or ours; what the policy's
query then does, limits included, is its own. Rows that a query spells out, where the reference reads a table, are a
guess. Not covered: guesses in a query that names a table, queries that write, several statements, columns in
another order.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, NotRequired

from pydantic import Field, JsonValue, StrictBool, with_config
from typing_extensions import TypedDict

from sandbox.base import Execution, Program, Sandbox, SandboxFailure, Status, Unsupported, Workspace
from sandbox.limits import MEMORY_BYTES, Limits
from trueward.authoring.verifier import Abstain, Example, Params, Task, Text, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.code.params import Level
from verifiers.extract import NoAnswer
from verifiers.fields import fields
from verifiers.legible import legible
from verifiers.legible import shorten as legible_shown
from verifiers.sandboxed import SandboxVerifier
from verifiers.sql.query import LONGEST, orders, query_of
from verifiers.sql.rows import Result, difference, read

_LONGEST_SCRIPT = 10_000_000
_MOST = 32
_RUNNER = Path(__file__).with_name("runner.py")
_ROWS_BYTES = 4 * 2**20
_LIMITS = (Status.TIME_LIMIT, Status.MEMORY_LIMIT, Status.OUTPUT_LIMIT, Status.SIGNALLED, Status.FORBIDDEN)
"""How a run ends that a query or a database was too much for."""
Dialect = Literal["sqlite", "duckdb"]


@with_config(extra="forbid")
class SqlReference(TypedDict):
    """As it is sent; or as the text of its JSON."""

    query: Text
    database: NotRequired[Text | list[Text]]
    ordered: NotRequired[StrictBool | None]


class AcceptedQuery(NamedTuple):
    """One acceptable query and its databases; hashable."""

    query: str
    scripts: tuple[str, ...]
    ordered: bool


def read_wanted(value: JsonValue) -> AcceptedQuery:
    """A reference as it was sent. Raises :class:`Abstain`.

    ``database`` may be a list of scripts, one a database, and ``ordered`` may say whether the order of rows counts
    (default: whether the query orders them).
    """
    found = fields(value, SqlReference)
    query, database, ordered = found.get("query"), found.get("database", ""), found.get("ordered")
    if not isinstance(query, str) or not query.strip():
        raise Abstain("reference_type", "the reference's query is not a text")
    scripts = database if isinstance(database, list) else [database]
    if not scripts or not all(isinstance(script, str) for script in scripts):
        raise Abstain("reference_type", "the reference's database is neither a script nor a list of scripts")
    if not (ordered is None or isinstance(ordered, bool)):
        raise Abstain("reference_type", "the reference's ordered is not true or false")
    texts = tuple(dict.fromkeys(legible(str(script)) for script in scripts))
    if len(query) > LONGEST or len(texts) > _MOST or sum(map(len, texts)) > _LONGEST_SCRIPT:
        raise Abstain("reference_too_large", "the reference's query or databases are too long or too many")
    query = legible(query).strip().rstrip(";\n\t ")
    return AcceptedQuery(query, texts, orders(query) if ordered is None else ordered)


class SqlParams(Params):
    dialect: Dialect = Field(default="sqlite", description="the engine, `sqlite` or `duckdb`")
    check: Literal["execution", "syntax"] = Field(
        default="execution",
        description="`execution`: the query returns what the reference's returns; `syntax`: it runs without an error",
    )
    tolerance: float = Field(
        default=1e-6, ge=0, le=0.1, description="tolerance of floats, relative, and absolute below 1"
    )
    wall_s: float = Field(default=10.0, gt=0, le=300, description="seconds of one run, the database's set-up included")
    memory_bytes: int = Field(default=MEMORY_BYTES, ge=64 * 2**20, le=64 * 2**30, description="memory of one run")
    feedback: Level = Field(
        default="status",
        description="what the verdict's feedback tells the policy: nothing, the `status`, the engine's error and how "
        "the rows differ without the reference's (`redacted`), or those too (`full`)",
    )


class Query(NamedTuple):
    """What is run and against what; equal ones are run once."""

    text: str
    rule: str
    wanted: tuple[AcceptedQuery, ...]


class SqlVerifier(SandboxVerifier[SqlParams]):
    name: ClassVar[str] = "sql"
    version: ClassVar[str] = "7"
    summary: ClassVar[str] = "Execution match of an SQL query with the reference's query, on SQLite or DuckDB"
    Reference: ClassVar[Any] = SqlReference | Text
    Params: ClassVar[type[Params]] = SqlParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(
                response="```sql\nSELECT name FROM city WHERE people > 1e6\n```",
                reference={
                    "query": "SELECT c.name FROM city c WHERE c.people > 1000000",
                    "database": "CREATE TABLE city(name, people); "
                    "INSERT INTO city VALUES ('Rome', 2748109), ('Bern', 134794)",
                },
            ),
            outcome="correct",
        ),
        Example(
            sample=Sample(
                response="SELECT 2 UNION ALL SELECT 1", reference={"query": "SELECT 1 UNION ALL SELECT 2 ORDER BY 1"}
            ),
            outcome="incorrect",
        ),
        Example(
            sample=Sample(response="I would join both tables.", reference={"query": "SELECT 1"}), outcome="invalid"
        ),
        Example(sample=Sample(response="SELECT 1", reference={"query": "SELEKT 1"}), outcome="abstained"),
    )

    @property
    def limit_s(self) -> float:
        return self.params.wall_s

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        references = tuple(read_wanted(value) for value in sample.references)
        query = query_of(sample)
        if isinstance(query, NoAnswer):
            return Verdict.invalid(query.reason_code, query.reason)
        return Query(query.text, query.rule, references)

    async def execute(self, task: Task, sandbox: Sandbox) -> Verdict:
        assert isinstance(task, Query)
        limits = Limits(
            wall_s=self.params.wall_s,
            cpu_s=self.params.wall_s,
            memory_bytes=self.params.memory_bytes,
            output_bytes=_ROWS_BYTES,
        )
        program = Program("python", _RUNNER.read_text(encoding="utf-8"))
        async with sandbox.open(program, limits) as workspace:
            first: Verdict | None = None
            for reference in task.wanted:
                verdict = await self._against(reference, task, workspace)
                if verdict.outcome == "correct" or verdict.outcome.missing:
                    return verdict
                first = first or verdict
        assert first is not None
        return first

    async def _against(self, reference: AcceptedQuery, task: Query, workspace: Workspace) -> Verdict:
        """The verdict against one reference: the first database that tells them apart decides."""
        evidence: dict[str, JsonValue] = {"extracted": legible_shown(task.text), "rule": task.rule}
        evidence["databases"] = passed = []
        for script in reference.scripts:
            try:
                gold, seconds = await self._gold(reference.query, script, workspace)
            except Abstain as refusal:
                return Verdict.abstained(refusal.reason_code, refusal.reason)
            given = await self._run(task.text, script, workspace)
            if not given[1].ready and (given[0].status not in _LIMITS or 2 * seconds > self.params.wall_s):
                # it ended before its query began, on a database that had just stood for the reference
                raise SandboxFailure(f"setting up the database ended with {given[0].status}")
            found = await asyncio.to_thread(self._judge, given, gold, reference)
            entry: dict[str, JsonValue] = {
                "passed": found is None,
                "rows": len(given[1].rows) if given[1].complete else None,
            }
            passed.append(entry)
            if found is not None:
                entry["expected_rows"] = len(gold.rows)
                code, reason, more = found
                feedback = self._feedback(code, reason, more)
                return Verdict.incorrect(code, legible_shown(reason), evidence=evidence, feedback=feedback)
        if self.params.check == "syntax":
            return Verdict.correct("query_runs", "the query runs without an error", evidence=evidence)
        return Verdict.correct("equal_result", "the query returns the reference's rows", evidence=evidence)

    async def _run(self, query: str, script: str, workspace: Workspace) -> tuple[Execution, Result]:
        job = json.dumps({"dialect": self.params.dialect, "script": script, "query": query})
        execution = await workspace.run(job.encode())
        return execution, await asyncio.to_thread(read, execution.stdout)

    async def _gold(self, query: str, script: str, workspace: Workspace) -> tuple[Result, float]:
        """The reference's rows, and the seconds of its run.

        Raises Abstain where they cannot be had, Unsupported without the engine.
        """
        execution, result = await self._run(query, script, workspace)
        if result.unsupported:
            module = result.unsupported
            raise Unsupported(f"the sandbox's Python cannot import {module}: install the package {module} there")
        if result.script_error:
            raise Abstain("database_invalid", f"the database cannot be set up: {legible_shown(result.script_error)}")
        if result.query_error:
            raise Abstain("reference_unparsable", f"the reference's query fails: {legible_shown(result.query_error)}")
        if result.complete:
            return result, execution.usage.wall_s
        if execution.status not in _LIMITS:
            raise SandboxFailure(f"the SQL runner ended with {execution.status} and no result")
        raise Abstain("reference_resource_limit", f"the reference's query or database ended with {execution.status}")

    def _judge(
        self, given: tuple[Execution, Result], gold: Result, reference: AcceptedQuery
    ) -> tuple[str, str, str] | None:
        """Why the policy's query fails: code, reason, and what only full feedback may say; None where it passes."""
        execution, result = given
        if not result.complete:
            return self._failed(execution, result)
        if self.params.check == "syntax":
            return None
        if gold.reads and not result.reads:
            return "reads_no_table", "the query reads no table of the database: it spells its rows out", ""
        reason = difference(result, gold, ordered=reference.ordered, tolerance=self.params.tolerance)
        if reason is None:
            return None
        order = "in this order" if reference.ordered else "in any order"
        wanted_rows = "; ".join(map(str, gold.rows[:20]))
        return "unequal_result", reason, f"{len(gold.rows)} rows are wanted, {order}: {wanted_rows}"

    def _failed(self, execution: Execution, result: Result) -> tuple[str, str, str]:
        if result.query_error:
            return "query_failed", result.query_error, ""
        if execution.status is Status.FINISHED:
            return "query_failed", "the result cannot be read", ""
        return str(execution.status), f"the query ended with {execution.status}", ""

    def _feedback(self, code: str, reason: str, more: str) -> str | None:
        level = self.params.feedback
        if level == "none":
            return None
        said = f"incorrect: {code}"
        if level != "status":
            said += f"\n{reason}"
        if level == "full":
            said += f"\n{more}"
        return said[:4000]
