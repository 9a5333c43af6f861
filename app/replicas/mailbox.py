"""Letters between replicas: each has a box, a list in Redis, that it alone reads.

A letter arrives once or not at all: with Redis gone, or the other replica, it is lost, and whoever waits for an answer
is told by the link's outage or finds the other dead. What is not sealed is thrown away.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import structlog
from pydantic import JsonValue
from redis.exceptions import RedisError

from app.kit.background import Background
from app.replicas.link import RedisLink, client

Letter = dict[str, JsonValue]

_LOOK_S = 2
_PATIENCE_S = 5.0
"""A Redis that hangs is found out by the link's beat, sooner."""
_AT_ONCE = 200
_KEPT_MS = 60_000
_REST_S = 0.2
log = structlog.get_logger(__name__)

_SEND = """
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
"""


class Mailbox(Background):
    """An async context manager: inside it ``read`` is called with each letter. ``read`` must not raise."""

    task = "letters"

    def __init__(self, url: str, link: RedisLink, read: Callable[[Letter], None]) -> None:
        self._link = link
        self._read = read
        self._redis = client(url, _LOOK_S + _PATIENCE_S)

    async def __aexit__(self, *failure: object) -> None:
        await super().__aexit__(*failure)
        await self._redis.aclose()

    async def send(self, to: str, letter: Letter) -> bool:
        """False where the other replica does not live any more. Raises :class:`app.replicas.errors.Away`."""
        return bool(await self._link.ask(*self._sent(to, letter)))

    def drop(self, to: str, letter: Letter) -> None:
        """Sends without waiting, and without knowing whether it arrives."""
        self._link.tell(*self._sent(to, letter))

    def _sent(self, to: str, letter: Letter) -> tuple[bytes | str | int, ...]:
        box = self._link.key("box", to)
        text = self._link.seal.close(box, json.dumps(letter).encode())
        return ("EVAL", _SEND, 2, box, self._link.alive(to), text, _KEPT_MS)

    async def _run(self) -> None:
        box = self._link.key("box", self._link.name)
        while True:
            try:
                first = await self._redis.blpop([box], timeout=_LOOK_S)
                more = await self._redis.lpop(box, _AT_ONCE) if first else None
            except (RedisError, OSError) as failure:
                self._link.fail(failure)
                await asyncio.sleep(_REST_S)
                continue
            for sealed in (*([first[1]] if first else []), *(more or [])):
                self._open(box, sealed)

    def _open(self, box: str, sealed: bytes) -> None:
        text = self._link.seal.open(box, sealed)
        if text is None:
            log.warning("a letter without our seal was thrown away", bytes=len(sealed))
            return
        self._read(json.loads(text))
