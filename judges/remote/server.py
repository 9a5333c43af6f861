"""One other server over HTTP: tries again what another try may mend, and leaves alone a server that is down.

All questions are reads, so each may be sent again. Redirects are not followed, and an answer is read up to a bound.
A refusal says that the server lives: whatever a policy wrote, it cannot make us give a server up. A key is sent as
``Authorization: Bearer``, and taken out of whatever the server says of it.
"""

from __future__ import annotations

import asyncio
import copy
import json
import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Self

import httpx2
import stamina
from pydantic import JsonValue

from judges.base import ModelBusy, ModelFailure, ModelUnavailable
from judges.billing import arrived, refused, sending
from sandbox.remote.breaker import Breaker
from trueward.tracing import trace_headers

ATTEMPTS = 4
PAUSE_S = 0.1
CONNECT_S = 5.0
SILENT_S = 10.0
"""A server that says nothing for so long counts as down."""
MOST_BYTES = 64 * 2**20
_DOWN = frozenset({502, 503, 504})
_GATEWAY = frozenset({502, 504})
"""Said by whoever stands before the server, which may have been at work."""
_UNSENT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.PoolTimeout,
    httpx2.InvalidURL,
    httpx2.UnsupportedProtocol,
)


class Refused(Exception):
    """The server will not answer this request: its status (4xx) and its words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(f"status {status}: {words}")
        self.status = status
        self.words = words


class _Again(Exception):
    """A failure that another try may mend; ``wait_s`` is when, where the server says so."""

    def __init__(self, failure: ModelFailure, wait_s: float | None = None) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.wait_s = wait_s


class Server:
    """``url`` is its root, with or without OpenAI's ``/v1``; what it has of a query goes with every request.

    ``connections`` bounds requests at once, ``pause_s`` is the first pause between tries.
    """

    def __init__(
        self,
        url: str,
        connections: int,
        *,
        key: str | None = None,
        pause_s: float = PAUSE_S,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        root, _, query = url.partition("?")
        self._key = key
        self._pause_s = pause_s
        self._most_bytes = most_bytes
        self._deadline = math.inf
        self._breaker = Breaker()
        self._client = httpx2.AsyncClient(
            base_url=root.rstrip("/").removesuffix("/v1"),
            params=httpx2.QueryParams(query),
            headers={"Accept-Encoding": "identity"} | ({} if key is None else {"Authorization": f"Bearer {key}"}),
            limits=httpx2.Limits(max_connections=connections, max_keepalive_connections=connections),
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
        )

    async def close(self) -> None:
        await self._client.aclose()

    def until(self, deadline: float) -> Self:
        """The same server, asked by whoever waits no longer than that (the loop's time)."""
        hurried = copy.copy(self)
        hurried._deadline = deadline
        return hurried

    async def get(self, path: str) -> JsonValue:
        return await self._ask("GET", path, None)

    async def post(self, path: str, body: JsonValue) -> JsonValue:
        """The answer's JSON. Takes as long as the server does: the caller cancels.

        Raises :class:`Refused`, :class:`judges.base.ModelBusy` or :class:`judges.base.ModelUnavailable`.
        """
        return await self._ask("POST", path, json.dumps(body).encode())

    async def _ask(self, method: str, path: str, body: bytes | None) -> JsonValue:
        if not self._breaker.allows():
            raise ModelUnavailable(f"{self._client.base_url} has failed repeatedly: it is given a rest")
        tries = stamina.retry_context(
            on=self._pause, attempts=ATTEMPTS, timeout=None, wait_initial=self._pause_s, wait_jitter=self._pause_s
        )
        try:
            async for attempt in tries:
                with attempt:
                    return await self._try(method, path, body)
        except _Again as last:
            raise last.failure from last
        raise AssertionError("the last attempt returns or raises")

    def _pause(self, failure: Exception) -> bool | float:
        """Whether to try again, or after how many seconds: never for longer than the caller waits."""
        if not isinstance(failure, _Again) or failure.wait_s is None:
            return isinstance(failure, _Again)
        return failure.wait_s if asyncio.get_running_loop().time() + failure.wait_s < self._deadline else False

    async def _try(self, method: str, path: str, body: bytes | None) -> JsonValue:
        now = asyncio.get_running_loop().time
        started = now()
        try:
            status, wait_s, answer = await self._charged(method, path, body)
        except httpx2.TransportError as lost:
            self._breaker.failed()
            raise _Again(self._unavailable(path, f"{type(lost).__name__} {lost}")) from lost
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as wrong:
            raise self._unavailable(path, str(wrong)) from wrong
        except asyncio.CancelledError:
            if now() - started >= SILENT_S:
                self._breaker.failed()
            raise
        if status in _DOWN:
            self._breaker.failed()
            raise _Again(self._unavailable(path, f"status {status}: {self._words(answer)}"), wait_s)
        self._breaker.succeeded()
        if status == 429:
            raise _Again(ModelBusy(f"{self._client.base_url} has no room: {self._words(answer)}"), wait_s)
        return self._read(path, status, answer)

    async def _charged(self, method: str, path: str, body: bytes | None) -> tuple[int, float | None, bytes]:
        """The same as ``_exchange``; who pays is told of what the server may charge for."""
        if method != "POST" or path.endswith("tokenize"):
            return await self._exchange(method, path, body)
        await sending()
        try:
            told = await self._exchange(method, path, body)
        except _UNSENT:
            refused()
            raise
        if told[0] == 200:
            arrived()
        elif told[0] not in _GATEWAY:
            refused()
        return told

    async def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, float | None, bytes]:
        """The status, how long the server asks to be left alone, and the answer."""
        sent = trace_headers() | ({} if body is None else {"Content-Type": "application/json"})
        async with self._client.stream(method, path, content=body, headers=sent) as response:
            answer = bytearray()
            async for chunk in response.aiter_raw():
                answer += chunk
                if len(answer) > self._most_bytes:
                    raise self._unavailable(path, f"the answer has more than {self._most_bytes} bytes")
            return response.status_code, _wait_s(response.headers.get("Retry-After")), bytes(answer)

    def _read(self, path: str, status: int, answer: bytes) -> JsonValue:
        if 300 <= status < 400:
            raise self._unavailable(path, "it redirects, which is not followed: register the URL that it leads to")
        if 400 <= status < 500:
            raise Refused(status, self._words(answer))
        if status != 200:
            raise self._unavailable(path, f"status {status}: {self._words(answer)}")
        try:
            value: JsonValue = json.loads(answer)
        except (ValueError, RecursionError) as wrong:
            raise self._unavailable(path, f"its answer is no JSON: {wrong}") from wrong
        return value

    def _words(self, answer: bytes) -> str:
        words = _said(answer)
        return (words.replace(self._key, "***") if self._key else words)[:1000]

    def _unavailable(self, path: str, why: str) -> ModelUnavailable:
        return ModelUnavailable(f"{self._client.base_url} cannot be used ({path}): {why[:300]}")


def _said(answer: bytes) -> str:
    """What an error's body says: OpenAI's object, flat or nested, text-embeddings-inference's, or the text itself."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return answer[:10_000].decode(errors="replace")
    for name in ("error", "message", "detail"):
        if isinstance(value, dict) and name in value:
            value = value[name]
    return str(value)


def _wait_s(said: str | None) -> float | None:
    """``Retry-After``: seconds, or a date; None where it says neither."""
    try:
        wait_s = float(said or "")
    except ValueError:
        try:
            wait_s = (parsedate_to_datetime(said or "") - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):  # no date, or one without its zone
            return None
    return max(0.0, wait_s) if math.isfinite(wait_s) else None
