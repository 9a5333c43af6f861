"""Back-pressure: how many samples may be on their way at once, and whose they may be.

A caller whose client tries again is told so at once (:class:`~trueward.errors.Overloaded`); one whose
trainer would not survive a refusal is held until there is room or its deadline passes.

While one project waits, no other takes more than its share of the room, by the projects' weights; a project that
was refused counts as waiting until it was told to come back, so who asks again and who is held are treated alike.
Who waits is let in by turns between projects, first come first served within one. Unused shares are anybody's.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from app.admission.limits import CLAIM_S, MOST_RETRY_AFTER_S, RETRY_AFTER_S
from trueward.errors import Overloaded

_IDLE_KEPT = 256

Weights = Callable[[str | None], float]
"""A project's weight, above 0; None stands for the default project."""


def weigh_equally(project: str | None) -> float:
    """Every project weighs the same."""
    return 1.0


@dataclass(slots=True, eq=False)
class _Tenant:
    """``passed``: what it was let in with by turns, over its weight; ``claims_until``: loop time."""

    project: str | None
    weight: float
    taken: int = 0
    passed: float = 0.0
    claims_until: float = 0.0
    queue: deque[tuple[int, asyncio.Future[None]]] = field(default_factory=deque)

    def wants(self, now: float) -> bool:
        return bool(self.queue) or self.claims_until > now


@dataclass(frozen=True, slots=True)
class _Shares:
    """A snapshot of the tenants that hold a part of the room or want one, by identity."""

    capacity: int
    weights: float
    active: set[int]
    wanting: set[int]
    waiting: list[_Tenant]

    def allow(self, tenant: _Tenant, count: int) -> bool:
        """Whether so many more stay within what the project may hold while others wait."""
        if tenant.taken == 0 or not self.wanting - {id(tenant)}:
            return True
        weights = self.weights if id(tenant) in self.active else self.weights + tenant.weight
        return tenant.taken + count <= self.capacity * tenant.weight / weights


class Room:
    """Room for ``capacity`` samples; a batch larger than that is let in alone."""

    def __init__(self, capacity: int, weights: Weights = weigh_equally) -> None:
        self.capacity = capacity
        self.taken = 0
        self.waiting = 0
        self._weights = weights
        self._tenants: dict[str | None, _Tenant] = {}
        self._clock = 0.0
        self._claimed_until = 0.0
        self._freed = 0
        self._freed_since = 0.0
        self._closed = False
        self._shut = False

    def close(self) -> None:
        """From now on only held callers are let in: the others may ask another server, or this one's successor."""
        self._closed = True

    def shut(self) -> None:
        """Lets no more samples in, and refuses those that wait."""
        self._closed = self._shut = True
        for tenant in self._tenants.values():
            for _, turn in tenant.queue:
                if not turn.done():
                    turn.set_exception(_stopping())

    @asynccontextmanager
    async def take(
        self, count: int, *, hold_until: float | None = None, project: str | None = None
    ) -> AsyncIterator[None]:
        """Raises :class:`Overloaded` when there is no room (``hold_until``: loop time, for held callers)."""
        if self._closed and (self._shut or hold_until is None):
            raise _stopping()
        tenant = self._tenants.get(project) or self._arrived(project)
        if self._at_once(tenant, count):
            self.taken += count
            tenant.taken += count
        elif hold_until is None:
            raise self._refusal(tenant, count)
        else:
            await self._wait(tenant, count, hold_until)
        try:
            yield
        finally:
            self._leave(tenant, count)

    def _arrived(self, project: str | None) -> _Tenant:
        if len(self._tenants) >= _IDLE_KEPT:
            now = asyncio.get_running_loop().time()
            for name, tenant in list(self._tenants.items()):
                if not tenant.taken and not tenant.wants(now):
                    del self._tenants[name]
        tenant = self._tenants[project] = _Tenant(project, self._weights(project))
        return tenant

    def _fits(self, count: int) -> bool:
        return self.taken == 0 or self.taken + count <= self.capacity

    def _at_once(self, tenant: _Tenant, count: int) -> bool:
        """Whether there is room, and no other project waits for it first."""
        if not self._fits(count):
            return False
        now = asyncio.get_running_loop().time() if self.waiting or self._claimed_until else 0.0
        if not self.waiting and self._claimed_until <= now:
            self._claimed_until = 0.0
            return True
        shares = self._shares(now)
        return shares.allow(tenant, count) and not any(shares.allow(one, one.queue[0][0]) for one in shares.waiting)

    def _shares(self, now: float) -> _Shares:
        active = [one for one in self._tenants.values() if one.taken or one.wants(now)]
        for one in active:
            one.weight = self._weights(one.project)
        wanting = {id(one) for one in active if one.wants(now)}
        return _Shares(
            self.capacity,
            sum(one.weight for one in active),
            {id(one) for one in active},
            wanting,
            [one for one in active if one.queue],
        )

    def _refusal(self, tenant: _Tenant, count: int) -> Overloaded:
        now = asyncio.get_running_loop().time()
        after_s = self._retry_after_s(count, now)
        tenant.claims_until = now + after_s + CLAIM_S
        self._claimed_until = max(self._claimed_until, tenant.claims_until)
        return Overloaded(
            f"{self.taken} samples are on their way, the limit is {self.capacity}: send this again in {after_s:g} s",
            retry_after_s=after_s,
        )

    def _retry_after_s(self, count: int, now: float) -> float:
        """Whole seconds until so many more samples may fit, by the rate at which samples were answered recently."""
        passed_s = now - self._freed_since
        ahead = self.taken + count - self.capacity + sum(n for one in self._tenants.values() for n, _ in one.queue)
        seconds = ahead * passed_s / self._freed if self._freed else RETRY_AFTER_S
        if passed_s > MOST_RETRY_AFTER_S:
            self._freed, self._freed_since = 0, now
        return float(math.ceil(min(MOST_RETRY_AFTER_S, max(RETRY_AFTER_S, seconds))))

    async def _wait(self, tenant: _Tenant, count: int, hold_until: float) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (count, turn)
        tenant.queue.append(entry)
        self.waiting += 1
        try:
            async with asyncio.timeout_at(hold_until):
                await turn
        except (TimeoutError, Overloaded, asyncio.CancelledError) as stopped:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self._leave(tenant, count)
            elif entry in tenant.queue:
                tenant.queue.remove(entry)
                self.waiting -= 1
                self._admit_waiting()
            if isinstance(stopped, TimeoutError):
                raise Overloaded("no room before the deadline", retry_after_s=RETRY_AFTER_S) from None
            raise

    def _leave(self, tenant: _Tenant, count: int) -> None:
        self.taken -= count
        tenant.taken -= count
        self._freed += count
        if self.waiting:
            self._admit_waiting()

    def _admit_waiting(self) -> None:
        """Lets waiting samples in by turns. If the next batch does not fit yet, none overtakes it."""
        now = asyncio.get_running_loop().time()
        while self.waiting and not self._shut:
            shares = self._shares(now)
            may = [one for one in shares.waiting if shares.allow(one, one.queue[0][0])]
            tenant = min(may, key=lambda one: max(one.passed, self._clock), default=None)
            if tenant is None or not self._fits(tenant.queue[0][0]):
                return
            count, turn = tenant.queue.popleft()
            self.waiting -= 1
            if not turn.done():
                self._clock = max(tenant.passed, self._clock)
                tenant.passed = self._clock + count / tenant.weight
                self.taken += count
                tenant.taken += count
                turn.set_result(None)


def _stopping() -> Overloaded:
    return Overloaded("the service is stopping: send this again", retry_after_s=RETRY_AFTER_S)
