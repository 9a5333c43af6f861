"""The models of other servers that speak one protocol, as :class:`judges.backend.Backend`.

Their weights are their own business: version 0 here, whatever they are, and none are given to them. What they say is
never cut, for they would not tell how much.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from judges.backend import ModelStatus
from judges.base import ModelFailure, ModelUnavailable, TooLong, Unaskable, WeightsBehind
from judges.questions import Answer, Classify, EachToken, Prompt, Question
from judges.remote.dialect import Dialect
from judges.remote.openai import OpenAI
from judges.remote.secret import key_of
from judges.remote.server import Refused, Server
from judges.remote.sglang import SGLang
from judges.remote.tei import TextEmbeddingsInference
from judges.remote.turns import Turns
from judges.remote.vllm import VLLM
from trueward.models import Backend as Protocol
from trueward.models import ModelEntry, Weights, WeightsRequest

CONNECTIONS = 64
_DIALECTS: Mapping[Protocol, type[Dialect]] = {
    "vllm": VLLM,
    "sglang": SGLang,
    "tei": TextEmbeddingsInference,
    "openai": OpenAI,
}
_OVER = re.compile(
    r"maximum context length|context length is|longer than the (?:model's context|maximum model) length"
    r"|exceeds? (?:the |this )?(?:model's )?maximum|must have less than"
)
_LIMIT = re.compile(r"(?:length(?: is| of)?(?: only)? ?\(?|less than )([0-9]{1,9})\b")
_COUNT = re.compile(r"\b[0-9]{1,9}\b")
_MARGIN_S = 0.25


@dataclass(frozen=True, slots=True)
class _Place:
    server: Server
    turns: Turns


class RemoteBackend:
    """``connections`` bounds the questions that one server is asked at once, with one key."""

    def __init__(self, protocol: Protocol, *, connections: int = CONNECTIONS) -> None:
        self._dialect = _DIALECTS[protocol]()
        self._connections = connections
        self._places: dict[tuple[str, str | None], _Place] = {}
        self._statuses: dict[str, ModelStatus] = {}
        self._counted: Counter[str] = Counter()

    async def ask(
        self, entry: ModelEntry, question: Question, *, deadline: float, flow: str, least_weights: int = 0
    ) -> Answer:
        if least_weights > 0:
            raise WeightsBehind(f"{entry.name} is another server's, which does not tell the version of its weights")
        now = asyncio.get_running_loop().time()
        ours = deadline - min(_MARGIN_S, max(0.0, deadline - now) / 10)  # over before the caller's
        self._counted["in_flight"] += 1
        try:
            place = self._place(entry)
            async with asyncio.timeout_at(ours), place.turns.take(flow):
                answer = await self._asked(place.server.until(ours), entry, question)
        except ModelUnavailable as failure:
            self._statuses[entry.name] = ModelStatus("failed", str(failure))
            raise
        finally:
            self._counted["in_flight"] -= 1
        self._statuses[entry.name] = ModelStatus("ready")
        self._counted["answered"] += 1
        self._counted["batch_tokens"] += answer.tokens
        return answer

    async def load(self, entry: ModelEntry) -> None:
        try:
            await self._dialect.ready(self._place(entry).server, entry)
        except Refused as refusal:
            raise ModelUnavailable(f"the server refuses to tell what it has: {refusal}") from refusal
        self._statuses[entry.name] = ModelStatus("ready")

    async def swap(self, entry: ModelEntry, request: WeightsRequest) -> Weights:
        raise ValueError(f"{entry.name} is another server's: give it its weights there, and register it anew")

    async def status(self) -> Mapping[str, ModelStatus]:
        return dict(self._statuses)

    async def drop(self, name: str) -> None:
        self._statuses.pop(name, None)

    async def close(self) -> None:
        for place in self._places.values():
            await place.server.close()

    def counters(self) -> Mapping[str, float]:
        waiting = sum(place.turns.waiting for place in self._places.values())
        return {**self._counted, "queue_items": waiting}

    def _place(self, entry: ModelEntry) -> _Place:
        """Servers of one URL that are asked with different keys are different servers."""
        assert entry.url is not None, "an entry of another server has a url"
        where = (entry.url, entry.secret)
        if where not in self._places:
            server = Server(entry.url, self._connections, key=key_of(entry))
            self._places[where] = _Place(server, Turns(self._connections))
        return self._places[where]

    async def _asked(self, server: Server, entry: ModelEntry, question: Question) -> Answer:
        try:
            return await self._dialect.ask(server, entry, question)
        except Refused as refusal:
            if _OVER.search(refusal.words):
                raise await self._too_long(server, entry, question, refusal.words) from refusal
            if refusal.status in (400, 413, 422):
                raise Unaskable(f"the server refuses the question: {refusal.words[:300]}") from refusal
            raise ModelUnavailable(f"{entry.url} does not answer: {str(refusal)[:300]}") from refusal

    async def _too_long(self, server: Server, entry: ModelEntry, question: Question, words: str) -> TooLong:
        """Whose doing it is: the response's only where the prompt alone is known to fit."""
        stated = _LIMIT.search(words)
        limit = int(stated[1]) if stated else 0
        tokens = max((int(found) for found in _COUNT.findall(words)), default=0)
        prompt = _prompt_of(question)
        try:
            alone = await self._dialect.count(server, entry, prompt) if prompt else 0
        except (Refused, ModelFailure):
            return TooLong("prompt", tokens, limit)
        return TooLong("response" if alone < limit else "prompt", tokens, limit)


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
