"""Groups of requests: one-sample protocols, whose recipe prices a sample together with its group.

Members are requests with the same key, recipe, run and prompt. They wait until the recipe's ``group.size`` have come
and are then priced together. What has not come by ``group.wait_s``, or early enough to be priced within the protocol's
own time, has a missing reward, or is priced by itself where the recipe says so (``group.when_apart``). The next member
opens a new group. A client that goes away leaves its group.

Where several servers share a Redis, the first that a group's member reaches leads the group, and the others hand it
theirs (:class:`GroupsElsewhere`). A sample's record is fixed before it is handed over, and the ledger keeps the first
row of a record: whatever fails in between, a sample is recorded once, and what is answered is what is recorded. Not
here: memory of groups across a restart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.http.route import ClientGone
from app.telemetry.metrics import Metrics
from rewards.recipe import Recipe
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample, group_names
from trueward.wire.scoring import RewardsRequest

Price = Callable[[RewardsRequest, bool, Sequence[str]], Awaitable[list[Reward]]]
"""One reward a sample, under the records given; each by itself where the second argument (``apart``) says so."""

_LEAST_SHARE = 0.5
"""Of a protocol's time a group may wait at most so much where the rest is needed for pricing."""

_KEPT_SHARE = 0.2
"""Of a protocol's time so much is kept to price a sample whose reward does not come from the server that leads."""


@dataclass(frozen=True, slots=True)
class GroupKey:
    """What members of a group have in common."""

    owner: str | None
    recipe: str
    run: str | None
    prompt: str


@dataclass(frozen=True, slots=True)
class WaitingMember:
    """A sample that waits, and the record that it will have."""

    sample: Sample
    record: str


@dataclass(frozen=True, slots=True)
class Ours:
    """This server leads the group; other servers know it by ``turn``, where that is not empty."""

    turn: str = ""


class GroupsElsewhere(Protocol):
    """The other servers, which may lead a group that a sample of ours belongs to."""

    async def join(
        self, place: GroupKey, member: WaitingMember, longest_s: float, until: float
    ) -> Reward | Ours | None:
        """The reward from the group of another server; or that we lead, for ``longest_s`` seconds at most; None where
        the server that leads died, or does not answer until ``until`` (loop time)."""
        ...

    def close_group(self, place: GroupKey, turn: str) -> None:
        """The group that we led takes no more members."""
        ...

    async def find_reward(self, record: str) -> Reward | None:
        """What the ledger has of a record."""
        ...


@dataclass(slots=True, eq=False)
class _Group:
    request: RewardsRequest
    price: Price
    answer_by: float
    size: int | None
    turn: str = ""
    members: dict[asyncio.Future[Reward], WaitingMember] = field(default_factory=dict)
    timer: asyncio.TimerHandle | None = None


class Assembly:
    """``pricing_s`` seconds of a protocol's time are kept for pricing. Closing answers what waits."""

    def __init__(self, metrics: Metrics, pricing_s: float, elsewhere: GroupsElsewhere | None = None) -> None:
        self._metrics = metrics
        self._pricing_s = pricing_s
        self._elsewhere = elsewhere
        self._open: dict[GroupKey, _Group] = {}
        self._pricing: set[asyncio.Task[None]] = set()
        self._closing = False

    @property
    def waiting(self) -> int:
        """Members of groups that are not complete."""
        return sum(len(group.members) for group in self._open.values())

    def close(self) -> None:
        """From now on nobody waits: what is here is priced as it is, and so is what comes."""
        self._closing = True
        for place in list(self._open):
            self._end(place)

    async def drain(self) -> None:
        """Returns when all that waited is priced."""
        while self._pricing:
            await asyncio.wait(self._pricing)

    async def join(
        self,
        recipe: Recipe,
        owner: str | None,
        request: RewardsRequest,
        records: Sequence[str],
        price: Price,
        gone: Coroutine[None, None, None],
        *,
        size: int | None,
    ) -> list[Reward]:
        """The rewards of a request's samples under their records, each priced with its group of ``size``.

        ``request.deadline_s`` is the protocol's time; ``gone`` ends when the client does. Raises :class:`ClientGone`.
        """
        places = [GroupKey(owner, recipe.hash, request.run, name) for name in group_names(request.samples)]
        waiting = [
            asyncio.ensure_future(self._rewarded(place, recipe, request, WaitingMember(sample, record), price, size))
            for place, sample, record in zip(places, request.samples, records, strict=True)
        ]
        leaving = asyncio.create_task(gone)
        together = asyncio.gather(*waiting)
        waited: list[asyncio.Future[None] | asyncio.Future[list[Reward]]] = [together, leaving]
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not together.done():
                raise ClientGone
            return await together
        finally:
            leaving.cancel()
            together.cancel()

    def take(self, place: GroupKey, turn: str, member: WaitingMember) -> asyncio.Future[Reward] | None:
        """A seat for another server's member in the group that it knows by ``turn``; None where that has ended."""
        group = self._open.get(place)
        return self._seat(place, group, member) if group is not None and group.turn == turn else None

    def leave(self, place: GroupKey, seat: asyncio.Future[Reward]) -> None:
        """The client went away: unless its group is being priced, its place is free again."""
        group = self._open.get(place)
        if group is not None and group.members.pop(seat, None) is not None:
            self._metrics.assembly_left.inc()
            if not group.members:
                self._forget(place)

    def leads(self, place: GroupKey) -> bool:
        return place in self._open

    async def _rewarded(
        self,
        place: GroupKey,
        recipe: Recipe,
        request: RewardsRequest,
        member: WaitingMember,
        price: Price,
        size: int | None,
    ) -> Reward:
        allowed_s = float(request.deadline_s or self._pricing_s)
        answer_by = asyncio.get_running_loop().time() + allowed_s
        found: Reward | Ours | None = Ours()
        if self._elsewhere is not None and not self._closing and place not in self._open:
            until = answer_by - _KEPT_SHARE * allowed_s
            found = await self._elsewhere.join(place, member, allowed_s, until)
        if isinstance(found, Reward):
            return found
        if found is None:
            return await self._price_apart(request, member, price, answer_by)
        group = self._open.get(place)
        if group is None:
            group = self._begin(place, _Group(request, price, answer_by, size), recipe.group.wait_s)
        group.turn = found.turn or group.turn
        seat = self._seat(place, group, member)
        try:
            return await seat
        finally:
            self.leave(place, seat)

    def _begin(self, place: GroupKey, group: _Group, wait_s: float) -> _Group:
        loop = asyncio.get_running_loop()
        self._open[place] = group
        allowed_s = group.answer_by - loop.time()
        kept_s = min(self._pricing_s, _LEAST_SHARE * allowed_s)
        group.timer = loop.call_later(min(wait_s, allowed_s - kept_s), self._end, place)
        return group

    def _seat(self, place: GroupKey, group: _Group, member: WaitingMember) -> asyncio.Future[Reward]:
        """A place in an open group; the last member closes it."""
        seat: asyncio.Future[Reward] = asyncio.get_running_loop().create_future()
        group.members[seat] = member
        complete = group.size is not None and len(group.members) >= group.size
        if complete or self._closing:
            self._end(place, complete=complete)
        return seat

    async def _price_apart(
        self, request: RewardsRequest, member: WaitingMember, price: Price, answer_by: float
    ) -> Reward:
        """For a member whose group was lost with the server that led it: that one may have recorded it already."""
        self._metrics.assembled_apart.inc()
        left_s = max(0.001, answer_by - asyncio.get_running_loop().time())
        alone = request.model_copy(update={"samples": [member.sample], "deadline_s": left_s})
        (reward,) = await price(alone, True, [member.record])
        known = await self._elsewhere.find_reward(member.record) if self._elsewhere is not None else None
        return known or reward

    def _forget(self, place: GroupKey) -> _Group:
        group = self._open.pop(place)
        if group.timer is not None:
            group.timer.cancel()
        if self._elsewhere is not None and group.turn:
            self._elsewhere.close_group(place, group.turn)
        return group

    def _end(self, place: GroupKey, *, complete: bool = False) -> None:
        group = self._forget(place)
        self._metrics.assembled.labels("complete" if complete else "incomplete").inc()
        if not complete:
            self._metrics.assembled_apart.inc(len(group.members))
        task = asyncio.get_running_loop().create_task(_priced(group, apart=not complete))
        self._pricing.add(task)
        task.add_done_callback(self._pricing.discard)


async def _priced(group: _Group, *, apart: bool) -> None:
    """Prices a group and answers its members; whatever goes wrong is theirs to hear."""
    left_s = max(0.001, group.answer_by - asyncio.get_running_loop().time())
    members = list(group.members.values())
    samples = [member.sample.model_copy(update={"id": str(index)}) for index, member in enumerate(members)]
    request = group.request.model_copy(update={"samples": samples, "deadline_s": left_s})
    try:
        rewards = await group.price(request, apart, [member.record for member in members])
    except Exception as failure:  # noqa: BLE001 - it is raised where each member waits
        for seat in group.members:
            if not seat.done():
                seat.set_exception(failure)
        return
    for seat, reward in zip(group.members, rewards, strict=True):
        if not seat.done():
            seat.set_result(reward)
