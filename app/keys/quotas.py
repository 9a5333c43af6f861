"""Quotas of keys: samples a minute, and seconds of work a minute, by the generic cell rate algorithm.

A bucket holds a minute's quota and fills again steadily. What is asked fits where the bucket has it; more than a whole
bucket fits where the bucket is full, and has to be earned before the next. Who may wait takes his turn beforehand:
what he asks is taken at once, and he goes on when it would have been there, so that callers of one key are served
first come, first served. Nothing is taken from a bucket for what is refused, or from one bucket where another refuses.

A bucket here is this server's: with several servers, each grants the quota, unless they share their buckets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple, Protocol

from trueward.errors import QuotaExceeded
from trueward.wire.key import KeyView

MINUTE_S = 60.0
_PRUNED_AT = 1000
_WHENEVER_S = 1e9


class QuotaClaim(NamedTuple):
    """``amount`` of a bucket that holds ``per_minute``."""

    bucket: str
    amount: float
    per_minute: float

    @property
    def worth_s(self) -> float:
        """Seconds in which the bucket earns the amount."""
        return self.amount / self.per_minute * MINUTE_S


class Buckets(Protocol):
    """Where the state of buckets is kept."""

    async def take(self, claims: Sequence[QuotaClaim], within_s: float) -> float:
        """Seconds until all claims fit together, 0.0 where they fit now. They are taken where that is at most
        ``within_s``, else nothing is."""
        ...

    async def give_back(self, claims: Sequence[QuotaClaim]) -> None:
        """What was taken before and not used."""
        ...


class LocalBuckets:
    """Of this process. ``clock`` is monotonic, in seconds. A bucket that is full again is forgotten."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._full_at: dict[str, float] = {}
        self._pruned_at = _PRUNED_AT

    def __len__(self) -> int:
        return len(self._full_at)

    async def take(self, claims: Sequence[QuotaClaim], within_s: float) -> float:
        at = self._clock()
        wait_s = max((self._wait_s(claim, at) for claim in claims), default=0.0)
        if wait_s <= within_s:
            for claim in claims:
                self._full_at[claim.bucket] = max(self._full_at.get(claim.bucket, at), at) + claim.worth_s
            self._prune(at)
        return wait_s

    async def give_back(self, claims: Sequence[QuotaClaim]) -> None:
        for claim in claims:
            if claim.bucket in self._full_at:
                self._full_at[claim.bucket] -= claim.worth_s

    def _wait_s(self, claim: QuotaClaim, at: float) -> float:
        owed_s = max(self._full_at.get(claim.bucket, at) - at, 0.0)
        return max(owed_s + min(claim.worth_s, MINUTE_S) - MINUTE_S, 0.0)

    def _prune(self, at: float) -> None:
        if len(self._full_at) >= self._pruned_at:
            self._full_at = {name: full_at for name, full_at in self._full_at.items() if full_at > at}
            self._pruned_at = max(2 * len(self._full_at), _PRUNED_AT)


@dataclass(frozen=True, slots=True)
class Taken:
    claims: Sequence[QuotaClaim]
    buckets: Buckets

    async def give_back(self) -> None:
        await self.buckets.give_back(self.claims)


class KeyQuotas:
    """``find`` knows the key of an id; an id that it does not know has no quota."""

    def __init__(self, find: Callable[[str], Awaitable[KeyView | None]], buckets: Buckets) -> None:
        self._find = find
        self._buckets = buckets

    async def charge(self, owner: str, samples: int, cost_s: float, hold_until: float | None) -> Taken | None:
        """See :class:`app.admission.gate.Quotas`."""
        key = await self._find(owner)
        if key is None or not (claims := _claims(key, samples, cost_s)):
            return None
        loop = asyncio.get_running_loop()
        within_s = 0.0 if hold_until is None else max(hold_until - loop.time(), 0.0)
        wait_s = await self._buckets.take(claims, within_s)
        taken = Taken(claims, self._buckets)
        if wait_s > within_s:
            await asyncio.sleep(within_s)
            raise _exceeded(key, wait_s - within_s)
        try:
            await asyncio.sleep(wait_s)
        except asyncio.CancelledError:
            await taken.give_back()
            raise
        return taken

    async def owe(self, owner: str, samples: int, cost_s: float) -> Taken | None:
        """See :class:`app.admission.gate.Quotas`."""
        key = await self._find(owner)
        if key is None or not (claims := _claims(key, samples, cost_s)):
            return None
        await self._buckets.take(claims, _WHENEVER_S)
        return Taken(claims, self._buckets)


def _claims(key: KeyView, samples: int, cost_s: float) -> list[QuotaClaim]:
    asked = (("samples", samples, key.samples_per_minute), ("cost", cost_s, key.cost_per_minute))
    return [
        QuotaClaim(f"{key.id} {what}", amount, per_minute)
        for what, amount, per_minute in asked
        if per_minute is not None and amount > 0
    ]


def _exceeded(key: KeyView, wait_s: float) -> QuotaExceeded:
    quotas = ((key.samples_per_minute, "samples"), (key.cost_per_minute, "seconds of work"))
    allowed = " and ".join(f"{quota:g} {what}" for quota, what in quotas if quota is not None)
    return QuotaExceeded(
        f"the key {key.name!r} may use {allowed} a minute, and they are used up: this request fits in "
        f"{wait_s:.1f} s. Nothing was scored",
        retry_after_s=wait_s,
    )
