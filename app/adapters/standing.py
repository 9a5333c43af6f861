"""What stands in for a missing reward where a protocol can carry numbers only: one number a group, and advantage 0.

Members of a group come in requests of their own. One without a reward waits until those that belong to it are priced,
and gets their mean; all that are missing in a group get the same number, whenever they come. So a trainer that
compares a reward with its group's mean learns nothing from it. A group of which no member has a reward gets the mean of
its run so far.

A group is complete with ``size`` members. Where nobody tells the size, it is taken for complete when nothing of it has
come for ``QUIET_S`` seconds. Whoever waits is answered by ``until`` in any case, and before that where so many of a
run wait that its trainer may have no connection left for the siblings. A call whose client went away may come again:
the same content takes the same seat and the same record. In memory, of one server; a restart begins anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from app.kit.tokens import new_id
from app.scoring.cache import Cache
from rewards.settle import GROUP_INCOMPLETE
from trueward.trainers.standing_in import Mean
from trueward.types import Reward

QUIET_S = 10.0
KEPT_S, LONGEST_S = 60.0, 900.0
"""A group of which nothing has come for so long is over: where its size is not told, and where it is."""

_GROUPS, _RUNS = 100_000, 10_000
_LOOK_S = 0.5
_WAITING_SHARE = 0.75
"""Of a trainer's calls so many may wait; more would leave it none for the siblings."""

Scope = Hashable
"""Owner, recipe and run."""


@dataclass(slots=True, eq=False)
class Seat:
    """One member: ``content`` is what it says, ``record`` its id in the ledger."""

    group: _Group
    content: Hashable
    record: str
    reward: Reward | None = None


@dataclass(slots=True, eq=False)
class _Run:
    """Its mean so far, and the groups of which members wait, the first that did first."""

    at_once: int = 1
    mean: Mean = field(default_factory=Mean)
    waiting: dict[_Group, None] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Group:
    """``seats`` are those that are not answered, ``gone`` those whose clients went away; ``came`` counts the others."""

    run: _Run
    size: int | None
    number: asyncio.Future[float]
    came: int = 0
    last: float = 0.0
    mean: Mean = field(default_factory=Mean)
    seats: set[Seat] = field(default_factory=set)
    gone: list[Seat] = field(default_factory=list)
    waiting: int = 0

    def is_complete(self, now: float) -> bool:
        if any(seat.reward is None for seat in self.seats):
            return False
        return now - self.last >= QUIET_S if self.size is None else self.came >= self.size

    def is_over(self, now: float) -> bool:
        """Whether what comes now belongs to another group, of a later step."""
        if self.seats:
            return False
        full = self.size is not None and self.came >= self.size
        return full or now - self.last >= (KEPT_S if self.size is None else LONGEST_S)

    def pin(self) -> None:
        if not self.number.done():
            self.number.set_result((self.mean if self.mean.count else self.run.mean).value)


class Standing:
    """The groups whose members come one by one, and the means of their runs."""

    def __init__(self) -> None:
        self._groups: Cache[Hashable, _Group] = Cache(_GROUPS)
        self._runs: Cache[Scope, _Run] = Cache(_RUNS)
        self._waiting: set[_Group] = set()
        self._closing = False

    def close(self) -> None:
        """From now on nobody waits: whoever does is answered with what is known."""
        self._closing = True
        for group in self._waiting:
            group.pin()

    def enter(
        self,
        scope: Scope,
        name: str,
        content: Hashable,
        *,
        at_once: int,
        record: str | None = None,
        size: int | None = None,
    ) -> Seat:
        """A member that is about to be priced; a call that comes again takes the seat that it left.

        ``at_once``: calls that the trainer can have under way.
        """
        loop = asyncio.get_running_loop()
        group = self._groups.get((scope, name))
        if group is None or group.is_over(loop.time()):
            group = _Group(self._run(scope), size, loop.create_future())
            self._groups.put((scope, name), group)
        group.run.at_once = at_once
        left = (seat for seat in group.gone if seat.content == content and record in (None, seat.record))
        seat = next(left, None)
        if seat is None:
            seat = Seat(group, content, record or new_id())
        else:
            group.gone.remove(seat)
        group.seats.add(seat)
        group.came += 1
        group.last = loop.time()
        return seat

    def leave(self, seats: Sequence[Seat]) -> None:
        """Their calls ended without an answer."""
        for seat in seats:
            if seat in seat.group.seats:
                seat.group.seats.remove(seat)
                seat.group.gone.append(seat)
                seat.group.came -= 1

    async def numbers(self, seats: Sequence[Seat], rewards: Sequence[Reward], until: float) -> list[float]:
        """The rewards of the seats, with what stands in for those that are missing, by ``until`` (loop time)."""
        for seat, reward in zip(seats, rewards, strict=True):
            if seat.reward is None and reward.reward is not None:
                seat.group.mean.add(reward.reward)
                seat.group.run.mean.add(reward.reward)
            seat.reward = reward
        now = asyncio.get_running_loop().time
        for group in dict.fromkeys(seat.group for seat in seats):
            if group.waiting and group.is_complete(now()):
                group.pin()
        for seat, reward in zip(seats, rewards, strict=True):
            if reward.reward is None:
                await self._waited(seat.group, now() if reward.reason_code == GROUP_INCOMPLETE else until)
        for seat in seats:
            seat.group.seats.discard(seat)
        return [
            seat.group.number.result() if reward.reward is None else reward.reward
            for seat, reward in zip(seats, rewards, strict=True)
        ]

    async def _waited(self, group: _Group, until: float) -> None:
        """Returns when the group's number is there."""
        now = asyncio.get_running_loop().time
        waiting = group.run.waiting
        waiting[group] = None
        self._waiting.add(group)
        group.waiting += 1
        try:
            self._relieve(group.run)
            while not group.number.done():
                if self._closing or group.is_complete(now()) or now() >= until:
                    group.pin()
                else:
                    await asyncio.wait([group.number], timeout=min(_LOOK_S, until - now()))
        finally:
            group.waiting -= 1
            if not group.waiting:
                waiting.pop(group, None)
                self._waiting.discard(group)

    def _relieve(self, run: _Run) -> None:
        """Answers some where too many wait: first groups without any reward, which lose nothing by it."""
        while sum(group.waiting for group in run.waiting) > _WAITING_SHARE * run.at_once:
            first = next((group for group in run.waiting if not group.mean.count), next(iter(run.waiting)))
            first.pin()
            del run.waiting[first]

    def _run(self, scope: Scope) -> _Run:
        run = self._runs.get(scope)
        if run is None:
            self._runs.put(scope, run := _Run())
        return run
