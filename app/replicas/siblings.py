"""What became of the members of groups that come to several replicas one by one: their rewards, and what stands in.

A group is a hash in Redis, a field a record, so that what is told twice counts once. It is over when as many members
have come as it has; whoever comes then opens the next one under the same name. The number that stands in is that of the
first replica that names one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Mapping

from app.replicas.link import RedisLink

_KEPT_MS = 900_000
"""As long as a group of which the size is told may take (:data:`app.protocols.trainers.stand_in.LONGEST_S`)."""

_TELL = """
local turn = redis.call('GET', KEYS[1]) or '0'
local group = KEYS[1] .. ':' .. turn
if redis.call('HLEN', group) >= tonumber(ARGV[3]) and redis.call('HEXISTS', group, ARGV[1]) == 0 then
  turn = redis.call('INCR', KEYS[1])
  group = KEYS[1] .. ':' .. turn
end
redis.call('HSET', group, ARGV[1], ARGV[2])
redis.call('PEXPIRE', group, ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return group
"""
_NAME = """
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX')
return redis.call('GET', KEYS[1])
"""


class SharedSiblings:
    def __init__(self, link: RedisLink) -> None:
        self._link = link

    async def tell(self, scope: Hashable, name: str, size: int, record: str, reward: float | None) -> str:
        """That a member has come; returns the group that it belongs to. Raises :class:`app.replicas.errors.Away`."""
        group = await self._link.ask(*self._tell_command(scope, name, size, record, reward))
        return bytes(group).decode()

    def note(self, scope: Hashable, name: str, size: int, record: str, reward: float | None) -> None:
        """The same of a member that waits for nothing."""
        self._link.tell(*self._tell_command(scope, name, size, record, reward))

    def forget(self, group: str, record: str) -> None:
        """Its call ended without an answer: what comes again has another record, perhaps on another replica."""
        self._link.tell("HDEL", group, record)

    async def rewards(self, group: str) -> Mapping[str, float | None]:
        """By record, of the members that have come. Raises :class:`app.replicas.errors.Away`."""
        said: Mapping[bytes, bytes] = await self._link.ask("HGETALL", group)
        return {record.decode(): float(said[record]) if said[record] else None for record in sorted(said)}

    async def number(self, group: str, proposed: float) -> float:
        """What stands in for all that are missing in a group: ``proposed``, where nobody has named a number yet.

        Raises :class:`app.replicas.errors.Away`.
        """
        return float(await self._link.ask("EVAL", _NAME, 1, f"{group}:number", repr(proposed), _KEPT_MS))

    def _tell_command(
        self, scope: Hashable, name: str, size: int, record: str, reward: float | None
    ) -> tuple[str | int, ...]:
        named = hashlib.blake2b(json.dumps([scope, name]).encode(), digest_size=20).hexdigest()
        said = "" if reward is None else repr(reward)
        return "EVAL", _TELL, 1, self._link.key("siblings", named), record, said, size, _KEPT_MS
