"""The line before the event loop: who has a request checked and its samples begun, and when.

To check a request, to begin its samples and to price and record what came of them is work of the one event loop. If it
did that for all at once, all would be late together. So few requests are at work at a time: ``TURNS_AT_ONCE`` of them,
or as many as ``TURNS_AT_ONCE_S`` seconds have place for (:mod:`app.admission.limits`). While lanes judge a request it
is not at work, and afterwards it does not wait again. The others wait with their bodies unparsed. Small requests and
large ones take turns by the seconds that they cost, so that nobody's sample waits for another's thousands; among
either, projects do, by their weights.

A request is weighed from its head: by its bytes, and by what the requests of its path cost a byte lately. Where what is
before it would keep it for longer than ``PATIENCE_S``, it is refused before its body is read, and told when there
should be a place. Those that cannot be refused are held, at most ``held_s``. Where turns come later than was thought,
as they do on a machine that does other work, all estimates are stretched by as much.

A job's chunk comes behind all requests, for nobody waits for its answer: it waits for a moment in which none of them
does, and for ``BEHIND_S`` at most, so that a job goes on however much there is to do.

A turn costs its share of the loop's time while it lasts: of two turns at once, each costs half. One that lasts longer
than ``LONGEST_TURN_S`` waits for something else than the loop, and is over.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from app.admission.fair_queue import FairQueue
from app.admission.limits import (
    BEHIND_S,
    COMING_S,
    LONGEST_TURN_S,
    MOST_TURN_RETRY_AFTER_S,
    PATIENCE_S,
    RETRY_AFTER_S,
    TURNS_AT_ONCE,
    TURNS_AT_ONCE_S,
)
from app.admission.room import Weights, weigh_equally
from trueward.errors import Overloaded

JOB_SAMPLE_BYTES = 1_000
"""For each sample of a job's chunk: what its turn costs is learned by its size."""
_LATEST = 0.1
_HEAD_BYTES = 2_000
"""What the head of a request costs, in bytes of a body."""

_FIRST_S = 5e-7
"""Seconds a byte of a path that nothing is known of."""

_SMALL_BYTES = 8 * 2**10
_LEAST_S, _MOST_STRETCHED = 0.05, 20.0
"""Waits that are compared with what was thought are no shorter; estimates are stretched by no more."""


class LoopTurn:
    """A request's turn. :meth:`pause` it while its samples are judged elsewhere, and :meth:`leave` it at the end."""

    __slots__ = ("_cost_s", "_end", "_kind", "_line", "_since", "_size", "_used_s")

    def __init__(self, line: LoopQueue, kind: str, size: int, cost_s: float, since: float) -> None:
        self._line: LoopQueue | None = line
        self._kind = kind
        self._size = size
        self._cost_s = cost_s
        self._used_s = 0.0
        self._since: float | None = None
        self._end: asyncio.TimerHandle | None = None
        self._go_on(since)

    def pause(self) -> None:
        """Lets the next request have its turn. Does nothing if this turn is paused or over."""
        if self._line is not None and self._since is not None:
            self._used_s += self._line.end(self._cost_s, self._since)
            self._since = None
            if self._end is not None:
                self._end.cancel()
                # it knows the request, which knows this turn: together they would stay until a collector comes by
                self._end = None

    def resume(self) -> None:
        """Goes on, ahead of all that wait. Does nothing if the turn is not paused."""
        if self._line is not None and self._since is None:
            self._go_on(self._line.begin(self._cost_s))

    def _go_on(self, since: float) -> None:
        self._since = since
        self._end = asyncio.get_running_loop().call_later(LONGEST_TURN_S, self.pause)

    def leave(self) -> None:
        """Ends the turn; the queue learns its cost. Does nothing the second time."""
        self.pause()
        line, self._line = self._line, None
        if line is not None:
            line.learn(self._kind, self._size, self._used_s)


@dataclass(frozen=True, slots=True, eq=False)
class Announcement:
    """A request whose head came at ``since`` (loop time), and whose body is on its way."""

    since: float
    cost_s: float
    small: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """``turn`` has the time at which it begins."""

    small: bool
    cost_s: float
    turn: asyncio.Future[float]


class LoopQueue:
    """``running``: turns at work; ``waiting``: requests before them; ``refused``: requests since the start. A request's
    kind is the path of its route."""

    def __init__(self, weights: Weights = weigh_equally) -> None:
        self.running = 0
        self.waiting = 0
        self.refused = 0
        self._at_work_s = 0.0
        self._turns: dict[bool, FairQueue[_Waiting]] = {True: FairQueue(weights), False: FairQueue(weights)}
        self._passed_s = {True: 0.0, False: 0.0}
        self._stretch = {True: 1.0, False: 1.0}
        self._costs: dict[str, float] = {}
        self._coming: dict[Announcement, None] = {}
        self._behind: dict[asyncio.Future[None], None] = {}
        self._shared_s = 0.0
        self._shared_at = 0.0
        self._promised_s = 0.0
        self._promised_at = 0.0

    @property
    def free(self) -> bool:
        """Whether a request that takes its turn now has it at once."""
        return self._has_place and not self.waiting

    def cost_s(self, kind: str, size: int) -> float:
        """Seconds of the loop for a request of so many bytes, to a path of the kind."""
        known = self._costs.get(kind)
        return (size + _HEAD_BYTES) * (_FIRST_S if known is None else known)

    def wait_s(self, project: str | None, kind: str, size: int) -> float:
        """Seconds until a new request's turn: what is at work, what waits, and what is about to."""
        now = asyncio.get_running_loop().time()
        while self._coming and (first := next(iter(self._coming))).since < now - COMING_S:
            del self._coming[first]
        if self.free and not self._coming:
            return 0.0
        small = size < _SMALL_BYTES
        return self._stretch[small] * self._thought_s(project, self.cost_s(kind, size), small)

    def _thought_s(self, project: str | None, cost_s: float, small: bool) -> float:
        coming = {True: 0.0, False: 0.0}
        for one in self._coming:
            coming[one.small] += one.cost_s
        alike = self._turns[small].ahead_s(project, cost_s) + coming[small]
        others = self._turns[not small].seconds + coming[not small]
        return self._at_work_s + alike + min(others, alike + cost_s)

    def announce(self, project: str | None, kind: str, size: int) -> Announcement:
        """A request whose head is here, until it takes its turn or is :meth:`withdrawn <withdraw>`.

        Raises :class:`Overloaded` for one that would wait for too long.
        """
        cost_s, wait_s = self.cost_s(kind, size), self.wait_s(project, kind, size)
        now = asyncio.get_running_loop().time()
        if wait_s <= PATIENCE_S:
            coming = Announcement(now, cost_s, size < _SMALL_BYTES)
            self._coming[coming] = None
            return coming
        # those that were sent away come back one after the other, as fast as there are places
        self._promised_s = max(0.0, self._promised_s - (now - self._promised_at)) + cost_s
        self._promised_at = now
        after_s = float(
            math.ceil(min(MOST_TURN_RETRY_AFTER_S, max(RETRY_AFTER_S, wait_s - PATIENCE_S + self._promised_s)))
        )
        self.refused += 1
        raise Overloaded(
            f"{self.waiting} requests wait for their turn, {wait_s:.1f} s of work: send this again in {after_s:g} s",
            retry_after_s=after_s,
        )

    def withdraw(self, coming: Announcement) -> None:
        """Takes an announcement back. Does nothing the second time."""
        self._coming.pop(coming, None)

    async def take(self, project: str | None, kind: str, size: int, held_s: float | None = None) -> LoopTurn:
        """Waits for the request's turn and returns it. After ``held_s`` seconds it comes whatever is ahead of it."""
        cost_s = self.cost_s(kind, size)
        since = self.begin(cost_s) if self.free else await self._wait(project, cost_s, size, held_s)
        return LoopTurn(self, kind, size, cost_s, since)

    @asynccontextmanager
    async def behind(self, kind: str, size: int) -> AsyncIterator[LoopTurn]:
        """A turn for what nobody waits for, once no request waits, or has for ``BEHIND_S``; it is left at the end."""
        if not self.free:
            quiet = asyncio.get_running_loop().create_future()
            self._behind[quiet] = None
            try:
                with suppress(TimeoutError):
                    async with asyncio.timeout(BEHIND_S):
                        await quiet
            finally:
                self._behind.pop(quiet, None)
        cost_s = self.cost_s(kind, size)
        turn = LoopTurn(self, kind, size, cost_s, self.begin(cost_s))
        try:
            yield turn
        finally:
            turn.leave()

    @property
    def _has_place(self) -> bool:
        return self.running < TURNS_AT_ONCE or self._at_work_s < TURNS_AT_ONCE_S

    async def _wait(self, project: str | None, cost_s: float, size: int, held_s: float | None) -> float:
        """When its turn began."""
        loop, small = asyncio.get_running_loop(), size < _SMALL_BYTES
        came, thought_s = loop.time(), self._thought_s(project, cost_s, small)
        waiting = _Waiting(small, cost_s, loop.create_future())
        turns = self._turns[small]
        if not turns:
            self._passed_s[small] = max(self._passed_s.values())
        turns.append(waiting, project, "", cost_s)
        self._recount()
        try:
            async with asyncio.timeout(held_s):
                since = await waiting.turn
                self._compare(small, loop.time() - came, thought_s)
                return since
        except (TimeoutError, asyncio.CancelledError) as stopped:
            turns.discard(waiting)
            self._recount()
            begun = not waiting.turn.cancelled()
            if isinstance(stopped, TimeoutError):
                return waiting.turn.result() if begun else self.begin(cost_s)
            if begun:
                self.end(cost_s, waiting.turn.result())
            raise

    def begin(self, cost_s: float) -> float:
        """Counts a turn of so many expected seconds as running. Returns the loop's time that turns have had so far."""
        self._share()
        self.running += 1
        self._at_work_s += cost_s
        return self._shared_s

    def end(self, cost_s: float, since: float) -> float:
        """Counts a turn as over. Returns its share of the loop's time since it began."""
        self._share()
        self.running -= 1
        self._at_work_s = self._at_work_s - cost_s if self.running else 0.0
        self._let_in()
        return self._shared_s - since

    def learn(self, kind: str, size: int, used_s: float) -> None:
        """Learns the cost of a whole request."""
        latest = used_s / (size + _HEAD_BYTES)
        known = self._costs.get(kind)
        self._costs[kind] = latest if known is None else known + _LATEST * (latest - known)

    def _let_in(self) -> None:
        """Lets waiting requests begin, as many as there are places."""
        while self.waiting and self._has_place:
            waiting = self._next()
            if not waiting.turn.done():
                waiting.turn.set_result(self.begin(waiting.cost_s))
        if self._behind and self.free:
            quiet = next(iter(self._behind))
            del self._behind[quiet]
            if not quiet.done():
                quiet.set_result(None)

    def _next(self) -> _Waiting:
        """Removes the waiting request whose turn is next, and returns it."""
        least = min((small for small, turns in self._turns.items() if turns), key=self._passed_s.__getitem__)
        waiting = self._turns[least].pop()
        assert waiting is not None
        self._passed_s[least] += waiting.cost_s
        self._recount()
        return waiting

    def _recount(self) -> None:
        self.waiting = sum(map(len, self._turns.values()))

    def _compare(self, small: bool, waited_s: float, thought_s: float) -> None:
        """Learns how much later than estimated turns come."""
        if waited_s > _LEAST_S:
            latest = min(_MOST_STRETCHED, max(1.0, waited_s / max(thought_s, _LEAST_S)))
            self._stretch[small] += _LATEST * (latest - self._stretch[small])

    def _share(self) -> None:
        """Brings the loop's time that each turn had up to date."""
        now = asyncio.get_running_loop().time()
        if self.running:
            self._shared_s += (now - self._shared_at) / self.running
        self._shared_at = now
