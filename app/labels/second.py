"""What else the ledger knows of a population's responses: another subject's verdicts, and the answers."""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, select

from app.audits.population import within
from app.kit.db import Database
from app.tables import Reward, Verdict
from audits.judged import accepts
from trueward.audits import Population, Subject
from trueward.types import Outcome

_AT_ONCE = 5_000


class Answer(NamedTuple):
    """``text`` is what was read from the response; ``form`` what the evidence calls its form, else its shape."""

    text: str
    form: str


async def acceptances(db: Database, other: Subject, subject: Subject, population: Population) -> dict[str, bool | None]:
    """What ``other`` said of each sample of the population, wherever that was, by its latest record before the
    population's end."""
    from app.audits.records import chosen

    table = Verdict if other.verifier is not None else Reward
    score = Verdict.score if other.verifier is not None else Reward.reward
    judged = Verdict if subject.verifier is not None else Reward
    samples = select(judged.sample).where(*chosen(subject), *within(population, judged))
    query = select(table.sample, table.outcome, score)
    query = query.where(*chosen(other), table.sample.in_(samples))
    if population.until is not None:
        query = query.where(table.created_at < population.until)
    said: dict[str, bool | None] = {}
    line = other.threshold
    # once for each outcome, not for each of a million rows
    above, below = ({one.value: accepts(one, end, line) for one in Outcome} for end in (math.inf, -math.inf))
    async for rows in _parts(db, query, table):
        for sample, outcome, found in rows:
            reached = found is not None and (line is None or found >= line)
            said[sample] = None if found is None else (above if reached else below)[outcome]
    return said


async def answers(db: Database, subject: Subject, population: Population) -> dict[str, Answer]:
    """The answer that each verdict of a verifier read, by record; those without one are left out."""
    from app.audits.records import chosen

    evidence = Verdict.__table__.c.evidence
    entries = [evidence[name].as_string().label(name) for name in ("answer", "extracted", "form")]
    query = select(Verdict.record, *entries).where(*chosen(subject), *within(population, Verdict))
    found = {}
    async for rows in _parts(db, query, Verdict):
        for record, answer, extracted, form in rows:
            text = answer if answer is not None else extracted
            if text is not None:
                found[record] = Answer(text, form if form is not None else shape(text))
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
