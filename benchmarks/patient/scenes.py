"""What a provider does to a training run, scene by scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from benchmarks.patient.provider import WRITTEN, Limit, Nature
from trueward.wire.model import RequestLimits

DEADLINE_S = 120.0
MINUTE_TOKENS = 100_000
EVERY_S = 180.0
"""An outage falls into each span of so many seconds."""

Asked = tuple[str, float]
"""A model, and the deadline of a question to it, in seconds."""


@dataclass(frozen=True, slots=True)
class Scene:
    """``step`` are the questions of each step; ``curable``: whether one is answered in time if it waits enough."""

    name: str
    natures: Callable[[Random, float], dict[str, Nature]]
    step: tuple[Asked, ...]
    curable: Callable[[Asked], bool] = lambda asked: True
    limits: RequestLimits | None = None
    least_rest_s: float = 5.0
    """Seconds between a step's end and the next one's beginning."""


def scenes(question_tokens: int, samples: int) -> list[Scene]:
    """``question_tokens`` are those of one question, ``samples`` those of a step."""
    minute = min(samples, int(0.9 * MINUTE_TOKENS / (question_tokens + WRITTEN)))
    tokens = Limit(MINUTE_TOKENS / 60, MINUTE_TOKENS, "tokens")
    told = Limit(MINUTE_TOKENS / 60, MINUTE_TOKENS, "tokens", retry_after=True, told=True)
    by_entry = RequestLimits(tokens_per_minute=MINUTE_TOKENS)
    return [
        *(_outage(length_s, samples) for length_s in (3.0, 10.0, 30.0)),
        _limited("10 a second, no Retry-After", Limit(10, 10), samples),
        _limited("10 a second, Retry-After", Limit(10, 10, retry_after=True), samples),
        _limited(
            "10 a second, entry says 600 a minute", Limit(10, 10), samples, RequestLimits(requests_per_minute=600)
        ),
        _limited("10 a second, told in headers", Limit(10, 10, told=True), samples),
        _limited("50 a second, no Retry-After", Limit(50, 50), samples),
        _limited("100,000 tokens a minute, nothing told", tokens, minute),
        _limited("100,000 tokens a minute, entry says so", tokens, minute, by_entry),
        _limited("100,000 tokens a minute, told in headers", told, minute),
        _slow(),
        _dead_among_others(),
        Scene("1 in 10 fails: 500, 529, 408, error in 200, no choices", _always(Nature(failing=0.1)), _step(samples)),
        Scene("the key is refused", _always(Nature(key_dead=True)), _step(samples), lambda asked: False),
    ]


def _step(samples: int) -> tuple[Asked, ...]:
    return (("judge", DEADLINE_S),) * samples


def _always(nature: Nature) -> Callable[[Random, float], dict[str, Nature]]:
    return lambda random, duration_s: {"judge": nature}


def _outage(length_s: float, samples: int) -> Scene:
    def natures(random: Random, duration_s: float) -> dict[str, Nature]:
        starts = [EVERY_S * number + random.uniform(5.0, 0.7 * EVERY_S) for number in range(int(duration_s / EVERY_S))]
        return {"judge": Nature(down=[(start, start + length_s) for start in starts])}

    return Scene(f"down for {length_s:g} s, every 3 minutes", natures, _step(samples))


def _limited(name: str, limit: Limit, samples: int, limits: RequestLimits | None = None) -> Scene:
    return Scene(name, _always(Nature(limit=limit)), _step(samples), limits=limits)


def _slow() -> Scene:
    """14 seconds an answer; the callers that come first have the least time, and one of them too little."""
    step = [*[("judge", 10.0)] * 8, *[("judge", 16.0)] * 16, *[("judge", 60.0)] * 40, *[("judge", 120.0)] * 64]
    slow = _always(Nature(latency_s=(14.0, 14.0)))
    return Scene("14 s an answer; deadlines of 10, 16, 60, 120 s", slow, tuple(step), lambda asked: asked[1] > 14.0)


def _dead_among_others() -> Scene:
    def natures(random: Random, duration_s: float) -> dict[str, Nature]:
        return {"one": Nature(), "two": Nature(), "dead": Nature(down=[(0.0, duration_s * 2)])}

    step = tuple((name, 30.0) for name in ("dead", "one", "two") for _ in range(64))
    return Scene("one dead model of three at one URL", natures, step, lambda asked: asked[0] != "dead")
