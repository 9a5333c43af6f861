"""The way to Redis: commands of one moment go together, and while Redis does not answer nobody waits for it.

A failure takes the link down: commands raise :class:`Away` at once, until a beat of the link's own has got through
again. So an outage costs the requests of its first moment ``ANSWER_S`` seconds at most, and later ones nothing.

A beat also says that this replica is alive, under its name. Not here: Redis Cluster, whose scripts may not touch
keys that they do not name.
"""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, ResponseError

from app.kit.background import Background
from app.replicas.errors import Away
from app.replicas.seal import Seal

ANSWER_S = 2.0
BEAT_S = 0.5
ALIVE_S = 6.0
"""A replica that has not said for so long that it is alive is dead."""
_REST_S = 1.0
_MOST, _MOST_BYTES = 1000, 4 * 2**20
_ENDING_S = 5.0
log = structlog.get_logger(__name__)

Argument = bytes | str | int | float
_Asked = tuple[tuple[Argument, ...], asyncio.Future[Any]]


class RedisLink(Background):
    """An async context manager; ``name`` is this replica's, new with each start."""

    task = "redis"

    def __init__(self, url: str, secret: bytes) -> None:
        self.seal = Seal(secret)
        self.name = secrets.token_hex(8)
        self.up = False
        self.failures = 0
        self.why = ""
        """What Redis, or the network, said when it was found away."""
        self.outage = asyncio.Event()
        """Set when the link goes down; another one counts from when it is up again."""
        self.outage.set()
        self._redis = client(url, ANSWER_S)
        self._waiting: list[_Asked] = []
        self._sending: asyncio.Task[None] | None = None

    async def __aenter__(self) -> RedisLink:
        await self._beat()
        if not self.up:
            log.warning("Redis does not answer: this replica goes on by itself until it does", error=self.why)
        return await super().__aenter__()

    async def __aexit__(self, *failure: object) -> None:
        await super().__aexit__(*failure)
        with suppress(Away, TimeoutError):
            async with asyncio.timeout(_ENDING_S):
                await self.ask("DEL", self.alive(self.name))
        await self._redis.aclose()

    def key(self, *parts: str) -> str:
        """A key of this service."""
        return ":".join(("tw", self.seal.realm, *parts))

    def alive(self, name: str) -> str:
        """The key that is there as long as the replica lives."""
        return self.key("alive", name)

    async def ask(self, *command: Argument) -> Any:
        """Redis' answer. Raises :class:`Away`."""
        if not self.up:
            raise Away("Redis does not answer")
        return await self._queued(command)

    def tell(self, *command: Argument) -> None:
        """A command whose answer nobody needs; after those that were given before it."""
        if self.up:
            self._queued(command).add_done_callback(_consume_exception)

    def fail(self, failure: BaseException) -> None:
        """Redis was found away."""
        self.why = _say(failure)
        if self.up:
            self.up = False
            self.failures += 1
            self.outage.set()
            log.warning("Redis does not answer: this replica goes on by itself", error=self.why)

    def _queued(self, command: tuple[Argument, ...]) -> asyncio.Future[Any]:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((command, answer))
        if self._sending is None:
            self._sending = asyncio.create_task(self._send(), name="redis commands")
        return answer

    async def _send(self) -> None:
        try:
            while self._waiting:
                await self._exchange(self._batch())
        finally:
            self._sending = None

    def _batch(self) -> list[_Asked]:
        """The next commands, not more than Redis answers in a moment."""
        size = count = 0
        while count < min(len(self._waiting), _MOST) and size < _MOST_BYTES:
            size += sum(len(part) for part in self._waiting[count][0] if isinstance(part, bytes | str))
            count += 1
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    async def _exchange(self, batch: list[_Asked]) -> None:
        try:
            async with asyncio.timeout(ANSWER_S), self._redis.pipeline(transaction=False) as pipeline:
                for command, _ in batch:
                    pipeline.execute_command(*command)
                answers = await pipeline.execute(raise_on_error=False)
        except Exception as failure:  # noqa: BLE001 - whatever it is, those who wait are told and go on without Redis
            self.fail(failure)
            behind, self._waiting = self._waiting, []
            for _, answer in (*batch, *behind):
                _give(answer, failure)
            await self._drop_connections()
            return
        for (_, answer), found in zip(batch, answers, strict=True):
            _give(answer, found)

    async def _drop_connections(self) -> None:
        """An answer that is read later must not be taken for that of another command."""
        with suppress(RedisError, OSError, TimeoutError):
            async with asyncio.timeout(ANSWER_S):
                await self._redis.connection_pool.disconnect(inuse_connections=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S if self.up else _REST_S)
            await self._beat()

    async def _beat(self) -> None:
        try:
            await self._queued(("SET", self.alive(self.name), 1, "PX", int(ALIVE_S * 1000)))
        except Away as failure:
            self.fail(failure)
            return
        if not self.up:
            self.up, self.outage = True, asyncio.Event()
            log.info("Redis answers", replica=self.name)


def client(url: str, answer_s: float) -> Redis:
    """A client that tries once; ``answer_s`` seconds for a connection, and for an answer."""
    once = Retry(NoBackoff(), 0)
    return Redis.from_url(url, socket_connect_timeout=ANSWER_S, socket_timeout=answer_s, retry=once)


def _say(failure: BaseException) -> str:
    """What it was: of an answer that Redis gave, a wrong password among them, in Redis' words."""
    text = str(failure)[:200] if isinstance(failure, Away | RedisError) else ""
    return text or type(failure).__name__


def _give(answer: asyncio.Future[Any], found: object) -> None:
    if answer.done():
        return
    if isinstance(found, BaseException):
        # a full Redis, or a key of another kind, refuses a command and is well otherwise
        answer.set_exception(Away(f"{type(found).__name__}: {found}"[:300]))
        if isinstance(found, ResponseError):
            log.warning("Redis refused a command", error=str(found)[:300])
    else:
        answer.set_result(found)


def _consume_exception(answer: asyncio.Future[Any]) -> None:
    if not answer.cancelled():
        answer.exception()
