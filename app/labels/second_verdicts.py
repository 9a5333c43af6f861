"""What else the ledger knows of a population's responses: another subject's verdicts, and the answers."""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, select

from app.audits.population import within
from app.kit.db import Database
from app.tables import Reward, Verdict
from audits.subject_verdict import accepts
from trueward.wire.audit import Population, Subject
from trueward.wire.verdict import Outcome

_AT_ONCE = 5_000
_MANY = 4
"""Up to so many verdicts for a sample are read in their order, and those on other samples left out here: to look up
each sample takes six times as long."""


class ReadAnswer(NamedTuple):
    """``text`` is what was read from the response; ``form`` what the evidence calls its form, else its shape."""

    text: str
    form: str


async def acceptances(
    db: Database, other: Subject, subject: Subject, population: Population, known: AbstractSet[str] | None = None
) -> dict[str, bool | None]:
    """What ``other`` said of each sample of the population, wherever that was, by its latest record before the
    population's end. ``known`` are those samples, where they were read already."""
    from app.audits.records import match_subject

    table = Verdict if other.verifier is not None else Reward
    score = Verdict.score if other.verifier is not None else Reward.reward
    conditions = match_subject(other)
    if population.until is not None:
        conditions.append(table.created_at < population.until)
    query = select(table.sample, table.outcome, score).where(*conditions)
    if known is None or await _more_than(db, table, conditions, _MANY * len(known)):
        judged = Verdict if subject.verifier is not None else Reward
        samples = select(judged.sample).where(*match_subject(subject), *within(population, judged))
        query, known = query.where(table.sample.in_(samples)), None
    said: dict[str, bool | None] = {}
    line = other.threshold
    # once for each outcome, not for each of a million rows
    above, below = ({one.value: accepts(one, end, line) for one in Outcome} for end in (math.inf, -math.inf))
    async for rows in _parts(db, query, table):
        for sample, outcome, found in rows:
            if known is not None and sample not in known:
                continue
            reached = found is not None and (line is None or found >= line)
            said[sample] = None if found is None else (above if reached else below)[outcome]
    return said


async def _more_than(
    db: Database, table: type[Verdict] | type[Reward], conditions: Sequence[ColumnElement[bool]], most: int
) -> bool:
    some = select(table.record).where(*conditions).limit(1).offset(most)
    async with db.read() as connection:
        return (await connection.execute(some)).first() is not None


async def answers(db: Database, subject: Subject, population: Population) -> dict[str, ReadAnswer]:
    """The answer that each verdict of a verifier read, by record; those without one are left out."""
    from app.audits.records import match_subject

    evidence = Verdict.__table__.c.evidence
    entries = [evidence[name].as_string().label(name) for name in ("answer", "extracted", "form")]
    query = select(Verdict.record, *entries).where(*match_subject(subject), *within(population, Verdict))
    found = {}
    async for rows in _parts(db, query, Verdict):
        for record, answer, extracted, form in rows:
            text = answer if answer is not None else extracted
            if text is not None:
                found[record] = ReadAnswer(text, form if form is not None else shape(text))
    return found


def shape(text: str) -> str:
    """The form of an answer by its looks: ``3/14 cm`` and ``5/6 kg`` are both ``0/0 a``."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", " ".join(text.split())))[:64]


async def _parts(
    db: Database, query: Select[*tuple[Any, ...]], table: type[Verdict] | type[Reward]
) -> AsyncIterator[Sequence[Row[*tuple[Any, ...]]]]:
    """In the order of the ledger. Asked once, not page by page: a subquery would be looked up anew for each page."""
    async with db.read() as connection:
        result = await connection.stream(query.order_by(table.record))
        async for rows in result.partitions(_AT_ONCE):
            yield rows
