"""Projects: list, show, make, change, delete. All need the scope ``admin``; changes, a key of the default project."""

from __future__ import annotations

from fastapi import APIRouter

from app.http.route import BodyRoute
from app.keys.admission import Admin, SharedAdmin
from app.kit.problems import PROBLEMS
from app.state import ProjectsDep
from trueward.wire.project import ProjectChange, ProjectList, ProjectRequest, ProjectView

router = APIRouter(prefix="/v1/projects", route_class=BodyRoute, tags=["keys"], responses=PROBLEMS)


@router.get("")
async def list_projects(projects: ProjectsDep, key: Admin) -> ProjectList:
    """The projects that the key administers."""
    return await projects.all(key.sight)


@router.post("", status_code=201)
async def create_project(body: ProjectRequest, projects: ProjectsDep, key: SharedAdmin) -> ProjectView:
    """Makes a project; keys are made for it with `POST /v1/keys`."""
    return await projects.create(body, key.owner)


@router.get("/{project}")
async def show_project(project: str, projects: ProjectsDep, key: Admin) -> ProjectView:
    """One project."""
    return await projects.find(project, key.sight)


@router.patch("/{project}")
async def change_project(project: str, body: ProjectChange, projects: ProjectsDep, key: SharedAdmin) -> ProjectView:
    """Changes a project's weight or how long its records are kept."""
    return await projects.change(project, body, key.owner)


@router.delete("/{project}")
async def delete_project(project: str, projects: ProjectsDep, key: SharedAdmin) -> ProjectView:
    """Deletes a project that never had a key or a run."""
    return await projects.delete(project, key.owner)
