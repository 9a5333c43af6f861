"""What stands in for a missing reward where a protocol can carry numbers only: one number a group, and advantage 0.

Members of a group come in requests of their own. One without a reward waits until those that belong to it are priced,
and gets their mean; all that are missing in a group get the same number, whenever they come. So a trainer that
compares a reward with its group's mean learns nothing from it. A group of which no member has a reward gets the mean of
its run so far.

A group is complete with ``size`` members. Where nobody tells the size, it is taken for complete when nothing of it has
come for ``QUIET_S`` seconds. Whoever waits is answered by ``until`` in any case, and before that where so many of a
run wait that its trainer may have no connection left for the siblings. A call whose client went away may come again:
the same content takes the same seat and the same record. In memory, of one server, whose restart begins anew; where
replicas share a Redis, those that miss siblings of a group whose size is told ask for them there
(:class:`SiblingsElsewhere`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Protocol

from app.kit.cache import Cache
from app.kit.tokens import new_id
from app.replicas.errors import Away
from rewards.price import GROUP_INCOMPLETE
from trueward.trainers.standing_in import Mean
from trueward.wire.reward import Reward

QUIET_S = 10.0
KEPT_S, LONGEST_S = 60.0, 900.0
"""A group of which nobody has come or asked again for so long is over, where its size is not told; and where it is,
one of which no member has come."""

_GROUPS, _RUNS = 100_000, 10_000
_SWEPT, _SWEEP_S = 1_000, 10.0
"""So many groups are looked at in a round of the event loop, whether they are over; and how often."""

_LOOK_S = 0.5
CLOSING_S = 10.0
"""A server that ends waits so long for siblings that come to the others."""

_WAITING_SHARE = 0.75
"""Of a trainer's calls so many may wait; more would leave it none for the siblings."""

Scope = Hashable
"""Owner, recipe and run."""


class SiblingsElsewhere(Protocol):
    """Members of a group that come to other servers; each call raises :class:`Away`, but those that return nothing."""

    async def tell(self, scope: Scope, name: str, size: int, record: str, reward: float | None) -> str: ...

    def note(self, scope: Scope, name: str, size: int, record: str, reward: float | None) -> None: ...

    def forget(self, group: str, record: str) -> None: ...

    async def rewards(self, group: str) -> Mapping[str, float | None]: ...

    async def number(self, group: str, proposed: float) -> float: ...


@dataclass(slots=True, eq=False)
class Seat:
    """One member: ``content`` is what it says, ``record`` its id in the ledger.

    ``among``: its group as all servers know it, where it waits for siblings that may come to others. ``left``: when
    its call ended last without an answer (the loop's time).
    """

    group: _Group
    content: Hashable
    record: str
    reward: Reward | None = None
    among: _Group | None = None
    left: float = 0.0

    @property
    def waits_in(self) -> _Group:
        return self.among or self.group


@dataclass(slots=True, eq=False)
class _Run:
    """The mean of a run so far, and its groups with waiting members, the longest waiting first."""

    at_once: int = 1
    mean: Mean = field(default_factory=Mean)
    waiting: dict[_Group, None] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class _Group:
    """``seats`` are those that are not answered, ``gone`` those whose clients went away; ``came`` counts the others.

    ``shared`` is its name among servers; ``hurried``: it is to wait no longer.
    """

    scope: Scope
    name: str
    run: _Run
    size: int | None
    number: asyncio.Future[float]
    shared: str | None = None
    hurried: bool = False
    came: int = 0
    last: float = 0.0
    mean: Mean = field(default_factory=Mean)
    seats: set[Seat] = field(default_factory=set)
    gone: list[Seat] = field(default_factory=list)
    waiting: int = 0

    def is_complete(self, now: float) -> bool:
        if any(seat.reward is None for seat in self.seats):
            return False
        if self.size is not None:
            return self.came >= self.size
        polled = (seat.left for seat in self.gone if seat.reward is None)
        return now - max((self.last, *polled)) >= QUIET_S

    def is_over(self, now: float) -> bool:
        """Whether what comes now belongs to another group, of a later step."""
        if self.seats:
            return False
        if self.size is not None:
            return self.came >= self.size or now - self.last >= LONGEST_S
        return now - max((self.last, *(seat.left for seat in self.gone))) >= KEPT_S

    def pin(self) -> None:
        if not self.number.done():
            self.number.set_result((self.mean if self.mean.count else self.run.mean).value)


class StandIns:
    """The groups whose members come one by one, and the means of their runs."""

    def __init__(self, siblings: SiblingsElsewhere | None = None) -> None:
        self._siblings = siblings
        self._groups: Cache[Hashable, _Group] = Cache(_GROUPS)
        self._shared: Cache[str, _Group] = Cache(_GROUPS)
        self._runs: Cache[Scope, _Run] = Cache(_RUNS)
        self._waiting: set[_Group] = set()
        self._sweep: asyncio.TimerHandle | None = None
        self._closing: float | None = None

    @property
    def kept(self) -> int:
        """Groups that are remembered."""
        return len(self._groups)

    def close(self) -> None:
        """From now on nobody waits, but for siblings that may come to other servers: what is known is the answer."""
        self._closing = asyncio.get_running_loop().time() + CLOSING_S
        for group in self._waiting:
            if group.shared is None:
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
            group = _Group(scope, name, self._run(scope), size, loop.create_future())
            self._groups.put((scope, name), group)
            if self._sweep is None:
                self._sweep = loop.call_later(_SWEEP_S, self._drop_what_is_over)
        group.run.at_once = at_once
        left = (seat for seat in group.gone if seat.content == content and record in (None, seat.record))
        seat = next(left, None)
        if seat is None:
            seat = Seat(group, content, record or new_id())
            group.last = loop.time()
        else:
            group.gone.remove(seat)
        group.seats.add(seat)
        group.came += 1
        return seat

    def _drop_what_is_over(self) -> None:
        """Those of which nobody came for the longest time first, until one may still be joined."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        swept = list(islice(takewhile(lambda group: group.is_over(now), self._groups.values()), _SWEPT))
        for group in swept:
            self._groups.drop((group.scope, group.name))
        pause_s = 0.0 if len(swept) == _SWEPT else _SWEEP_S
        self._sweep = loop.call_later(pause_s, self._drop_what_is_over) if self.kept else None

    def leave(self, seats: Sequence[Seat]) -> None:
        """Marks seats whose calls ended without an answer."""
        for seat in seats:
            if seat in seat.group.seats:
                seat.group.seats.remove(seat)
                seat.group.gone.append(seat)
                seat.group.came -= 1
                seat.left = asyncio.get_running_loop().time()
                if self._siblings is not None and seat.among is not None and seat.among.shared is not None:
                    self._siblings.forget(seat.among.shared, seat.record)

    async def numbers(self, seats: Sequence[Seat], rewards: Sequence[Reward], until: float) -> list[float]:
        """The rewards of the seats, with what stands in for those that are missing, by ``until`` (loop time)."""
        for seat, reward in zip(seats, rewards, strict=True):
            if seat.reward is None and reward.reward is not None:
                seat.group.mean.add(reward.reward)
                seat.group.run.mean.add(reward.reward)
            seat.reward = reward
        await self._share(seats)
        now = asyncio.get_running_loop().time
        for group in dict.fromkeys(seat.group for seat in seats):
            if group.waiting and group.is_complete(now()):
                group.pin()
        for seat, reward in zip(seats, rewards, strict=True):
            if reward.reward is None:
                await self._waited(seat.waits_in, now() if reward.reason_code == GROUP_INCOMPLETE else until)
        for seat in seats:
            seat.group.seats.discard(seat)
        return [
            seat.waits_in.number.result() if reward.reward is None else reward.reward
            for seat, reward in zip(seats, rewards, strict=True)
        ]

    async def _share(self, seats: Sequence[Seat]) -> None:
        """Tells other servers of members whose siblings come in requests of their own."""
        siblings = self._siblings
        if siblings is None:
            return
        for seat in seats:
            group, reward = seat.group, seat.reward.reward if seat.reward is not None else None
            if group.size is None or len(seats) >= group.size:
                continue
            said = (group.scope, group.name, group.size, seat.record, reward)
            if reward is not None:
                siblings.note(*said)
                continue
            try:
                seat.among = self._find_shared(await siblings.tell(*said), group)
            except Away:
                seat.among = None

    def _find_shared(self, shared: str, group: _Group) -> _Group:
        """The group of that name among servers, of which ``group`` is what came here."""
        found = self._shared.get(shared)
        if found is None:
            number = asyncio.get_running_loop().create_future()
            found = _Group(group.scope, group.name, group.run, group.size, number, shared=shared, mean=group.mean)
            self._shared.put(shared, found)
        return found

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
                until = until if self._closing is None else min(until, self._closing)
                due = group.hurried or now() >= until
                if group.shared is not None:
                    await self._take_shared_number(group, due=due)
                elif due or self._closing is not None or group.is_complete(now()):
                    group.pin()
                if not group.number.done():
                    await asyncio.wait([group.number], timeout=max(0.0, min(_LOOK_S, until - now())))
        finally:
            group.waiting -= 1
            if not group.waiting:
                waiting.pop(group, None)
                self._waiting.discard(group)

    async def _take_shared_number(self, group: _Group, *, due: bool) -> None:
        """Takes the number of a group of several servers, where all its members have come or it is ``due``."""
        assert self._siblings is not None
        assert group.shared is not None
        try:
            rewards = await self._siblings.rewards(group.shared)
            if not due and len(rewards) < (group.size or 0):
                return
            mean = Mean()
            for reward in rewards.values():
                if reward is not None:
                    mean.add(reward)
            number = await self._siblings.number(group.shared, (mean if mean.count else group.run.mean).value)
        except Away:
            group.shared = None  # this server goes on by itself
            return
        if not group.number.done():
            group.number.set_result(number)

    def _relieve(self, run: _Run) -> None:
        """Answers some groups if too many members wait: first those without any reward, which lose nothing."""
        while sum(group.waiting for group in run.waiting) > _WAITING_SHARE * run.at_once:
            first = next((group for group in run.waiting if not group.mean.count), next(iter(run.waiting)))
            first.hurried = True
            if first.shared is None:
                first.pin()
            del run.waiting[first]

    def _run(self, scope: Scope) -> _Run:
        run = self._runs.get(scope)
        if run is None:
            self._runs.put(scope, run := _Run())
        return run
