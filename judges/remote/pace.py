"""How fast a model of another server may be asked: by its entry, by what its server tells, by what it refuses.

Limits are token buckets: full at first, and refilled continuously, as the large providers describe theirs. One that is
stricter refuses, which slows everybody down. Where a server refuses without telling any limit, the rate is found as TCP
finds its own (additive increase, multiplicative decrease; Chiu and Jain 1989): at first what was accepted of late, a
tenth less with every refusal, and slowly more while none comes.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from judges.remote.envelope import Allowance
from trueward.wire.model import RequestLimits

Clock = Callable[[], float]

LONGEST_PAUSE_S = 300.0
"""A ``Retry-After`` that asks for more is tried again after that."""
_NEARLY = 1e-6
_SLOWEST = 0.1
_FIRST = 2.0
_EASED, _EASED_IN_VAIN = 0.9, 0.7
_FASTER = 0.02
_FASTER_SHARE = 0.01
_SHORTEST_S, _LONGEST_S = 1.0, 30.0
_LOOKED_AT = 10
_REMEMBERED = 4096
_NAMES = ("requests", "tokens")
_CHARACTER_TOKENS = 0.3
_WRITTEN_MARGIN = 1.5
_LATEST = 0.1


class Bucket:
    """Holds ``capacity`` at most, refilled at ``rate`` a second. It may be overdrawn: then it has to be refilled."""

    def __init__(self, rate: float, capacity: float, level: float, clock: Clock) -> None:
        self.rate = rate
        self.capacity = capacity
        self._level = level
        self._clock = clock
        self._at = clock()

    def wait_s(self, cost: float) -> float:
        """Seconds until it holds the cost, or is full where it can never hold that."""
        self._refill()
        lacking = min(cost, self.capacity) - self._level
        return lacking / self.rate if lacking > _NEARLY else 0.0

    def take(self, cost: float) -> None:
        self._refill()
        self._level = min(self.capacity, self._level - cost)

    def set(self, level: float) -> None:
        self._refill()
        self._level = level

    def _refill(self) -> None:
        now = self._clock()
        self._level = min(self.capacity, self._level + self.rate * (now - self._at))
        self._at = now


class Rhythm:
    """The rate of requests that a server accepts which tells no limit, learned from its refusals.

    After refusals that came one after another, without an answer between them, it is soon as high as before.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sent: deque[float] = deque(maxlen=_REMEMBERED)
        self._first: float | None = None
        self._bucket: Bucket | None = None
        self._eased_at = -math.inf
        self._goal = math.inf
        self._least = _FIRST
        self._vain = self._first_time = True

    @property
    def rate(self) -> float | None:
        """Requests a second; None where none was ever refused."""
        return None if self._bucket is None else self._bucket.rate

    def wait_s(self) -> float:
        return 0.0 if self._bucket is None else self._bucket.wait_s(1.0)

    def record_sent(self) -> float:
        """The time, by which the request is told of later."""
        now = self._clock()
        self._first = now if self._first is None else self._first
        self._sent.append(now)
        if self._bucket is not None:
            self._bucket.take(1.0)
        return now

    def record_accepted(self, sent_at: float) -> None:
        if self._bucket is None or sent_at <= self._eased_at:
            return
        self._vain = False
        rate = self._bucket.rate
        self._become(min(self._goal, 2 * rate) if rate < self._goal else rate + min(_FASTER, _FASTER_SHARE * rate))

    def record_refusal(self, sent_at: float) -> None:
        if sent_at in self._sent:
            self._sent.remove(sent_at)
        rate, now = self._accepted_rate(), self._clock()
        if self._bucket is None:
            self._bucket = Bucket(max(rate, _FIRST), 1.0, 0.0, self._clock)
            self._eased_at = now
        elif sent_at > self._eased_at:
            self._first_time = False
            if not self._vain:  # else all is refused, which tells nothing of the rate
                self._goal = max(rate, _EASED * self._bucket.rate)
            rate = min(rate, (_EASED_IN_VAIN if self._vain else _EASED) * self._bucket.rate)
            self._least, self._eased_at, self._vain = self._bucket.rate / 2, now, True
        rate = max(self._least, min(rate, self._bucket.rate))  # the latter for what was sent before it was eased
        if self._first_time:
            self._goal = rate
        self._become(rate)
        self._bucket.set(0.0)

    def _accepted_rate(self) -> float:
        """Requests a second that were sent of late and not refused."""
        now, rate = self._clock(), self.rate
        window_s = _SHORTEST_S if rate is None else min(_LONGEST_S, max(_SHORTEST_S, _LOOKED_AT / rate))
        window_s = max(_SHORTEST_S, min(window_s, now - (now if self._first is None else self._first)))
        return sum(sent > now - window_s for sent in self._sent) / window_s

    def _become(self, rate: float) -> None:
        assert self._bucket is not None, "a rate is learned first"
        self._bucket.wait_s(0.0)  # refilled at the rate of before
        self._bucket.rate = max(_SLOWEST, rate)
        self._bucket.capacity = max(1.0, self._bucket.rate / 10)


@dataclass(slots=True)
class Paid:
    """A request on its way: when it was sent, the tokens that were set aside for it, and what it reads and writes."""

    sent_at: float
    tokens: float
    characters: int


class Pace:
    """All of it for one model. ``clock`` gives the loop's time."""

    def __init__(self, clock: Clock) -> None:
        self.paused_until = -math.inf
        self._clock = clock
        self._rhythm = Rhythm(clock)
        self._limits: RequestLimits | None = None
        self._own: tuple[Bucket | None, Bucket | None] = (None, None)
        self._told: dict[str, Bucket] = {}
        self._told_at = -math.inf
        self._in_flight = [0.0, 0.0]
        self._token_share = _CHARACTER_TOKENS
        self._written: float | None = None

    def limit(self, limits: RequestLimits | None) -> None:
        """What the model's entry says; the same again changes nothing."""
        if limits != self._limits:
            self._limits = limits
            known = limits or RequestLimits()
            self._own = (self._of_minute(known.requests_per_minute), self._of_minute(known.tokens_per_minute))

    def estimate_tokens(self, characters: int, most_written: int) -> float:
        """Tokens of a request, by what earlier ones took."""
        written = most_written if self._written is None else min(most_written, _WRITTEN_MARGIN * self._written)
        return self._token_share * characters + written

    def wait_s(self, tokens: float) -> float:
        """Seconds until the next request may be sent, 0 for now."""
        now = self._clock()
        costs = (1.0, tokens)
        own = [bucket.wait_s(cost) for bucket, cost in zip(self._own, costs, strict=True) if bucket]
        told = [self._told[name].wait_s(cost) for name, cost in zip(_NAMES, costs, strict=True) if name in self._told]
        told_s = min(max(told, default=0.0), max(0.0, self._told_at + LONGEST_PAUSE_S - now))
        return max(0.0, self.paused_until - now, self._rhythm.wait_s(), told_s, *own)

    def take(self, tokens: float, characters: int) -> Paid:
        self._spend(1.0, tokens)
        self._in_flight[0] += 1.0
        self._in_flight[1] += tokens
        return Paid(self._rhythm.record_sent(), tokens, characters)

    def pause(self, wait_s: float) -> None:
        """Nobody asks for so long."""
        self.paused_until = max(self.paused_until, self._clock() + min(wait_s, LONGEST_PAUSE_S))

    def record_answer(self, paid: Paid, read: int, written: int) -> None:
        """``read`` and ``written`` are tokens, 0 where the server does not tell."""
        self._rhythm.record_accepted(paid.sent_at)
        self._ended(paid)
        if not read:
            return
        self._spend(0.0, read + written - paid.tokens)
        if paid.characters:
            self._token_share += _LATEST * (read / paid.characters - self._token_share)
        if paid.characters and written:
            self._written = written if self._written is None else self._written + _LATEST * (written - self._written)

    def record_refusal(self, paid: Paid, wait_s: float | None, *, told: bool) -> None:
        """It was too much; ``told`` where the server said how much it allows."""
        self.refund(paid)
        if wait_s is not None:
            self.pause(wait_s)
        if not told:
            self._rhythm.record_refusal(paid.sent_at)
        elif wait_s is None and self.wait_s(paid.tokens) <= 0:
            self.pause(_SHORTEST_S)  # what it told was too much

    def refund(self, paid: Paid) -> None:
        """The request was not answered: it took no tokens."""
        self._ended(paid)
        self._spend(0.0, -paid.tokens)

    def record_abandoned(self, paid: Paid) -> None:
        """Nobody waits for it any more: the server may count it in full."""
        self._ended(paid)

    def learn(self, told: dict[str, Allowance]) -> None:
        """What the server says that is left, of ``requests`` and ``tokens``; what is on its way may not be in it."""
        for place, name in enumerate(_NAMES):
            if name not in told:
                continue
            left, self._told_at = told[name], self._clock()
            used, minute_rate = left.limit - left.remaining, left.limit / 60
            rate = used / left.reset_s if used > 0 and left.reset_s > 0 else minute_rate
            level = max(-left.limit, left.remaining - max(0.0, self._in_flight[place]))
            if name in self._told:
                bucket = self._told[name]
                bucket.rate, bucket.capacity = rate, left.limit
                bucket.set(level)
            else:
                self._told[name] = Bucket(rate, left.limit, level, self._clock)

    def _of_minute(self, most: int | None) -> Bucket | None:
        return None if not most else Bucket(most / 60, float(most), float(most), self._clock)

    def _spend(self, requests: float, tokens: float) -> None:
        for place, (name, amount) in enumerate(zip(_NAMES, (requests, tokens), strict=True)):
            for bucket in (self._own[place], self._told.get(name)):
                if bucket is not None:
                    bucket.take(amount)

    def _ended(self, paid: Paid) -> None:
        self._in_flight[0] -= 1.0
        self._in_flight[1] -= paid.tokens
