"""Projects in the database. The default one has a row once it was changed. Changes are recorded as acts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, delete, exists, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from app.keys.acts import record_in
from app.kit.clock import now
from app.kit.db import Database
from app.tables.keys import Key, Project
from app.tables.runs import Run
from trueward.wire.project import ProjectRequest, ProjectView

_PROJECTS = Project.__table__


class ProjectsRepository:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def all(self) -> list[ProjectView]:
        """By name."""
        async with self._db.read() as connection:
            return [_view(row) for row in await connection.execute(select(_PROJECTS).order_by(Project.id))]

    async def find(self, name: str) -> ProjectView | None:
        async with self._db.read() as connection:
            row = (await connection.execute(select(_PROJECTS).where(Project.id == name))).first()
        return None if row is None else _view(row)

    async def add(self, project: ProjectRequest, actor: str | None) -> ProjectView | None:
        """None where there is one of the name."""
        told = project.model_dump(exclude={"name"})
        row = {"id": project.name, **told, "created_at": now()}
        try:
            async with self._db.write() as connection:
                await connection.execute(insert(Project).values(**row))
                await record_in(connection, actor, "project.create", project.name, told)
        except IntegrityError:
            return None
        return ProjectView(name=project.name, **told, created_at=row["created_at"])

    async def change(self, name: str, changes: Mapping[str, Any], actor: str | None) -> ProjectView | None:
        """None where there is none."""
        async with self._db.write() as connection:
            if changes:
                await connection.execute(update(Project).where(Project.id == name).values(**changes))
            row = (await connection.execute(select(_PROJECTS).where(Project.id == name))).first()
            if row is not None and changes:
                await record_in(connection, actor, "project.change", name, changes)
        return None if row is None else _view(row)

    async def delete(self, name: str, actor: str | None) -> bool:
        """False where it has, or had, a key or a run: their records belong to it."""
        used = or_(exists().where(Key.project == name), exists().where(Run.project == name))
        try:
            async with self._db.write() as connection:
                gone = (await connection.execute(delete(Project).where(Project.id == name, ~used))).rowcount == 1
                if gone:
                    await record_in(connection, actor, "project.delete", name, {})
        except IntegrityError:  # a key was made meanwhile
            return False
        return gone


def _view(row: Row[tuple[object, ...]]) -> ProjectView:
    return ProjectView(name=row.id, weight=row.weight, retention_days=row.retention_days, created_at=row.created_at)
