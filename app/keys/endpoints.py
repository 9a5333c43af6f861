"""API keys: create, list, revoke. All need the scope ``admin``."""

from __future__ import annotations

from fastapi import APIRouter

from app.keys.admission import Admin
from app.keys.schemas import KeyList, KeyRequest, KeyView, NewKey
from app.kit.problems import PROBLEMS
from app.route import BodyRoute
from app.state import KeysDep

router = APIRouter(prefix="/v1/keys", route_class=BodyRoute, tags=["keys"], responses=PROBLEMS)


@router.post("", status_code=201)
async def create_key(body: KeyRequest, keys: KeysDep, key: Admin) -> NewKey:
    """Makes a key. Its text is in this answer and nowhere else."""
    return await keys.create(body.name, body.scopes)


@router.get("")
async def list_keys(keys: KeysDep, key: Admin) -> KeyList:
    """Every key, without its text."""
    return KeyList(keys=await keys.list())


@router.delete("/{key_id}")
async def revoke_key(key_id: str, keys: KeysDep, key: Admin) -> KeyView:
    """Revokes a key at once on this server, within five seconds on its replicas."""
    return await keys.revoke(key_id)
