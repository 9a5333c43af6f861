"""One model of another server over HTTP: patient with whatever waiting may cure, until the caller's time is over.

All questions are reads, so each may be sent again: after a lost connection, a status of 408, 409, 425, 429 or 5xx, an
error or a page in the place of an answer. That goes on to the deadline, but for a question that failed
:data:`ATTEMPTS` times with answers to others between them: the failure may be its own. It ends sooner where whoever
asks will find out whose the failure is (:mod:`judges.probing`). When to send says :mod:`judges.remote.served_model`.

Redirects are not followed, and an answer is read up to a bound. A refusal says that the server lives: whatever a policy
wrote, it cannot make us give a server up. A key is sent as ``Authorization: Bearer``, and taken out of whatever the
server says of it.
"""

from __future__ import annotations

import asyncio
import copy
import json
import math
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import uniform
from types import MappingProxyType
from typing import Self

import httpx2
from pydantic import JsonValue

from judges.base import KeyRefused, ModelBusy, ModelFailure, ModelUnavailable
from judges.billing import record_arrival, record_refusal, sending
from judges.probing import Purpose, current
from judges.remote.envelope import (
    TooLarge,
    allowances,
    codes_of,
    decoded,
    is_over_limit,
    read_json,
    retry_after_s,
    status_of,
    tokens_of,
    without_access,
    words_of,
)
from judges.remote.overlong import is_overlong
from judges.remote.pace import Paid
from judges.remote.served_model import Served, Weight
from trueward.tracing import trace_headers

ATTEMPTS = 8
HASTY_ATTEMPTS = 3
PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0
CONNECT_S = 5.0
MOST_BYTES = 64 * 2**20
_ALIVE = frozenset({408, 409, 425})
"""To be tried again, and no evidence that the server is down."""
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
    """The server will not answer this request: its status, its words, and whether these say that the text is too long
    for the model."""

    def __init__(self, status: int, words: str, *, overlong: bool = False) -> None:
        super().__init__(f"status {status}: {words}")
        self.status = status
        self.words = words
        self.overlong = overlong


class _Again(Exception):
    """A failure that another try may mend; ``busy``: what was too much is waited for with everybody else."""

    def __init__(self, failure: ModelFailure, *, busy: bool = False) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.busy = busy


@dataclass(frozen=True, slots=True)
class _Reply:
    """``status`` is the one that is meant, which may stand in the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Server:
    """``url`` is its root, with or without OpenAI's ``/v1``; what it has of a query goes with every request.

    ``connections`` are kept open for the next requests, ``pause_s`` is the first pause between tries. ``trouble`` is
    what the last request failed with while it waits to be sent again, ``sent_at`` when one was last sent (the loop's
    time).
    """

    def __init__(
        self,
        url: str,
        connections: int,
        *,
        key: str | None = None,
        pause_s: float = PAUSE_S,
        most_bytes: int = MOST_BYTES,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        root, _, query = url.partition("?")
        self.served = Served()
        self.trouble: ModelFailure | None = None
        self.sent_at: float | None = None
        self._key = key
        self._pause_s = pause_s
        self._most_bytes = most_bytes
        self._deadline = math.inf
        self._weight = Weight()
        self._headers: Mapping[str, str] = {}
        self._client = httpx2.AsyncClient(
            base_url=root.rstrip("/").removesuffix("/v1"),
            params=httpx2.QueryParams(query),
            headers={"Accept-Encoding": "identity"} | ({} if key is None else {"Authorization": f"Bearer {key}"}),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=connections),
            timeout=httpx2.Timeout(None, connect=CONNECT_S),
            verify=_authorities(),
            transport=transport,
        )

    async def close(self) -> None:
        await self._client.aclose()

    def until(
        self, deadline: float, weight: Weight | None = None, headers: Mapping[str, str] = MappingProxyType({})
    ) -> Self:
        """The same server, asked by whoever waits no longer than that (the loop's time), for what weighs so much.

        ``{secret}`` in a value of ``headers`` stands for the key.
        """
        hurried = copy.copy(self)
        hurried._deadline = deadline
        hurried._weight = weight or Weight()
        hurried._headers = {name: value.replace("{secret}", self._key or "") for name, value in headers.items()}
        hurried.trouble = hurried.sent_at = None
        return hurried

    async def get(self, path: str) -> JsonValue:
        return await self._ask("GET", path, None)

    async def post(self, path: str, body: JsonValue) -> JsonValue:
        """The answer's JSON. Takes as long as the server does: the caller cancels.

        Raises :class:`Refused`, :class:`judges.base.ModelBusy`, :class:`judges.base.KeyRefused` or
        :class:`judges.base.ModelUnavailable`.
        """
        return await self._ask("POST", path, json.dumps(body).encode())

    async def _ask(self, method: str, path: str, body: bytes | None) -> JsonValue:
        """Until it is answered or given up."""
        asking, answers, tries, beside = current(), -1, 0, 0
        weight = self._weight if _is_charged(method, path) else Weight()
        while True:
            at_once = asking.turn is not None and asking.purpose is Purpose.CONTROL and tries == 0
            paid = await self._enter(weight, at_once=at_once)
            try:
                found = await self._try(method, path, body, paid)
            except _Again as last:
                tries += not last.busy or self._deadline == math.inf
                if not last.busy and asking.purpose.harmless:
                    self.served.record_harmless(answered=False)
                    if asking.turn is not None:
                        asking.turn.lost = True
                beside += not last.busy and self.served.answers > answers
                answers = self.served.answers
                if self._is_enough(tries, beside, asking.purpose, last):
                    raise last.failure from last
                self.trouble, self.sent_at = last.failure, None
                if not last.busy:
                    await self._rest(tries)
            else:
                if asking.purpose.harmless and tries == 0:
                    self.served.record_harmless(answered=True)
                return found

    def _is_enough(self, tries: int, beside: int, purpose: Purpose, last: _Again) -> bool:
        """Whether a question is given up: after ``HASTY_ATTEMPTS`` without a deadline, after ``ATTEMPTS`` with answers
        to others between them (``beside``), or after those of its purpose."""
        if self._deadline == math.inf:
            return tries >= HASTY_ATTEMPTS
        most = purpose.tries_down if self.served.breaker.open else purpose.tries
        return beside >= ATTEMPTS or (tries >= most and not last.busy)

    async def _enter(self, weight: Weight, *, at_once: bool) -> Paid:
        self.sent_at = None
        try:
            paid = await self.served.enter(weight, self._deadline, at_once=at_once)
        except ModelFailure as failure:
            words = f"{self._client.base_url} cannot be asked: {failure}"
            raise type(failure)(f"{words}; before: {self.trouble}" if self.trouble else words) from failure
        self.trouble, self.sent_at = None, asyncio.get_running_loop().time()
        return paid

    async def _rest(self, tries: int) -> None:
        longest = min(LONGEST_PAUSE_S, self._pause_s * 2.0 ** min(tries - 1, 16))
        await asyncio.sleep(uniform(longest / 2, longest))

    async def _try(self, method: str, path: str, body: bytes | None, paid: Paid) -> JsonValue:
        try:
            told = await self._charged(method, path, body)
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as wrong:
            self.served.record_abandoned(paid)
            raise self._unavailable(path, str(wrong)) from wrong
        except httpx2.TransportError as lost:
            words = f"{type(lost).__name__} {lost}"
            self.served.record_failure(paid, words)
            raise _Again(self._unavailable(path, words)) from lost
        except BaseException:  # whoever asked has left, or cannot pay: nothing is known of the server
            self.served.record_abandoned(paid)
            raise
        return self._meant(path, told, paid)

    def _meant(self, path: str, told: _Reply, paid: Paid) -> JsonValue:
        left, wait_s, words = allowances(told.headers), retry_after_s(told.headers), self._words(told.body)
        if without_access(told.status, told.body):
            refusal = f"{self._client.base_url} refuses the key, or its account is empty: {words[:300]}"
            self.served.record_bad_key(paid, refusal)
            raise KeyRefused(refusal)
        if told.status == 429 and is_over_limit(words):
            self.served.record_decline(paid, left)
            raise Refused(told.status, words, overlong=True)
        if told.status == 429:
            self.served.record_refusal(paid, wait_s, left)
            raise _Again(ModelBusy(f"{self._client.base_url} has no room: {words}"), busy=True)
        failure = self._unavailable(path, f"status {told.status}: {words}")
        if told.status >= 400 and is_overlong(words, codes_of(told.body)):
            self.served.record_decline(paid, left)
            raise Refused(told.status, words, overlong=True)
        if told.status >= 500:
            self.served.record_failure(paid, f"status {told.status}: {words[:300]}", wait_s)
            raise _Again(failure)
        if told.status != 200:
            self.served.record_decline(paid, left)
            if told.status in _ALIVE:
                raise _Again(failure)
            raise self._declined(path, told.status, words, failure)
        try:
            value = read_json(told.body)
        except (ValueError, RecursionError) as wrong:  # a page of what stands before it, or nothing at all
            kind = told.headers.get("content-type") or "of no type"
            failure = self._unavailable(path, f"its answer is no JSON ({kind[:60]}): {words[:100]!r}")
            self.served.record_failure(paid, str(failure), wait_s)
            raise _Again(failure) from wrong
        self.served.record_answer(paid, *tokens_of(value), left)
        return value

    def _declined(self, path: str, status: int, words: str, failure: ModelUnavailable) -> Refused | ModelUnavailable:
        if 300 <= status < 400:
            return self._unavailable(path, "it redirects, which is not followed: register the URL that it leads to")
        return Refused(status, words) if status >= 400 else failure

    async def _charged(self, method: str, path: str, body: bytes | None) -> _Reply:
        """The same as ``_exchange``; who pays is told of what the server may charge for."""
        if not _is_charged(method, path):
            return await self._exchange(method, path, body)
        await sending()
        try:
            told = await self._exchange(method, path, body)
        except _UNSENT:
            record_refusal()
            raise
        if told.status == 200:
            record_arrival()
        elif told.status not in _GATEWAY:
            record_refusal()
        return told

    async def _exchange(self, method: str, path: str, body: bytes | None) -> _Reply:
        sent = dict(self._headers) | trace_headers() | ({} if body is None else {"Content-Type": "application/json"})
        async with self._client.stream(method, path, content=body, headers=sent) as response:
            answer = bytearray()
            async for chunk in response.aiter_raw():
                answer += chunk
                if len(answer) > self._most_bytes:
                    raise self._unavailable(path, f"the answer has more than {self._most_bytes} bytes")
            try:
                content = decoded(bytes(answer), self._most_bytes)
            except TooLarge:
                raise self._unavailable(path, f"the answer has more than {self._most_bytes} bytes") from None
            return _Reply(status_of(response.status_code, content), response.headers, content)

    def _words(self, answer: bytes) -> str:
        words = words_of(answer)
        return (words.replace(self._key, "***") if self._key else words)[:1000]

    def _unavailable(self, path: str, why: str) -> ModelUnavailable:
        return ModelUnavailable(f"{self._client.base_url} cannot be used ({path}): {why[:300]}")


@cache
def _authorities() -> ssl.SSLContext:
    """Those that TLS trusts: read once a process, for reading them takes tens of milliseconds of the event loop."""
    return httpx2.create_ssl_context()


def _is_charged(method: str, path: str) -> bool:
    return method == "POST" and not path.endswith("tokenize")
