"""A request sent again under its ``Idempotency-Key`` is answered again, not done again.

A key is scoped to the API key and the path, and kept for 24 hours; another body or query under it is a conflict.
The key is claimed, with a seed for the ledger's ids, before anything is scored: where the first attempt
died half-way, the second records under the same ids, and the ledger keeps the first row of an id.
Refusals, failures and streams are not kept; the seed is.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from app.idempotency.repository import Claims
from app.kit.tokens import derived_ids, new_id
from trueward.errors import IdempotencyConflict, InvalidRequest

KEPT = timedelta(hours=24)
_PURGE_EVERY_S = 600.0
_MAX_KEY = 255


@dataclass(slots=True)
class _Turn:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


class Idempotency:
    def __init__(self, claims: Claims) -> None:
        self._claims = claims
        self._turns: dict[tuple[str, str], _Turn] = {}
        self._purged = monotonic()

    async def answer(
        self, scope: str, key: str, body: bytes, request: Request, handler: Callable[[], Awaitable[Response]]
    ) -> Response:
        """The stored answer, or the handler's. Raises :class:`IdempotencyConflict`."""
        if not 0 < len(key) <= _MAX_KEY:
            raise InvalidRequest(f"Idempotency-Key must have 1 to {_MAX_KEY} characters")
        async with self._turn((scope, key)):
            return await self._answer(scope, key, _digest(request, body), request, handler)

    @asynccontextmanager
    async def _turn(self, place: tuple[str, str]) -> AsyncIterator[None]:
        """One request a key at a time; the lock goes with the last that waits for it."""
        turn = self._turns.setdefault(place, _Turn())
        turn.users += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.users -= 1
            if not turn.users:
                del self._turns[place]

    async def _answer(
        self, scope: str, key: str, body_hash: str, request: Request, handler: Callable[[], Awaitable[Response]]
    ) -> Response:
        await self._purge()
        claim = await self._claims.claim(scope, key, body_hash, new_id())
        if claim.body_hash != body_hash:
            raise IdempotencyConflict("this Idempotency-Key was used with another body or query: take a new key")
        if claim.status is not None:
            return Response(claim.body, claim.status, {"Idempotency-Replayed": "true"}, media_type="application/json")
        request.state.record_seed = claim.seed
        response = await handler()
        if response.status_code < 300 and not isinstance(response, StreamingResponse):
            await self._claims.answered(scope, key, response.status_code, bytes(response.body).decode())
        return response

    async def _purge(self) -> None:
        if monotonic() - self._purged > _PURGE_EVERY_S:
            self._purged = monotonic()
            await self._claims.purge(KEPT)


def _digest(request: Request, body: bytes) -> str:
    """What the request asks for, but for the API key, which may stand in the query once and in a header later."""
    asked = sorted(pair for pair in request.query_params.multi_items() if pair[0] != "key")
    return hashlib.sha256(urlencode(asked).encode() + b"\n" + body if asked else body).hexdigest()


def records_of(request: Request, count: int) -> list[str] | None:
    """The ledger ids of this request's samples where an idempotency key fixed them."""
    seed: str | None = getattr(request.state, "record_seed", None)
    return derived_ids(seed, count) if seed is not None else None
