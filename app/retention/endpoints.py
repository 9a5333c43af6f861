"""Deletions: count, ask for, list, show. All need the scope ``admin``."""

from __future__ import annotations

from fastapi import APIRouter

from app.http.route import BodyRoute
from app.keys.admission import Admin, Principal
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.projects.schemas import decode_project
from app.retention.repository import DeletionsRepository
from app.state import DatabaseDep, RetentionDep
from trueward.errors import NotFound
from trueward.wire.deletion import Deletion, DeletionCount, DeletionPage, DeletionRequest

router = APIRouter(prefix="/v1/deletions", route_class=BodyRoute, tags=["keys"], responses=PROBLEMS)


@router.post("/count")
async def count_deletion(body: DeletionRequest, retention: RetentionDep, key: Admin) -> DeletionCount:
    """What a deletion would take now; nothing is deleted."""
    return DeletionCount(rows=await retention.count(within(body, key)))


@router.post("", status_code=202)
async def create_deletion(body: DeletionRequest, retention: RetentionDep, key: Admin) -> Deletion:
    """Deletes for good, in the background: by age, a run, or what is a subject's."""
    return await retention.ask(within(body, key), key.owner)


@router.get("")
async def list_deletions(db: DatabaseDep, key: Admin, wanted: SliceDep) -> DeletionPage:
    """Newest first, those of the projects' policies too."""
    found, following = wanted.cut(await DeletionsRepository(db).page(wanted), lambda one: one.id)
    return DeletionPage(deletions=found, next=following)


@router.get("/{deletion}")
async def show_deletion(deletion: str, db: DatabaseDep, key: Admin) -> Deletion:
    """How far it is, and what it waits for."""
    found = await DeletionsRepository(db).find(deletion)
    if found is None:
        raise NotFound(f"there is no deletion {deletion[:100]!r}; GET /v1/deletions lists them")
    return found


def within(body: DeletionRequest, key: Principal) -> DeletionRequest:
    """Of the key's project, where that is not every one."""
    if key.sight.everything:
        return body
    own = decode_project(key.project)
    if body.project is not None and body.project != own:
        raise NotFound(f"there is no project {body.project[:100]!r}; GET /v1/projects lists them")
    return body.model_copy(update={"project": own})
