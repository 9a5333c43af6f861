"""An imitated provider of models: answers as OpenAI's protocol does, and fails as it is told to.

It is our own: what it does is what the documentation of providers describes (token buckets, ``Retry-After``,
``x-ratelimit-*``, errors under a status of 200), not a recording of one.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

Answer = tuple[int, dict[str, str], bytes]
LOST: Answer = 0, {}, b""
"""No answer: the connection is lost."""
NETWORK_S = (0.01, 0.03)
"""Seconds one way."""
REPLY = json.dumps({"analysis": "The final answer is the reference's.", "verdict": "correct"})
WRITTEN = 40


@dataclass(frozen=True, slots=True)
class Limit:
    """A token bucket: so much a second, at most ``burst`` at once. ``unit``: ``requests`` or ``tokens``.

    ``retry_after``: whether a refusal says when to come back. ``told``: whether answers tell what is left.
    """

    rate: float
    burst: float
    unit: str = "requests"
    retry_after: bool = False
    told: bool = False


@dataclass(frozen=True, slots=True)
class Nature:
    """How one model behaves: seconds an answer takes, times (from, to) in which it is down, its limit, the share of
    answers that are failures (by turns: 500, 529, 408, an error under 200, no choices), whether its key is refused.

    What is under way when it goes down is lost; then there is no connection, and for the second half 503.
    """

    latency_s: tuple[float, float] = (0.5, 2.0)
    down: Sequence[tuple[float, float]] = ()
    limit: Limit | None = None
    failing: float = 0.0
    key_dead: bool = False


@dataclass(slots=True)
class Provider:
    """By model: ``calls`` that came, ``refused`` ones, and those that were ``started``, with their
    ``tokens``, which are paid for also where the asker leaves."""

    natures: Mapping[str, Nature]
    began: float = 0.0
    seed: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    started: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    _levels: dict[str, tuple[float, float]] = field(default_factory=dict)
    _random: Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)

    async def answer(self, body: bytes) -> Answer:
        """To one request for a chat completion, there and back."""
        await asyncio.sleep(self._random.uniform(*NETWORK_S))
        said = await self._answered(body)
        await asyncio.sleep(self._random.uniform(*NETWORK_S))
        return said

    async def _answered(self, body: bytes) -> Answer:
        asked = json.loads(body)
        name = asked["model"]
        nature = self.natures[name]
        self.calls[name] += 1
        now = asyncio.get_running_loop().time() - self.began
        for start, end in nature.down:
            if start <= now < end:
                return LOST if now < (start + end) / 2 else self._no(name, 503, "the model is being loaded")
        if nature.key_dead:
            return self._no(name, 401, "Incorrect API key provided.", code="invalid_api_key")
        read = sum(len(turn["content"]) for turn in asked["messages"]) // 4
        headers, refusal = self._admit(name, nature.limit, now, read + WRITTEN)
        if refusal is not None:
            return self._no(name, 429, refusal, headers)
        if self._random.random() < nature.failing:
            return self._fail(name)
        self.started[name] += 1
        self.tokens[name] += read + WRITTEN
        ready = now + self._random.uniform(*nature.latency_s)
        ends = min([ready, *(start for start, _ in nature.down if now < start)])
        await asyncio.sleep(ends - now)
        if ends < ready:
            return LOST
        choice = {"index": 0, "message": {"role": "assistant", "content": REPLY}, "finish_reason": "stop"}
        usage = {"prompt_tokens": read, "completion_tokens": WRITTEN, "total_tokens": read + WRITTEN}
        said = {"id": "1", "object": "chat.completion", "created": 0, "model": name}
        return 200, headers, json.dumps({**said, "choices": [choice], "usage": usage}).encode()

    def _admit(self, name: str, limit: Limit | None, now: float, tokens: float) -> tuple[dict[str, str], str | None]:
        if limit is None:
            return {}, None
        cost = tokens if limit.unit == "tokens" else 1.0
        level, at = self._levels.get(name, (limit.burst, now))
        level = min(limit.burst, level + limit.rate * (now - at))
        fits = cost <= level
        level -= cost if fits else 0.0
        self._levels[name] = level, now
        headers = {}
        if limit.told:
            headers = {
                f"x-ratelimit-limit-{limit.unit}": f"{limit.burst:.0f}",
                f"x-ratelimit-remaining-{limit.unit}": f"{max(level, 0.0):.0f}",
                f"x-ratelimit-reset-{limit.unit}": f"{(limit.burst - level) / limit.rate:.3f}s",
            }
        if fits:
            return headers, None
        if limit.retry_after:
            headers["retry-after"] = str(max(1, round((cost - level) / limit.rate)))
        return headers, "Rate limit reached"

    def _fail(self, name: str) -> Answer:
        turn = self.refused[name] % 5
        self.refused[name] += 1
        if turn < 3:
            return (500, 529, 408)[turn], {}, b'{"error": {"message": "overloaded"}}'
        if turn == 3:
            return 200, {}, b'{"error": {"code": 502, "message": "the upstream failed"}}'
        return 200, {}, json.dumps({"object": "chat.completion", "choices": []}).encode()

    def _no(self, name: str, status: int, words: str, headers: dict[str, str] | None = None, code: str = "") -> Answer:
        self.refused[name] += 1
        return status, headers or {}, json.dumps({"error": {"message": words, "code": code or None}}).encode()
