"""The buckets of keys' quotas (:mod:`app.keys.quotas`), shared: all replicas together grant what one would.

Time is that of Redis. While Redis is away each replica grants the quota by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.keys.quotas import MINUTE_S, Buckets, QuotaClaim
from app.replicas.errors import Away
from app.replicas.link import RedisLink

_TAKE = """
local time = redis.call('TIME')
local now, wait = time[1] + time[2] / 1000000, 0
local full_at = {}
for i, key in ipairs(KEYS) do
  full_at[i] = math.max(tonumber(redis.call('GET', key)) or now, now)
  local worth, size = tonumber(ARGV[i + 1]), tonumber(ARGV[#ARGV])
  wait = math.max(wait, full_at[i] - now + math.min(worth, size) - size)
end
if wait <= tonumber(ARGV[1]) then
  for i, key in ipairs(KEYS) do
    local full = full_at[i] + ARGV[i + 1]
    redis.call('SET', key, string.format('%.6f', full), 'PX', math.ceil((full - now) * 1000))
  end
end
return string.format('%.6f', wait)
"""
_GIVE_BACK = """
for i, key in ipairs(KEYS) do
  local full = tonumber(redis.call('GET', key))
  if full then redis.call('SET', key, string.format('%.6f', full - ARGV[i]), 'KEEPTTL') end
end
return false
"""


class SharedBuckets:
    """``local`` serves while Redis is away."""

    def __init__(self, link: RedisLink, local: Buckets) -> None:
        self._link = link
        self._local = local

    async def take(self, claims: Sequence[QuotaClaim], within_s: float) -> float:
        """:meth:`app.keys.quotas.Buckets.take`."""
        worth = [repr(claim.worth_s) for claim in claims]
        try:
            wait_s = await self._link.ask("EVAL", _TAKE, len(claims), *self._keys(claims), within_s, *worth, MINUTE_S)
        except Away:
            return await self._local.take(claims, within_s)
        return float(wait_s)

    async def give_back(self, claims: Sequence[QuotaClaim]) -> None:
        """:meth:`app.keys.quotas.Buckets.give_back`."""
        worth = [repr(claim.worth_s) for claim in claims]
        try:
            await self._link.ask("EVAL", _GIVE_BACK, len(claims), *self._keys(claims), *worth)
        except Away:
            await self._local.give_back(claims)

    def _keys(self, claims: Sequence[QuotaClaim]) -> list[str]:
        return [self._link.key("bucket", *claim.bucket.split()) for claim in claims]
