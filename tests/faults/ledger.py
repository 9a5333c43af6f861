"""What a load was told, held against what it should have been told and against what the ledger has."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import text

from app.kit.db import Database
from tests.faults.load import Load
from tests.faults.shapes import Answer
from tests.faults.truth import tag_of


class Row(NamedTuple):
    record: str
    number: float | None


@dataclass(slots=True)
class Report:
    """``wrong``: answers and rows that say what is not so; ``lost``: answers that the ledger lacks."""

    answered: int = 0
    missing: int = 0
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)


def check(load: Load, database_url: str) -> Report:
    """Fails where anything was lost, invented, recorded twice, or answered against a protocol.

    While the load goes on it speaks of what was answered before the call. The job is to be whole once the load ended.
    """
    said = [answer for exchange in list(load.exchanges) for answer in exchange.answers] + load.job_results
    report = compare(load, said, asyncio.run(_rows(database_url)))
    assert not load.broken, load.broken[:5]
    assert not report.wrong, report.wrong[:5]
    assert not report.lost, report.lost[:5]
    assert not report.twice, report.twice[:5]
    if load.job and load.ended:
        assert len(load.job_results) == load.job
    assert report.answered
    return report


def compare(load: Load, said: Sequence[Answer], rows: Mapping[str, Sequence[Row]]) -> Report:
    report = Report()
    for tag in rows.keys() & load.truth.known.keys():
        right, stored = load.truth.known[tag].right, rows[tag]
        report.wrong += [
            f"{tag} is {right}, the ledger says {row}" for row in stored if row.number not in (None, right)
        ]
        if len(stored) > 1:
            report.twice.append(f"{tag}: {stored}")
    for answer in said:
        report.answered += 1
        right, stored = load.truth.known[answer.tag].right, rows.get(answer.tag, ())
        if answer.missing:
            report.missing += 1
        elif answer.number == right:
            found = [row for row in stored if row.number == right and answer.record in (None, row.record)]
            report.lost += [] if found else [f"{answer} is not among {stored}"]
        elif answer.record is None and answer.number == 0.0 and not any(row.number is not None for row in stored):
            report.missing += 1  # a number that stands in, before there was any mean
        else:
            report.wrong.append(f"{answer} is {right}")
    double = [tag for tag, count in Counter(answer.tag for answer in said).items() if count > 1]
    report.twice += [f"{tag} was answered twice" for tag in double]
    return report


async def _rows(database_url: str) -> dict[str, list[Row]]:
    """The ledger's numbers by tag: rewards, and the verdicts of what was only verified."""
    queries = (
        "SELECT s.content, r.record, r.reward FROM rewards r JOIN samples s ON s.fingerprint = r.sample",
        "SELECT s.content, v.record, v.score FROM verdicts v JOIN samples s ON s.fingerprint = v.sample "
        "WHERE v.run = 'program'",
    )
    found: dict[str, list[Row]] = {}
    async with Database(database_url) as db, db.read() as connection:
        for query in queries:
            for content, record, number in await connection.execute(text(query)):
                found.setdefault(tag_of(content), []).append(Row(record, number))
    return found
