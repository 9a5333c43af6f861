"""Runs in the database; a write states the revision that was read (compare-and-swap)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import JsonValue
from sqlalchemy import ColumnElement, Row, and_, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from app.audits.population import RUN as AUDITS
from app.keys.acts import record_in
from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.projects.schemas import decode_project, encode_project
from app.tables.runs import Run as RunTable
from app.tables.runs import RunMark, RunState
from rewards.state import State
from trueward.wire.run import Run


@dataclass(frozen=True, slots=True)
class StoredRun:
    run: Run
    revision: int


class RunFilter(NamedTuple):
    """Runs whose id holds ``name``, whatever the case; those of audits, or all others."""

    name: str = ""
    audits: bool = False


class RunAct(NamedTuple):
    """Who does what to a run on purpose."""

    actor: str | None
    action: str
    details: Mapping[str, JsonValue]


class RunsRepository:
    def __init__(self, db: Database) -> None:
        self.db = db

    async def find(self, name: str) -> StoredRun | None:
        async with self.db.read() as connection:
            row = (await connection.execute(select(RunTable.__table__).where(RunTable.id == name))).first()
        return StoredRun(_run(row), row.revision) if row else None

    async def page(self, wanted: PageRange) -> list[Run]:
        """By id, which callers choose, and one beyond."""
        query = select(RunTable.__table__).order_by(RunTable.id).limit(wanted.limit + 1)
        if wanted.after is not None:
            query = query.where(RunTable.id > wanted.after)
        if wanted.since is not None:
            query = query.where(RunTable.created_at >= wanted.since)
        if wanted.until is not None:
            query = query.where(RunTable.created_at < wanted.until)
        async with self.db.read() as connection:
            return [_run(row) for row in await connection.execute(query)]

    async def recent(self, limit: int, without: str | None = None) -> list[Run]:
        """Those that began last, newest first, but not those whose id begins with ``without``."""
        query = select(RunTable.__table__).order_by(RunTable.created_at.desc(), RunTable.id).limit(limit)
        if without is not None:
            query = query.where(~RunTable.id.startswith(without, autoescape=True))
        async with self.db.read() as connection:
            return [_run(row) for row in await connection.execute(query)]

    async def list_runs(self, wanted: RunFilter, after: str | None, limit: int, by_name: bool = False) -> list[Run]:
        """Newest first, or by name, from behind the run ``after``."""
        began = RunTable.created_at
        order = [RunTable.id] if by_name else [began.desc(), RunTable.id]
        query = select(RunTable.__table__).where(*self._where_held(wanted)).order_by(*order).limit(limit)
        async with self.db.read() as connection:
            if after is not None and by_name:
                query = query.where(RunTable.id > after)
            elif after is not None:
                at = (await connection.execute(select(began).where(RunTable.id == after))).scalar_one_or_none()
                if at is None:
                    return []
                query = query.where(or_(began < at, and_(began == at, RunTable.id > after)))
            return [_run(row) for row in await connection.execute(query)]

    def _where_held(self, wanted: RunFilter) -> list[ColumnElement[bool]]:
        # no LIKE, which takes A for a on SQLite alone, and knows patterns
        of_audits = func.substr(RunTable.id, 1, len(AUDITS)) == AUDITS
        held = [of_audits if wanted.audits else ~of_audits]
        if wanted.name:
            place = func.instr if self.db.dialect == "sqlite" else func.strpos
            held.append(place(func.lower(RunTable.id), func.lower(wanted.name)) > 0)
        return held

    async def of_recipes(self, hashes: Collection[str], limit: int) -> list[Run]:
        """Runs that have one of these recipes pinned, newest first."""
        query = select(RunTable.__table__).where(RunTable.recipe.in_(hashes))
        query = query.order_by(RunTable.created_at.desc(), RunTable.id).limit(limit)
        async with self.db.read() as connection:
            return [_run(row) for row in await connection.execute(query)]

    async def save(self, run: Run, revision: int | None, act: RunAct | None = None) -> bool:
        """Writes a run that was read at ``revision`` (None: there was none); False when another was faster. ``act`` is
        recorded with it. The project is that of the first write."""
        values = {"recipe": run.recipe, "verifiers": run.verifiers, "strict": run.strict}
        async with self.db.write() as connection:
            if revision is not None:
                swap = update(RunTable).where(RunTable.id == run.id, RunTable.revision == revision)
                done = await connection.execute(swap.values(**values, revision=revision + 1))
                if done.rowcount != 1:
                    return False
                if act is not None:
                    await record_in(connection, act.actor, act.action, run.id, act.details)
                return True
            try:
                async with connection.begin_nested():
                    new = insert(RunTable).values(id=run.id, project=encode_project(run.project), **values)
                    await connection.execute(new.values(state={}, revision=1, created_at=now()))
                    if act is not None:
                        await record_in(connection, act.actor, act.action, run.id, act.details)
            except IntegrityError:
                return False
            return True

    async def state(self, name: str) -> State:
        """What a run has learned so far."""
        async with self.db.read() as connection:
            found = await connection.execute(select(RunTable.state).where(RunTable.id == name))
        return State.model_validate(found.scalar_one_or_none() or {})

    async def save_state(self, name: str, after: State, request: str | None) -> bool:
        """Writes the version that follows the one that was read; False where another was faster."""
        body = after.model_dump(mode="json")
        version = {"run": name, "version": after.version, "request": request, "state": body, "at": now()}
        async with self.db.write() as connection:
            try:
                async with connection.begin_nested():
                    await connection.execute(insert(RunState).values(**version))
            except IntegrityError:
                return False
            await connection.execute(update(RunTable).where(RunTable.id == name).values(state=body))
        return True

    async def mark(self, name: str, kind: str, detail: dict[str, JsonValue]) -> None:
        async with self.db.write() as connection:
            await connection.execute(insert(RunMark).values(id=new_id(), run=name, at=now(), kind=kind, detail=detail))

    async def marks(self, name: str) -> list[dict[str, JsonValue]]:
        """What happened to a run, in order."""
        query = select(RunMark.at, RunMark.kind, RunMark.detail).where(RunMark.run == name).order_by(RunMark.id)
        async with self.db.read() as connection:
            return [
                {"at": row.at.isoformat(), "kind": row.kind, **row.detail} for row in await connection.execute(query)
            ]


def _run(row: Row[tuple[object, ...]]) -> Run:
    return Run(
        id=row.id,
        project=decode_project(row.project),
        recipe=row.recipe,
        verifiers=row.verifiers,
        strict=row.strict,
        created_at=row.created_at.isoformat(),
    )
