"""API keys: made once, shown once, stored as a keyed hash; they end, and are rotated and revoked.

What changes on another replica takes hold within five seconds; a key's end takes hold at that moment.
"""

from __future__ import annotations

import hashlib
import hmac
from copy import copy
from datetime import datetime
from time import monotonic

from app.keys.admission import Principal
from app.keys.key_text import is_old, new_key, prefix_of
from app.keys.repository import KeysRepository
from app.kit.cache import Cache
from app.kit.clock import now
from app.kit.tokens import new_id
from app.projects.schemas import decode_project, encode_project
from app.projects.visibility import EVERYTHING, Sight
from trueward.errors import Conflict, NotFound, Unauthorized
from trueward.wire.key import KeyChange, KeyRequest, KeyView, NewKey, Rotation

_FRESH_S = 5.0
_KEPT = 10_000


class Keys:
    def __init__(self, repository: KeysRepository, secret: bytes) -> None:
        self._repository = repository
        self._secret = secret
        self._sight = EVERYTHING
        self._known: Cache[str, tuple[float, KeyView | None]] = Cache(_KEPT)
        self._by_id: Cache[str, tuple[float, KeyView | None]] = Cache(_KEPT)

    def visible_to(self, sight: Sight) -> Keys:
        """The same for somebody who administers these keys alone."""
        seen = copy(self)
        seen._sight = sight
        seen._repository = KeysRepository(sight.of(self._repository.db))
        return seen

    async def principal(self, key: str) -> Principal | None:
        """Who a key stands for; None where it is unknown or revoked. Raises :class:`Unauthorized` where it ended."""
        digest = self._digest(key)
        known = self._known.get(digest)
        if known is None or monotonic() - known[0] >= _FRESH_S:
            known = monotonic(), await self._find(key, digest)
            self._known.put(digest, known)
            if known[1] is not None:
                self._by_id.put(known[1].id, known)
        view = known[1]
        if view is None or view.revoked_at is not None:
            return None
        if view.expired:
            ended = f"{view.expires_at:%Y-%m-%d %H:%M} UTC"
            raise Unauthorized(f"this API key expired at {ended}: ask an administrator for a new one")
        return principal_of(view)

    async def by_id(self, key_id: str) -> KeyView | None:
        """The key that was shown before, by its id; None where it is unknown, revoked or expired."""
        view = await self.find_any(key_id)
        return None if view is None or view.revoked_at is not None or view.expired else view

    async def find_any(self, key_id: str) -> KeyView | None:
        """The same, revoked and expired or not: what it asked for may still be under way."""
        known = self._by_id.get(key_id)
        if known is None or monotonic() - known[0] >= _FRESH_S:
            known = monotonic(), await self._repository.by_id(key_id)
            self._by_id.put(key_id, known)
        return known[1]

    async def create(self, request: KeyRequest, actor: str | None = None) -> NewKey:
        """A new key; its text is in the answer and nowhere else. Raises :class:`NotFound` for an unknown project."""
        project = self._sight.project if request.project is None else encode_project(request.project)
        view, key = _make_key(request, decode_project(project), request.ends_at)
        seen = self._sight.sees(project) and await self._repository.add(view, self._digest(key), actor)
        if not seen:
            raise NotFound(f"there is no project {decode_project(project)!r}; GET /v1/projects lists them")
        return NewKey(**view.model_dump(), key=key)

    async def list(self) -> list[KeyView]:
        return await self._repository.list()

    async def change(self, key_id: str, change: KeyChange, actor: str | None = None) -> KeyView:
        """Raises :class:`NotFound`."""
        changes = change.model_dump(include={"samples_per_minute", "cost_per_minute"} & change.model_fields_set)
        if change.says_when:
            changes["expires_at"] = change.ends_at
        if not changes:
            return await self._found(key_id)
        view = await self._repository.change(key_id, changes, actor)
        if view is None:
            raise _unknown(key_id)
        self._forget()
        return view

    async def rotate(self, key_id: str, rotation: Rotation, actor: str | None = None) -> NewKey:
        """A new key with the old one's rights. Raises :class:`NotFound`, and :class:`Conflict` for a revoked one."""
        old = await self._found(key_id)
        ends = rotation.ends_at
        if not rotation.says_when and old.expires_at is not None:
            ends = now() + (old.expires_at - old.created_at)
        view, key = _make_key(old, old.project, ends)
        digest = self._digest(key)
        if not await self._repository.rotate(old.id, view, digest, rotation.grace_s, actor):
            raise Conflict(f"key {old.id} is revoked: make a new one with POST /v1/keys")
        self._forget()
        return NewKey(**view.model_dump(), key=key)

    async def revoke(self, key_id: str, actor: str | None = None) -> KeyView:
        """Raises :class:`NotFound`."""
        view = await self._repository.revoke(key_id, actor)
        if view is None:
            raise _unknown(key_id)
        self._forget()
        return view

    async def _found(self, key_id: str) -> KeyView:
        view = await self._repository.by_id(key_id)
        if view is None:
            raise _unknown(key_id)
        return view

    async def _find(self, key: str, digest: str) -> KeyView | None:
        """By the prefix of a key whose check is right, by the digest for one of before, and never for other texts."""
        prefix = prefix_of(key)
        if prefix is None:
            return await self._repository.by_digest(digest) if is_old(key) else None
        # an unknown prefix costs the same comparison
        of_nobody = self._digest(prefix)
        known = hmac.compare_digest(digest, await self._repository.digest_of(prefix) or of_nobody)
        return await self._repository.by_digest(digest) if known else None

    def _forget(self) -> None:
        self._known.clear()
        self._by_id.clear()

    def _digest(self, key: str) -> str:
        return hmac.new(self._secret, key.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def principal_of(view: KeyView) -> Principal:
    return Principal(view.id, frozenset(view.scopes), encode_project(view.project))


def _make_key(rights: KeyRequest | KeyView, project: str, ends_at: datetime | None) -> tuple[KeyView, str]:
    key, prefix = new_key()
    view = KeyView(
        id=new_id(),
        name=rights.name,
        project=project,
        prefix=prefix,
        scopes=sorted(set(rights.scopes)),
        samples_per_minute=rights.samples_per_minute,
        cost_per_minute=rights.cost_per_minute,
        created_at=now(),
        expires_at=ends_at,
    )
    return view, key


def _unknown(key_id: str) -> NotFound:
    return NotFound(f"there is no key {key_id[:100]!r}; GET /v1/keys lists them")
