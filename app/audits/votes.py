"""What several subjects say of the same samples, counted by the database: how often each pattern of votes occurs.

There are at most 3^V patterns of V subjects, whatever the number of samples, and no sample's text or name is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Text, case, cast, func, literal, null, select, union_all

from app.audits.population import within
from app.audits.records import match_subject
from app.kit.db import Database
from app.tables import Reward, Verdict
from audits.subject_verdict import accepts
from audits.votes import Patterns
from trueward.wire.audit import Population, Subject
from trueward.wire.verdict import Outcome


async def vote_patterns(db: Database, subjects: Sequence[Subject], population: Population) -> Patterns:
    """Of each sample the latest acceptance or rejection by each subject. Samples that nobody judged are not counted."""
    spoken = union_all(*(_latest(place, subject, population) for place, subject in enumerate(subjects))).subquery()
    place, latest = spoken.c.place, spoken.c.latest
    last = func.substr(latest, func.length(latest), 1)
    columns = [func.max(case((place == number, last))).label(f"v{number}") for number in range(len(subjects))]
    pivot = select(*columns).group_by(spoken.c.sample).subquery()
    query = select(*pivot.c, func.count()).group_by(*pivot.c)
    async with db.read() as connection:
        rows = (await connection.execute(query)).all()
    votes = np.array([[np.nan if vote is None else float(vote) for vote in row[:-1]] for row in rows])
    return Patterns(votes.reshape(len(rows), len(subjects)), np.array([row[-1] for row in rows], dtype=np.float64))


def _latest(place: int, subject: Subject, population: Population) -> Any:
    """By sample the largest record, which is the latest, with its vote at the end."""
    table: type[Verdict] | type[Reward] = Verdict if subject.verifier is not None else Reward
    score: Any = Verdict.score if subject.verifier is not None else Reward.reward
    vote = _vote(table.outcome, score, subject.threshold)
    latest = func.max(cast(table.record, Text).concat(vote))
    conditions = [*match_subject(subject), *within(population, table), vote.is_not(None)]
    return (
        select(table.sample.label("sample"), literal(place).label("place"), latest.label("latest"))
        .where(*conditions)
        .group_by(table.sample)
    )


def _vote(outcome: Any, score: Any, threshold: float | None) -> ColumnElement[Any]:
    """:func:`accepts` as SQL: ``1``, ``0`` or null."""
    cases = []
    for one in Outcome:
        above, below = accepts(one, float("inf"), threshold), accepts(one, float("-inf"), threshold)
        if above is None or below is None:
            continue
        said: Any = literal(str(int(above)), Text)
        if above != below:
            said = case((score >= threshold, said), else_=literal(str(int(below)), Text))
        cases.append((outcome == one.value, said))
    return case((score.is_(None), null()), *cases)
