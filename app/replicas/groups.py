"""Groups of one-sample requests that reach several replicas: the first leads, the others hand it their members.

A member that is handed over waits for its reward as long as the replica that leads lives, Redis answers, and its own
time lasts. What comes back is sealed like all letters.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import astuple
from typing import Literal, Protocol

import structlog
from pydantic import TypeAdapter

from app.kit.tokens import new_id
from app.protocols.trainers.assembly import GroupKey, Ours, WaitingMember
from app.replicas.errors import Away
from app.replicas.link import RedisLink
from app.replicas.mailbox import Letter, Mailbox
from app.replicas.replica_lock import LockTurn, ReplicaLock
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample

_AGAIN_S = 0.01
_LOOK_S = 1.0
log = structlog.get_logger(__name__)

Ended = Literal["answered", "lost"]
Answer = Reward | Literal["closed", "lost"]
"""What became of a member that was handed over; ``closed``: that group has ended without it."""

_PLACE = TypeAdapter(tuple[str | None, str, str | None, str])


class Seats(Protocol):
    """The groups that this replica leads."""

    def leads(self, place: GroupKey) -> bool: ...

    def take(self, place: GroupKey, turn: str, member: WaitingMember) -> asyncio.Future[Reward] | None: ...

    def leave(self, place: GroupKey, seat: asyncio.Future[Reward]) -> None: ...


class SharedGroups:
    """``recorded`` reads a reward from the ledger; ``ended`` counts the members that were handed over, by whether
    their reward came or was lost. ``seats`` is to be set before letters are read."""

    seats: Seats

    def __init__(self, url: str, link: RedisLink, recorded: Callable[[str], Awaitable[Reward | None]]) -> None:
        self.post = Mailbox(url, link, self._read)
        self.handed: Counter[Ended] = Counter()
        self._recorded = recorded
        self._link = link
        self._turns = ReplicaLock(link)
        self._waiting: dict[str, asyncio.Future[Answer]] = {}
        self._guests: dict[str, tuple[GroupKey, asyncio.Future[Reward]]] = {}

    async def join(
        self, place: GroupKey, member: WaitingMember, longest_s: float, until: float
    ) -> Reward | Ours | None:
        """:meth:`app.protocols.trainers.assembly.GroupsElsewhere.join`."""
        key, mine = self._key(place), self._turns.new()
        now = asyncio.get_running_loop().time
        answer: Answer = "lost"
        try:
            while now() < until:
                found = await self._turns.ask(key, mine, longest_s)
                if found == mine:
                    return Ours(mine.name)
                if isinstance(found, bytes) or (found.holder == self._link.name and self.seats.leads(place)):
                    return Ours()
                if found.holder != self._link.name:
                    answer = await self._handed(found, place, member, until)
                    if answer != "closed":
                        break
                await asyncio.sleep(_AGAIN_S)  # that group has just ended
        except Away:
            return Ours()
        except BaseException:  # cancelled, and raised again: the turn may have become ours as that came
            self._turns.give_back(key, mine)
            raise
        if isinstance(answer, str):
            self.handed["lost"] += 1
            return None
        self.handed["answered"] += 1
        return answer

    def close_group(self, place: GroupKey, turn: str) -> None:
        self._turns.give_back(self._key(place), LockTurn(self._link.name, turn))

    async def find_reward(self, record: str) -> Reward | None:
        return await self._recorded(record)

    async def _handed(self, leader: LockTurn, place: GroupKey, member: WaitingMember, until: float) -> Answer:
        name = new_id()
        about: Letter = {"place": [*astuple(place)], "turn": leader.name, "member": name, "from": self._link.name}
        # not pydantic's own writer: it refuses lone surrogates, which are mended where the sample is admitted
        joins: Letter = {"say": "join", "sample": member.sample.model_dump(exclude_unset=True), "record": member.record}
        answer = self._waiting[name] = asyncio.get_running_loop().create_future()
        outage = self._link.outage
        try:
            if await self.post.send(leader.holder, {**about, **joins}):
                await self._until(answer, leader, outage, until)
            return answer.result() if answer.done() else "lost"
        except Away:
            return "lost"
        finally:
            del self._waiting[name]
            if not answer.done():
                self.post.drop(leader.holder, {**about, "say": "leave"})

    async def _until(
        self, answer: asyncio.Future[Answer], leader: LockTurn, outage: asyncio.Event, until: float
    ) -> None:
        """Returns with the answer, or when none will come any more."""
        now = asyncio.get_running_loop().time
        while not answer.done() and not outage.is_set() and now() < until:
            await asyncio.wait([answer], timeout=min(_LOOK_S, max(0.0, until - now())))
            if not answer.done() and not await self._link.ask("EXISTS", self._link.alive(leader.holder)):
                return

    def _key(self, place: GroupKey) -> str:
        named = json.dumps(astuple(place)).encode()
        return self._link.key("group", hashlib.blake2b(named, digest_size=20).hexdigest())

    def _read(self, letter: Letter) -> None:
        try:
            self._take(letter)
        except (KeyError, TypeError, ValueError) as failure:
            # another version of the service wrote it; whoever waits for an answer waits no longer than its own time
            log.warning("a letter could not be read", error=repr(failure)[:300])

    def _take(self, letter: Letter) -> None:
        say, name = letter["say"], str(letter["member"])
        if say == "join":
            self._admit(letter, name)
        elif say == "leave":
            if name in self._guests:
                place, seat = self._guests[name]
                self.seats.leave(place, seat)
                seat.cancel()
        elif name in self._waiting and not self._waiting[name].done():
            said: Answer = Reward.model_validate(letter["reward"]) if say == "reward" else "lost"
            self._waiting[name].set_result("closed" if say == "closed" else said)

    def _admit(self, letter: Letter, name: str) -> None:
        place = GroupKey(*_PLACE.validate_python(letter["place"]))
        to = str(letter["from"])
        member = WaitingMember(Sample.model_validate(letter["sample"]), str(letter["record"]))
        seat = None if name in self._guests else self.seats.take(place, str(letter["turn"]), member)
        if seat is None:
            self.post.drop(to, {"say": "closed", "member": name})
            return
        self._guests[name] = place, seat
        seat.add_done_callback(lambda done: self._answer(to, name, done))

    def _answer(self, to: str, name: str, seat: asyncio.Future[Reward]) -> None:
        del self._guests[name]
        if seat.cancelled():
            return
        if seat.exception() is not None:
            self.post.drop(to, {"say": "failed", "member": name})
        else:
            reward = seat.result().model_dump(mode="json")
            self.post.drop(to, {"say": "reward", "member": name, "reward": reward})
