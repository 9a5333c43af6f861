"""Projects: whose keys, runs and records belong together, and what share of a full service they have.

Weights are asked for without waiting, so they are kept in memory; what another server changes takes hold within two
seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.kit.background import Refreshed
from app.kit.db import Database
from app.projects.repository import ProjectsRepository
from app.projects.schemas import encode_project
from app.projects.visibility import Sight
from trueward.errors import Conflict, NotFound
from trueward.wire.project import DEFAULT, ProjectChange, ProjectList, ProjectRequest, ProjectView


class Projects(Refreshed):
    """An async context manager; inside it the weights stay fresh."""

    task = "projects"

    def __init__(self, db: Database) -> None:
        self._repository = ProjectsRepository(db)
        self._weights: Mapping[str | None, float] = {}

    def weight(self, project: str | None) -> float:
        """1.0 for one that is not known (yet)."""
        return self._weights.get(project, 1.0)

    async def all(self, sight: Sight) -> ProjectList:
        """The default one first, then by name."""
        known = await self._repository.all()
        default = next((one for one in known if one.name == DEFAULT), ProjectView(name=DEFAULT))
        projects = [default, *(one for one in known if one.name != DEFAULT)]
        return ProjectList(projects=[one for one in projects if sight.sees(encode_project(one.name))])

    async def find(self, name: str, sight: Sight) -> ProjectView:
        """Raises :class:`NotFound`."""
        found = await self._repository.find(name) if sight.sees(encode_project(name)) else None
        if found is None and name == DEFAULT and sight.sees(None):
            return ProjectView(name=DEFAULT)
        if found is None:
            raise _unknown(name)
        return found

    async def create(self, request: ProjectRequest, actor: str | None) -> ProjectView:
        """Raises :class:`Conflict` for a name that is taken."""
        made = await self._repository.add(request, actor) if request.name != DEFAULT else None
        if made is None:
            raise Conflict(f"there is a project {request.name!r} already; PATCH /v1/projects/{request.name} changes it")
        await self.refresh()
        return made

    async def change(self, name: str, change: ProjectChange, actor: str | None) -> ProjectView:
        """Raises :class:`NotFound`."""
        changes = change.model_dump(include=change.model_fields_set)
        changed = await self._repository.change(name, changes, actor)
        if changed is None and name == DEFAULT:
            request = ProjectRequest(name=DEFAULT, **changes)
            changed = await self._repository.add(request, actor) or await self._repository.change(name, changes, actor)
        if changed is None:
            raise _unknown(name)
        await self.refresh()
        return changed

    async def delete(self, name: str, actor: str | None) -> ProjectView:
        """Raises :class:`NotFound`, and :class:`Conflict` for one that is not empty."""
        found = await self._repository.find(name) if name != DEFAULT else None
        if found is None:
            raise _unknown(name) if name != DEFAULT else Conflict("the default project is always there")
        if not await self._repository.delete(name, actor):
            raise Conflict(f"project {name!r} has, or had, keys or runs: their records belong to it")
        await self.refresh()
        return found

    async def refresh(self) -> None:
        self._weights = {encode_project(one.name): one.weight for one in await self._repository.all()}


def _unknown(name: str) -> NotFound:
    return NotFound(f"there is no project {name[:100]!r}; GET /v1/projects lists them")
