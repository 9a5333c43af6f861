"""A request sent again under its ``Idempotency-Key`` is answered again, not done again.

A key is scoped to the API key and the path, and kept for 24 hours; another body or query under it is a conflict.
The key is claimed, with a seed for the ledger's ids, before anything is scored: where the first attempt
died half-way, the second records under the same ids, and the ledger keeps the first row of an id.
Refusals, failures and streams are not kept; the seed is. One request a key is answered at a time, also among servers
that share a Redis; among others the first stored answer is everybody's.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from typing import Protocol
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from app.idempotency.repository import Claims
from app.kit.tokens import new_id
from trueward.errors import IdempotencyConflict, InvalidRequest

KEPT = timedelta(hours=24)
_PURGE_EVERY_S = 600.0
MAX_KEY = 255
_LONGEST_S = 600.0
"""So long another server's answer to the same key is waited for."""


class TurnsElsewhere(Protocol):
    """The other servers of this service."""

    def lock(self, place: str, longest_s: float) -> AbstractAsyncContextManager[None]:
        """None of them is in the block of this place meanwhile; waits ``longest_s`` seconds at most."""
        ...


@dataclass(slots=True)
class _Turn:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0


def refuse_unusable(key: str) -> None:
    """Raises :class:`InvalidRequest` for an ``Idempotency-Key`` that is empty or too long."""
    if not 0 < len(key) <= MAX_KEY:
        detail = f"Idempotency-Key must have 1 to {MAX_KEY} characters"
        raise InvalidRequest.at_field("header.idempotency-key", "malformed", detail)


class Idempotency:
    """``replayed`` counts the requests that were answered again since the start."""

    def __init__(self, claims: Claims, elsewhere: TurnsElsewhere | None = None) -> None:
        self._claims = claims
        self._elsewhere = elsewhere
        self._turns: dict[tuple[str, str], _Turn] = {}
        self._purged = monotonic()
        self.replayed = 0

    async def answer(
        self, scope: str, key: str, body: bytes, request: Request, handler: Callable[[], Awaitable[Response]]
    ) -> Response:
        """The stored answer, or the handler's. Raises :class:`IdempotencyConflict`."""
        refuse_unusable(key)
        async with self._turn((scope, key)), self._lock_key(scope, key):
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

    def _lock_key(self, scope: str, key: str) -> AbstractAsyncContextManager[None]:
        if self._elsewhere is None:
            return nullcontext()
        named = hashlib.sha256(f"{len(scope)}:{scope}{key}".encode()).hexdigest()
        return self._elsewhere.lock(f"idempotency:{named}", _LONGEST_S)

    async def _answer(
        self, scope: str, key: str, body_hash: str, request: Request, handler: Callable[[], Awaitable[Response]]
    ) -> Response:
        await self._purge()
        claim = await self._claims.claim(scope, key, body_hash, new_id())
        if claim.body_hash != body_hash:
            raise IdempotencyConflict("this Idempotency-Key was used with another body or query: take a new key")
        if claim.status is not None:
            self.replayed += 1
            return _replay(claim.status, claim.body or "")
        request.state.record_seed = claim.seed
        response = await handler()
        if response.status_code < 300 and not isinstance(response, StreamingResponse):
            ours = bytes(response.body).decode()
            status, body = await self._claims.store_answer(scope, key, response.status_code, ours)
            if body != ours:
                return _replay(status, body)
        return response

    async def _purge(self) -> None:
        if monotonic() - self._purged > _PURGE_EVERY_S:
            self._purged = monotonic()
            await self._claims.purge(KEPT)


def _replay(status: int, body: str) -> Response:
    return Response(body, status, {"Idempotency-Replayed": "true"}, media_type="application/json")


def _digest(request: Request, body: bytes) -> str:
    """What the request asks for, but for the API key, which may stand in the query once and in a header later."""
    asked = sorted(pair for pair in request.query_params.multi_items() if pair[0] != "key")
    return hashlib.sha256(urlencode(asked).encode() + b"\n" + body if asked else body).hexdigest()
