"""The models of other servers that speak one protocol, as :class:`judges.backend.Backend`.

What is asked of one model waits for no other: a model that is down, slow or full keeps nobody from the others of its
URL.

Their weights are their own business: version 0 here, whatever they are, and none are given to them. What they say is
never cut, for they would not tell how much.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

import httpx2

from judges.backend import ModelStatus
from judges.base import KeyRefused, Late, ModelBusy, ModelFailure, ModelUnavailable, TooLong, Unaskable, WeightsBehind
from judges.probing import Purpose, current
from judges.questions import Answer, Classify, EachToken, Generate, Prompt, Question, characters
from judges.remote.dialect import served_name
from judges.remote.flow_slots import FlowSlots
from judges.remote.overlong import lengths
from judges.remote.protocols import MODEL_SERVERS
from judges.remote.served_model import Weight
from judges.remote.server import Refused, Server
from trueward.wire.model import ModelEntry, Weights, WeightsRequest

CONNECTIONS = 64
LOAD_S = 30.0
_MARGIN_S = 0.25


_Where = tuple[str, str | None, str]
"""A URL, the name of a key, and the model's name there."""


@dataclass(frozen=True, slots=True)
class _Place:
    server: Server
    turns: FlowSlots


class RemoteBackend:
    """``connections`` bounds the questions that one model is asked at once, where its entry says nothing else.

    Raises :class:`ModelUnavailable` for a protocol that is not there.
    """

    def __init__(
        self,
        protocol: str,
        *,
        connections: int = CONNECTIONS,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self._dialect = MODEL_SERVERS.get(protocol)()
        self._connections = connections
        self._transport = transport
        self._places: dict[_Where, _Place] = {}
        self._asked: dict[str, _Where] = {}
        self._statuses: dict[str, ModelStatus] = {}
        self._counted: Counter[str] = Counter()

    async def ask(
        self, entry: ModelEntry, question: Question, *, deadline: float, flow: str, least_weights: int = 0
    ) -> Answer:
        if least_weights > 0:
            raise WeightsBehind(f"{entry.name} is another server's, which does not tell the version of its weights")
        now = asyncio.get_running_loop().time
        began = now()
        ours = deadline - min(_MARGIN_S, max(0.0, deadline - began) / 10)  # over before the caller's
        self._counted["in_flight"] += 1
        server: Server | None = None
        try:
            place = self._place(entry)
            server = place.server.until(ours, weight_of(question), _headers(entry))
            async with asyncio.timeout_at(ours):
                answer = await self._answered(place, server, entry, question, flow)
        except (ModelUnavailable, KeyRefused) as failure:
            self._statuses[entry.name] = ModelStatus("failed", str(failure))
            raise
        except TimeoutError:
            late = _late(entry, server, began, now())
            if isinstance(late, ModelUnavailable):
                self._statuses[entry.name] = ModelStatus("failed", str(late))
            raise late from None
        finally:
            self._counted["in_flight"] -= 1
        self._statuses[entry.name] = ModelStatus("ready")
        self._counted["answered"] += 1
        self._counted["batch_tokens"] += answer.tokens
        return answer

    async def load(self, entry: ModelEntry) -> None:
        """Whether its server has it, which is asked anew where it refused the key before."""
        place = self._place(entry)
        place.server.served.forgive()
        try:
            async with asyncio.timeout(LOAD_S):
                await self._dialect.ready(place.server.until(math.inf, headers=_headers(entry)), entry)
        except TimeoutError:
            raise ModelUnavailable(f"{entry.url} did not say within {LOAD_S:g} s what it has") from None
        except Refused as refusal:
            raise ModelUnavailable(f"the server refuses to tell what it has: {refusal}") from refusal
        self._statuses[entry.name] = ModelStatus("ready")

    async def swap(self, entry: ModelEntry, request: WeightsRequest) -> Weights:
        raise ValueError(f"{entry.name} is another server's: give it its weights there, and register it anew")

    async def status(self) -> Mapping[str, ModelStatus]:
        """What keeps a server from being asked at all comes before what became of the last question."""
        found = dict(self._statuses)
        for name, where in self._asked.items():
            state = self._places[where].server.served.state()
            if state:
                found[name] = ModelStatus("failed", f"{where[0]}: {state}")
        return found

    async def drop(self, name: str) -> None:
        self._statuses.pop(name, None)
        self._asked.pop(name, None)

    async def close(self) -> None:
        for place in self._places.values():
            await place.server.close()

    def counters(self) -> Mapping[str, float]:
        waiting = sum(place.turns.waiting for place in self._places.values())
        return {**self._counted, "queue_items": waiting}

    def _place(self, entry: ModelEntry) -> _Place:
        """One for a model of a URL and key, whatever entries lead to it; its limits are the last asked entry's."""
        assert entry.url is not None, "an entry of another server has a url"
        where = (entry.url, entry.secret, served_name(entry))
        at_once = (entry.limits and entry.limits.at_once) or self._connections
        if where not in self._places:
            server = Server(entry.url, at_once, key=key_of(entry), transport=self._transport)
            self._places[where] = _Place(server, FlowSlots(at_once))
        place = self._places[where]
        self._asked[entry.name] = where
        place.server.served.pace.limit(entry.limits)
        place.turns.resize(at_once)
        return place

    async def _answered(
        self, place: _Place, server: Server, entry: ModelEntry, question: Question, flow: str
    ) -> Answer:
        """What finds out whose doing a failure is waits for its turn before it takes a place from others, and for no
        other question of its flow."""
        asking = current()
        if asking.turn is not None:
            await server.served.quarantine.enter(asking.turn)
        line = flow if asking.purpose in (Purpose.PLAIN, Purpose.FIRST) else f"{flow} tried"
        try:
            async with place.turns.take(line):
                return await self._dialect.ask(server, entry, question)
        except Refused as refusal:
            if refusal.overlong:
                raise await self._too_long(server, entry, question, refusal.words) from refusal
            if refusal.status in (400, 413, 422):
                raise Unaskable(f"the server refuses the question: {refusal.words[:300]}") from refusal
            raise ModelUnavailable(f"{entry.url} does not answer: {str(refusal)[:300]}") from refusal

    async def _too_long(self, server: Server, entry: ModelEntry, question: Question, words: str) -> TooLong:
        """Whose doing it is: the response's only where the prompt alone is known to fit."""
        tokens, limit = lengths(words)
        prompt = _prompt_of(question)
        try:
            alone = await self._dialect.count(server, entry, prompt) if prompt else 0
        except (Refused, ModelFailure):
            return TooLong("prompt", tokens, limit)
        return TooLong("response" if alone < limit else "prompt", tokens, limit)


def _headers(entry: ModelEntry) -> Mapping[str, str]:
    return entry.request.headers if entry.request is not None else {}


def weight_of(question: Question) -> Weight:
    """Numbers are read off one token more."""
    return Weight(characters(question), question.max_tokens if isinstance(question, Generate) else 1)


def _late(entry: ModelEntry, server: Server | None, began: float, now: float) -> TimeoutError | ModelFailure:
    """What there is to say where the time is over: what the server failed with, or where the time went."""
    if server is None:
        return Late(entry.name, now - began, 0.0)
    down, paused = server.served.breaker.open, server.served.pause()
    # a question under way to a server that is down is the one that tries it
    if down or (server.sent_at is None and (server.trouble is not None or paused)):
        why = server.trouble or (
            ModelUnavailable(f"{entry.url} is {server.served.state()}") if down else ModelBusy(f"{entry.url}: {paused}")
        )
        return type(why)(f"{why} (waited for {now - began:.0f} s, to the deadline)")
    sent_at = now if server.sent_at is None else server.sent_at
    return Late(entry.name, sent_at - began, now - sent_at)


def _prompt_of(question: Question) -> Prompt:
    """What stands before the policy's first turn; nothing of a plain text that is classified."""
    if isinstance(question, Classify) and isinstance(question.text, str):
        return question.text if question.pair is not None else ""
    if isinstance(question, EachToken):
        return ""
    prompt = question.text[:-1] if isinstance(question, Classify) else question.prompt
    if isinstance(prompt, str):
        return prompt
    return tuple(takewhile(lambda turn: turn.role != "assistant", prompt))


def key_of(entry: ModelEntry) -> str | None:
    """The API key of the entry's server: an environment variable of the service, which entries name and nobody shows.

    None where the entry names no secret. Raises :class:`judges.base.ModelUnavailable` where there is no such key.
    """
    if entry.secret is None:
        return None
    key = os.environ.get(entry.secret, "").strip()
    if not key:
        raise ModelUnavailable(f"{entry.name} needs an API key: the service's environment has no {entry.secret}")
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(f"{entry.secret} holds no API key: it has characters that no header takes")
    return key
