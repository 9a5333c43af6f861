"""API keys: create, list, change, rotate, revoke; and what administrators did. All need the scope ``admin``.

An administrator of a project has that project's keys and acts; one of the default project has all.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.http.route import BodyRoute
from app.keys.admission import Admin
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.state import ActsDep, KeysDep
from trueward.wire.key import ActPage, KeyChange, KeyList, KeyRequest, KeyView, NewKey, Rotation

router = APIRouter(prefix="/v1", route_class=BodyRoute, tags=["keys"], responses=PROBLEMS)


@router.post("/keys", status_code=201)
async def create_key(body: KeyRequest, keys: KeysDep, key: Admin) -> NewKey:
    """Makes a key. Its text is in this answer and nowhere else."""
    return await keys.create(body, key.owner)


@router.get("/keys")
async def list_keys(keys: KeysDep, key: Admin) -> KeyList:
    """Every key, without its text."""
    return KeyList(keys=await keys.list())


@router.patch("/keys/{key_id}")
async def change_key(key_id: str, body: KeyChange, keys: KeysDep, key: Admin) -> KeyView:
    """Changes a key's quotas or its end: at once on this server, within five seconds on its replicas."""
    return await keys.change(key_id, body, key.owner)


@router.post("/keys/{key_id}/rotate", status_code=201)
async def rotate_key(key_id: str, body: Rotation, keys: KeysDep, key: Admin) -> NewKey:
    """Makes a key with the same rights; the old one works for `grace_s` more."""
    return await keys.rotate(key_id, body, key.owner)


@router.delete("/keys/{key_id}")
async def revoke_key(key_id: str, keys: KeysDep, key: Admin) -> KeyView:
    """Revokes a key at once on this server, within five seconds on its replicas."""
    return await keys.revoke(key_id, key.owner)


@router.get("/acts")
async def list_acts(
    acts: ActsDep,
    key: Admin,
    wanted: SliceDep,
    action: Annotated[str | None, Query(description="such as `key.create`")] = None,
) -> ActPage:
    """What was done to keys, projects, pins, freezes, models and data, and by which key; newest first."""
    return await acts.page(action, wanted, key.sight)
