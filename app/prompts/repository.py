"""Success rates of prompts in the database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy import tuple_ as pair

from app.kit.clock import now
from app.kit.db import Database, insert_in
from app.tables.runs import Prompt

KEPT = 20
"""Rates that are kept of a prompt, the latest ones."""

_AT_ONCE = 400


@dataclass(frozen=True, slots=True)
class GroupVisit:
    """One group of a prompt: its success rate, whether its rewards were all the same, whether it had a reference."""

    run: str
    prompt: str
    rate: float
    flat: bool
    labelled: bool


@dataclass(frozen=True, slots=True)
class History:
    """What is known of a prompt in a run; rates oldest first, in [0, 1]."""

    prompt: str
    labelled: bool
    rates: Sequence[float]
    groups: int
    streak: int


class PromptsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def of_run(self, run: str, prompts: Iterable[str] | None = None) -> list[History]:
        """Those of a run, by prompt; of some prompts where they are named."""
        if prompts is None:
            return await self._read_histories(run, None)
        names = sorted(set(prompts))
        found = [await self._read_histories(run, names[at : at + _AT_ONCE]) for at in range(0, len(names), _AT_ONCE)]
        return [history for part in found for history in part]

    async def part_of_run(self, run: str, after: str | None, limit: int) -> list[History]:
        """The next prompts of a run by name, from behind ``after``; none when there are no more."""
        query = select(Prompt.__table__).where(Prompt.run == run).order_by(Prompt.prompt).limit(limit)
        if after is not None:
            query = query.where(Prompt.prompt > after)
        return await self._read(query)

    async def _read_histories(self, run: str, names: Sequence[str] | None) -> list[History]:
        query = select(Prompt.__table__).where(Prompt.run == run).order_by(Prompt.prompt)
        if names is not None:
            query = query.where(Prompt.prompt.in_(names))
        return await self._read(query)

    async def _read(self, query: Select[tuple[Any, ...]]) -> list[History]:
        async with self._db.read() as connection:
            rows = await connection.execute(query)
            return [History(row.prompt, row.labelled, row.rates, row.groups, row.streak) for row in rows]

    async def add(self, visits: Sequence[GroupVisit]) -> None:
        """Adds visits in order, in one transaction."""
        known = {(visit.run, visit.prompt): History(visit.prompt, visit.labelled, (), 0, 0) for visit in visits}
        names = sorted(known)
        async with self._db.write() as connection:
            for at in range(0, len(names), _AT_ONCE):
                wanted = pair(Prompt.run, Prompt.prompt).in_(names[at : at + _AT_ONCE])
                query = select(Prompt.__table__).where(wanted)
                if self._db.dialect == "postgresql":
                    query = query.with_for_update()
                for row in await connection.execute(query):
                    found = History(row.prompt, row.labelled, row.rates, row.groups, row.streak)
                    known[row.run, row.prompt] = found
            for visit in visits:
                known[visit.run, visit.prompt] = _visited(known[visit.run, visit.prompt], visit)
            insert = insert_in(self._db.dialect, Prompt)
            changed = ("labelled", "rates", "groups", "streak", "updated_at")
            upsert = insert.on_conflict_do_update(
                index_elements=["run", "prompt"], set_={name: insert.excluded[name] for name in changed}
            )
            moment = now()
            rows = [
                {
                    "run": run,
                    "prompt": prompt,
                    "labelled": known[run, prompt].labelled,
                    "rates": list(known[run, prompt].rates),
                    "groups": known[run, prompt].groups,
                    "streak": known[run, prompt].streak,
                    "updated_at": moment,
                }
                for run, prompt in names
            ]
            await connection.execute(upsert, rows)


def _visited(history: History, visit: GroupVisit) -> History:
    return History(
        visit.prompt,
        visit.labelled,
        [*history.rates, visit.rate][-KEPT:],
        history.groups + 1,
        history.streak + 1 if visit.flat else 0,
    )
