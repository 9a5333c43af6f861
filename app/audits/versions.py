"""Who said what a labelled audit is about: the versions of its verifier, or the contents of its recipe."""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import select

from app.audits.population import within
from app.audits.records import chosen
from app.kit.db import Database
from app.tables import Reward, Verdict
from trueward.audits import Population, Subject


async def judged_by(db: Database, subject: Subject, population: Population) -> dict[str, list[str]]:
    """By name of the verifier (or recipe) the versions (or hashes) that the population's records have, sorted."""
    table: type[Verdict] | type[Reward] = Verdict if subject.verifier is not None else Reward
    columns = table.__table__.c
    name, version = ("verifier", "version") if table is Verdict else ("recipe_name", "recipe")
    query = select(columns[name], columns[version]).where(*chosen(subject), *within(population, table)).distinct()
    found: defaultdict[str, list[str]] = defaultdict(list)
    async with db.read() as connection:
        for who, which in (await connection.execute(query)).all():
            found[who].append(which)
    return {who: sorted(known) for who, known in found.items()}
