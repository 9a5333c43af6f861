"""The service's end of the way to a cluster: what was asked and not answered yet.

A gateway process is Ray's driver (:mod:`app.lanes.ray.gateway`); where it ends, another is started, for as long as
this link is open. An item that a replica, a node or a gateway took with it is sent once more, alone; the second time it
is :class:`ItemLost`. While there is no way to the cluster items wait, each until its deadline.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count

import structlog

from app.lanes.ray import frames
from app.lanes.ray.frames import Kind
from app.lanes.ray.messages import Stats

INSTALL = "pip install -e '.[ray]'"
START_S = 90.0
_SENDS = 2
_RETRY_S, _RETRY_MAX_S = 0.5, 10.0

log = structlog.get_logger(__name__)


class NoCluster(RuntimeError):
    """The cluster's lanes cannot be reached; says why and what to do."""


class Unreachable(Exception):
    """There was no way to the lane before the deadline."""


class Stopped(Exception):
    """The service has no more time for this."""


class ItemLost(Exception):
    """The item was sent twice and its replica ended both times, or could not answer."""


@dataclass(eq=False, slots=True)
class _Item:
    """One thing that is asked; ``out``: a gateway has it now, ``sends``: how many were given it."""

    lane: str
    method: str
    payload: bytes
    began: float
    deadline: float
    reply: asyncio.Future[bytes] = field(repr=False)
    sends: int = 0
    out: bool = False


class RayLink:
    """``address`` as of ``ray.init``: ``auto``, or that of a cluster of which this machine is a node.

    ``gateway``: the module that is run as one.
    """

    def __init__(self, address: str, lanes: Sequence[str], gateway: str = "app.lanes.ray.gateway") -> None:
        self.address = address
        self.lanes = tuple(lanes)
        self._gateway = gateway
        self.stats: dict[str, list[Stats]] = {}
        self._trouble = "the cluster has not answered yet"
        self._numbers = count(1)
        self._items: dict[int, _Item] = {}
        self._writer: asyncio.StreamWriter | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._opened: asyncio.Future[None] | None = None
        self._stopped: set[str] = set()

    async def start(self) -> None:
        """Returns when the lanes can be asked. Raises :class:`NoCluster`."""
        if find_spec("ray") is None:
            raise _refusal(f"it needs Ray, which is not installed here: {INSTALL}", self.address)
        self._opened = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.ensure_future(self._keep())
        try:
            async with asyncio.timeout(START_S):
                await self._opened
        except TimeoutError:
            self._trouble = f"no answer within {START_S:g} s"
        except NoCluster as refused:
            self._trouble = str(refused)
        else:
            return
        await self.stop()
        raise _refusal(self._trouble, self.address)

    async def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        for lane in self.lanes:
            self.shed(lane)

    def shed(self, lane: str) -> None:
        """What was asked of a lane, and whatever comes, is :class:`Stopped`."""
        self._stopped.add(lane)
        for item in self._items.values():
            if item.lane == lane:
                _fail(item, Stopped())

    async def ask(self, lane: str, method: str, payload: bytes, deadline: float) -> bytes:
        """The reply by ``deadline`` (the loop's time).

        Raises TimeoutError, :class:`Unreachable`, :class:`ItemLost` or :class:`Stopped`.
        """
        if lane in self._stopped:
            raise Stopped
        loop = asyncio.get_running_loop()
        number = next(self._numbers)
        item = self._items[number] = _Item(lane, method, payload, loop.time(), deadline, loop.create_future())
        self._send(number, item)
        try:
            async with asyncio.timeout_at(deadline):
                return await item.reply
        except TimeoutError:
            if trouble := self.trouble(lane):
                raise Unreachable(trouble) from None
            raise
        finally:
            del self._items[number]
            if item.out:
                self._post(frames.pack(Kind.CANCEL, number))

    def drop_model(self, name: str) -> None:
        """Tells every replica that there is no such model any more."""
        self._post(frames.pack(Kind.DROP, body=name.encode()))

    def trouble(self, lane: str | None = None) -> str:
        """Why a lane, or any, cannot be asked now; empty where it can."""
        if self._trouble:
            return self._trouble
        idle = [one for one in self.lanes if not self.stats.get(one) and lane in (None, one)]
        return f"no replica of {', '.join(idle)} answers" if idle else ""

    async def probe(self) -> str:
        """How the lanes are, for readiness. Raises RuntimeError with what is wrong."""
        if trouble := self.trouble():
            raise RuntimeError(trouble)
        return ", ".join(f"{lane}: {len(self.stats[lane])} replicas" for lane in self.lanes)

    # the gateway

    async def _keep(self) -> None:
        """Keeps a gateway running."""
        delay_s = _RETRY_S
        while True:
            served = False
            try:
                served = await self._through_one()
            except Exception as failure:  # noqa: BLE001 - whatever ended it, a link that gives up is dead
                self._trouble = f"its gateway could not be kept: {failure!r}"
            finally:
                await self._bury()
            delay_s = _RETRY_S if served else min(2 * delay_s, _RETRY_MAX_S)
            log.warning("ray_lost", error=self._trouble, retry_in_s=delay_s)
            await asyncio.sleep(delay_s)

    async def _through_one(self) -> bool:
        """From the start of one gateway to its end; whether it got through to the lanes."""
        ours, theirs = socket.socketpair()
        with theirs:
            command = (sys.executable, "-m", self._gateway, str(theirs.fileno()), self.address, ",".join(self.lanes))
            self._process = await asyncio.create_subprocess_exec(
                *command,
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        reader, self._writer = await asyncio.open_unix_connection(sock=ours, limit=2**22)
        served = False
        with suppress(asyncio.IncompleteReadError, ConnectionError):  # it has ended
            while True:
                kind, number, body = await frames.receive(reader)
                if kind is Kind.REFUSED:
                    self._refused(body.decode(errors="replace"))
                elif kind is Kind.READY:
                    served = True
                    self._ready()
                else:
                    self._receive(kind, number, body)
        if served:
            self._trouble = "the cluster was lost; it is tried again"
        return served

    def _refused(self, why: str) -> None:
        self._trouble = why
        if self._opened is not None and not self._opened.done():
            self._opened.set_exception(NoCluster(why))

    def _ready(self) -> None:
        self._trouble = ""
        if self._opened is not None and not self._opened.done():
            self._opened.set_result(None)
        for number, item in self._items.items():
            self._send(number, item)

    def _receive(self, kind: Kind, number: int, body: bytes) -> None:
        if kind is Kind.STATS:
            self.stats = json.loads(body)
        elif (item := self._items.get(number)) is None:
            return
        elif kind is Kind.REPLY:
            item.out = False
            if not item.reply.done():
                item.reply.set_result(body)
        elif kind is Kind.LOST:
            self._send_again(number, item, body.decode(errors="replace"))

    def _send_again(self, number: int, item: _Item, why: str) -> None:
        item.out = False
        log.info("ray_item_lost", lane=item.lane, sends=item.sends, why=why[:200])
        if item.sends < _SENDS:
            self._send(number, item)
        else:
            _fail(item, ItemLost(why))

    async def _bury(self) -> None:
        """Ends the gateway; what it had is sent again by the next one, or lost."""
        self.stats = {}
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
            self._process = None
        for number, item in self._items.items():
            if item.out:
                self._send_again(number, item, "the way to the cluster ended")

    def _send(self, number: int, item: _Item) -> None:
        """Sends it where there is a gateway that is ready; else the next one is given it."""
        if self._writer is None or self._trouble or item.reply.done():
            return
        now = asyncio.get_running_loop().time()
        asked = (item.method, item.deadline - now, now - item.began, item.payload)
        body = pickle.dumps((item.lane, item.sends > 0, asked), pickle.HIGHEST_PROTOCOL)
        item.sends += 1
        item.out = True
        self._post(frames.pack(Kind.ASK, number, body))

    def _post(self, frame: bytes) -> None:
        if self._writer is not None:
            self._writer.write(frame)


def _refusal(why: str, address: str) -> NoCluster:
    """Logged, too: whoever starts the service is to read it without its traceback."""
    log.error("ray_not_reached", address=address, reason=why)
    return NoCluster(f"TRUEWARD_RAY_ADDRESS={address}: {why}")


def _fail(item: _Item, failure: Exception) -> None:
    if not item.reply.done():
        item.reply.set_exception(failure)
        item.reply.exception()  # whoever asked may have left
