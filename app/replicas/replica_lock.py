"""One replica at a time: whoever asks first for a place has the turn there, and may leave a text for those who follow.

A turn ends when it is given back, when its time is over, or with its holder's life (:mod:`app.replicas.link`).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from app.replicas.errors import Away
from app.replicas.link import RedisLink

_FIRST_S, _LONGEST_S, _SLOWER = 0.01, 0.25, 1.5
"""Who waits asks after a hundredth of a second, and ever more rarely."""

_ASK = """
local there = redis.call('GET', KEYS[1])
if there then
  local holder = string.match(there, '^%?(%x+):%d+$')
  if holder and redis.call('EXISTS', ARGV[3] .. holder) == 1 then return there end
  if string.sub(there, 1, 1) ~= '?' then return there end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return false
"""
_GIVE_BACK = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return false"


@dataclass(frozen=True, slots=True)
class LockTurn:
    """The turn at a place: which replica has it, and its own name for it."""

    holder: str
    name: str

    @property
    def text(self) -> str:
        return f"?{self.holder}:{self.name}"


class ReplicaLock:
    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._made = 0

    def new(self) -> LockTurn:
        """One that nobody has had."""
        self._made += 1
        return LockTurn(self._link.name, str(self._made))

    async def ask(self, place: str, mine: LockTurn, longest_s: float) -> LockTurn | bytes:
        """``mine`` where the place was free and is ours now, for ``longest_s`` seconds at most; else whose turn it is,
        or the text that was left there. Raises :class:`Away`."""
        alive = self._link.alive("")
        there = await self._link.ask("EVAL", _ASK, 1, place, mine.text, max(1, int(longest_s * 1000)), alive)
        if there is None:
            return mine
        if not isinstance(there, bytes) or not there.startswith(b"?"):
            return bytes(there)
        holder, _, name = there[1:].decode("ascii", "replace").partition(":")
        return LockTurn(holder, name)

    async def wait(self, place: str, mine: LockTurn, longest_s: float) -> bytes | None:
        """None when the turn is ours; the text where one was left. Waits while another has it. Raises :class:`Away`."""
        pause_s = _FIRST_S
        while True:
            found = await self.ask(place, mine, longest_s)
            if isinstance(found, bytes):
                return found
            if found == mine:
                return None
            await asyncio.sleep(pause_s)
            pause_s = min(_SLOWER * pause_s, _LONGEST_S)

    def leave(self, place: str, text: bytes, kept_s: float) -> None:
        """Ends a turn with a text for those who follow."""
        self._link.tell("SET", place, text, "PX", int(kept_s * 1000))

    def give_back(self, place: str, mine: LockTurn) -> None:
        """Ends a turn without a text; whoever asks next has it."""
        self._link.tell("EVAL", _GIVE_BACK, 1, place, mine.text)

    @asynccontextmanager
    async def lock(self, place: str, longest_s: float) -> AsyncIterator[None]:
        """No other replica is in the block of this place meanwhile, as long as Redis answers and for ``longest_s``
        seconds at most."""
        key, mine = self._link.key("alone", place), self.new()
        try:
            async with asyncio.timeout(longest_s):
                await self.wait(key, mine, longest_s)
        except (Away, TimeoutError):
            pass
        try:
            yield
        finally:
            self.give_back(key, mine)
