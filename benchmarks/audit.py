"""How long an audit of a million stored verdicts takes, on SQLite and on PostgreSQL.

``python -m benchmarks.audit [--short | --long]``. Verdicts in groups of eight and a label for each are written in bulk;
then they are audited in a process of its own: cluster bootstrap, slices, rates for recipes. Needs the PostgreSQL of
``make postgres``, or the one that ``TRUEWARD_BENCHMARK_POSTGRES_URL`` names.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import resource
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import asyncpg
from sqlalchemy import insert, make_url, text

from app.audits.ledger import StoredLedger
from app.kit.db import Database
from app.kit.migrate import upgrade
from app.kit.tokens import new_id
from app.tables import Label, Sample, Table, Verdict
from audits.labelled.audit import labelled
from audits.ports import Judging, Work
from audits.statistics.confusion import Confusion
from benchmarks.ledger_rows import GROUP, Row, label_row, sample_row, verdict_row
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from trueward.wire.audit import LabelledAudit, Subject

SERVER = os.environ.get("TRUEWARD_BENCHMARK_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
SCALES: dict[Form, int] = {"short": 800, "quick": 100_000, "long": 1_000_000}
WITHIN_S = 60.0
AT_ONCE = 8_000
RATES = {"plain": (0.02, 0.05), "fraction": (0.02, 0.2), "odd": (0.4, 0.3)}
"""False-positive and false-negative rate by the answer's form. Half of the errors come in whole groups."""

SPEC = LabelledAudit(
    subject=Subject(verifier="math"), by=["data_source", "form", "length"], rates_by=["form", "length"]
)


@dataclass(frozen=True, slots=True)
class Audited:
    """What an audit in a process of its own took, and the matrix that it found."""

    database: str
    written_s: float
    audit_s: float
    most_memory_bytes: int
    false_positive: tuple[float, float, float]
    counts: Confusion


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("audit", (__doc__ or "").partition("\n")[0], arguments)
    count = SCALES[call.form]
    with TemporaryDirectory(prefix="trueward-audit-") as data_dir:
        # the short form audits both in one process: that it has the most memory of the two means nothing there
        tasks = 2 if call.form == "short" else 1
        spawned = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(max_workers=1, mp_context=spawned, max_tasks_per_child=tasks) as auditors:
            found, planted = asyncio.run(_both(count, Path(data_dir), auditors))
    aims = [_aim(one, count) for one in found]
    rows(
        f"An audit of {count:,} verdicts",
        ("database", "written, s", "audited, s", "most memory, MiB"),
        [
            (one.database, f"{one.written_s:.1f}", f"{one.audit_s:.1f}", f"{one.most_memory_bytes / 2**20:.0f}")
            for one in found
        ],
    )
    show_aims(aims)
    finish(
        "audit",
        call,
        {"scale": {"verdicts": count, "group": GROUP}, "audits": found, "aims": aims},
        {"both audits found the matrix that was planted": all(one.counts == planted for one in found)},
    )


async def _both(count: int, data_dir: Path, auditors: Executor) -> tuple[list[Audited], Confusion]:
    sqlite = f"sqlite:///{data_dir / 'trueward.db'}"
    found = []
    await upgrade(sqlite)
    planted, audited = await _planted_and_audited(sqlite, count, auditors)
    found.append(audited)
    async with _postgres() as url:
        found.append((await _planted_and_audited(url, count, auditors))[1])
    return found, planted


@asynccontextmanager
async def _postgres() -> AsyncIterator[str]:
    """The URL of a migrated database of its own, dropped afterwards."""
    name = f"trueward_benchmark_{new_id().lower()}"
    await _on_server(f'CREATE DATABASE "{name}"')
    try:
        url = make_url(SERVER).set(database=name).render_as_string(hide_password=False)
        await upgrade(url)
        yield url
    finally:
        await _on_server(f'DROP DATABASE "{name}" WITH (FORCE)')


async def _on_server(statement: str) -> None:
    connection = await asyncpg.connect(SERVER, timeout=10)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _planted_and_audited(url: str, count: int, auditors: Executor) -> tuple[Confusion, Audited]:
    began = time.monotonic()
    async with Database(url) as db:
        planted = await _plant(db, count)
        async with db.write() as connection:
            await connection.execute(text("ANALYZE"))
    written_s = round(time.monotonic() - began, 2)
    return planted, await asyncio.get_running_loop().run_in_executor(auditors, audited, url, written_s)


def audited(url: str, written_s: float) -> Audited:
    """Audits what is stored there, in this process."""
    return asyncio.run(_audited(url, written_s))


async def _audited(url: str, written_s: float) -> Audited:
    async with Database(url) as db:
        began = time.monotonic()
        report = await labelled(SPEC, Work("benchmark", StoredLedger(db), cast("Judging", None), _silent))
        audit_s = time.monotonic() - began
        clustered = next(one for one in report.false_positives if one.method == "cluster_bootstrap")
        matrix: Any = report.findings["confusion"]
        assert clustered.rate is not None
        assert clustered.interval is not None
        return Audited(
            database=db.dialect,
            written_s=written_s,
            audit_s=round(audit_s, 2),
            most_memory_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            false_positive=(clustered.rate, *clustered.interval),
            counts=Confusion(**matrix),
        )


async def _silent(done: int, total: int) -> None:
    """Nobody waits for this audit."""


async def _plant(db: Database, count: int) -> Confusion:
    """Samples, verdicts and labels; what a matrix of them must be."""
    cells = [0] * 6
    items = _items(count)
    while batch := list(islice(items, AT_ONCE)):
        for _, verdict, label in batch:
            column = {"correct": 0, "incorrect": 1}.get(verdict["outcome"], 2)
            cells[column + (0 if label["right"] else 3)] += 1
        for place, table in enumerate((Sample, Verdict, Label)):
            await _insert(db, table, [item[place] for item in batch])
    return Confusion(*cells)


async def _insert(db: Database, table: type[Table], batch: list[Row]) -> None:
    async with db.write() as connection:
        await connection.execute(insert(table), batch)


def _items(count: int) -> Iterator[tuple[Row, Row, Row]]:
    """Responses of some hundred characters, half of them right; one verdict in a hundred is missing."""
    chance = random.Random(1)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    for place in range(count):
        if place % GROUP == 0:
            form = chance.choice(list(RATES))
            whole_group = chance.random()
        right = chance.random() < 0.5
        missed = RATES[form][right]
        wrong = whole_group < missed if chance.random() < 0.5 else chance.random() < missed
        lost = chance.random() < 0.01
        accepted = right != wrong
        length = chance.randrange(100, 3_000)
        sample = sample_row(place, f"Response {place}: " + "and so on, " * (length // 11), at)
        said, group = None if lost else accepted, f"group {place // GROUP}"
        verdict = verdict_row(sample, place, at, verifier="math", accepted=said, form=form, group=group)
        yield sample, verdict, label_row(sample, right, at)


def _aim(found: Audited, count: int) -> Aim:
    return Aim(
        name=f"an audit of {count:,} verdicts on {found.database}",
        target=f"at most {WITHIN_S:g} s",
        reached=f"{found.audit_s:g} s",
        met=found.audit_s <= WITHIN_S,
        limit="rows that the driver hands over one by one; the bootstrap takes seconds",
    )


if __name__ == "__main__":
    main()
