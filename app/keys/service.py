"""API keys: made once, shown once, stored as a keyed hash, revocable.

Revocation on another replica takes hold within five seconds.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from pathlib import Path
from time import monotonic

from app.keys.admission import KeyScope, Principal
from app.keys.repository import KeysRepository
from app.keys.schemas import KeyView, NewKey
from app.kit.tokens import new_id
from app.scoring.cache import Cache
from app.settings import Settings
from trueward.errors import NotFound

_FRESH_S = 5.0
_KEPT = 10_000


class Keys:
    def __init__(self, repository: KeysRepository, secret: bytes) -> None:
        self._repository = repository
        self._secret = secret
        self._known: Cache[str, tuple[float, Principal | None]] = Cache(_KEPT)
        self._by_id: Cache[str, tuple[float, KeyView | None]] = Cache(_KEPT)

    async def principal(self, key: str) -> Principal | None:
        """Who a key stands for; None where it is unknown or revoked."""
        digest = self._digest(key)
        known = self._known.get(digest)
        if known is not None and monotonic() - known[0] < _FRESH_S:
            return known[1]
        found = await self._repository.by_digest(digest)
        principal = Principal(found.id, frozenset(found.scopes)) if found and found.revoked_at is None else None
        self._known.put(digest, (monotonic(), principal))
        return principal

    async def by_id(self, key_id: str) -> KeyView | None:
        """The key that was shown before, by its id; None where it is unknown or revoked."""
        known = self._by_id.get(key_id)
        if known is not None and monotonic() - known[0] < _FRESH_S:
            return known[1]
        found = await self._repository.by_id(key_id)
        view = found if found and found.revoked_at is None else None
        self._by_id.put(key_id, (monotonic(), view))
        return view

    async def create(self, name: str, scopes: Sequence[KeyScope]) -> NewKey:
        """A new key; its text is in the answer and nowhere else."""
        key = "tw_" + secrets.token_urlsafe(24)
        view = await self._repository.add(new_id(), name, self._digest(key), sorted(set(scopes)))
        return NewKey(**view.model_dump(), key=key)

    async def list(self) -> list[KeyView]:
        return await self._repository.list()

    async def revoke(self, key_id: str) -> KeyView:
        view = await self._repository.revoke(key_id)
        if view is None:
            raise NotFound(f"there is no key {key_id[:100]!r}; GET /v1/keys lists them")
        self._known = Cache(_KEPT)
        self._by_id = Cache(_KEPT)
        return view

    def _digest(self, key: str) -> str:
        return hmac.new(self._secret, key.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def key_secret(settings: Settings) -> bytes:
    """The secret that hashes keys: the setting, else one generated into the data directory, readable by
    its owner only."""
    if settings.secret is not None:
        return settings.secret.get_secret_value().encode()
    path: Path = settings.data_dir / "secret"
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    try:
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(secrets.token_hex(32))
    except FileExistsError:
        pass
    return path.read_text().encode()
