"""The service's pulse: read every other second while somebody looks on, and told to all of them alike.

Nothing is computed for a viewer. A viewer that is slow misses readings and gets the latest one. Streams end after five
minutes, with the session that they belong to, and when the service stops; browsers come back by themselves, and are
admitted anew.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass

import structlog

from app.kit.background import Background
from app.kit.db import is_outage
from app.kit.paging import PageRange
from app.pages.environment import render_template
from app.pages.overview.counts import ServiceCounts, collect_counts
from app.pages.overview.telling import view_overview
from app.pages.overview.views import OverviewView
from app.telemetry.metrics import Metrics
from app.watch.service import WatchService
from trueward.errors import Unavailable
from trueward.wire.watch import Alarm

EVERY_S = 2.0
UNSEEN_S = 10.0
"""Between readings that nobody looks at, which the next viewer sees as the past."""
KEPT_S = 600.0
MOST_VIEWERS = 50
LONGEST_S = 300.0
ALARMS = 20
log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class Viewer:
    """``session`` is the token that it came with, empty where it had none."""

    session: str
    gone: bool = False


class Pulse(Background):
    """An async context manager: reads while it is open."""

    task = "pulse"

    def __init__(self, metrics: Metrics, watches: WatchService) -> None:
        self._metrics = metrics
        self._watches = watches
        self._history: deque[ServiceCounts] = deque()
        self._viewers: set[Viewer] = set()
        self._came = asyncio.Event()
        self._told = asyncio.Event()
        self._message = ""
        self._closed = False
        self._began = asyncio.get_running_loop().time()

    async def view(self) -> OverviewView:
        """The overview at this moment."""
        return view_overview([*self._history, self._read()], *await self._alarms())

    def admit(self, session: str) -> Viewer:
        """Raises :class:`Unavailable` where too many look on."""
        if self._closed or len(self._viewers) >= MOST_VIEWERS:
            detail = f"{len(self._viewers)} viewers are connected already: reload this page from time to time"
            raise Unavailable(detail, retry_after_s=30)
        return Viewer(session)

    async def events(self, viewer: Viewer, allowed: Callable[[], Awaitable[bool]]) -> AsyncGenerator[str]:
        """Server-sent events, ``pulse`` each, until the viewer is not allowed any more."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + LONGEST_S
        # counted here: a stream that never begins is never ended either
        self._viewers.add(viewer)
        self._came.set()
        try:
            yield "retry: 3000\n\n"
            while loop.time() < ends:
                await self._told.wait()
                if self._closed or viewer.gone or not await allowed():
                    return
                if self._message:
                    yield self._message
        finally:
            self._viewers.discard(viewer)

    def leave(self, session: str) -> None:
        """Ends the streams of a session that was signed out."""
        for viewer in self._viewers:
            viewer.gone = viewer.gone or (bool(session) and viewer.session == session)
        self._tell(self._message)

    def close(self) -> None:
        """Ends all streams: a server that is told to stop waits for its answers to end."""
        self._closed = True
        self._tell("")

    async def __aexit__(self, *failure: object) -> None:
        self.close()
        await super().__aexit__(*failure)

    def _tell(self, message: str) -> None:
        self._message = message
        told_now, self._told = self._told, asyncio.Event()
        told_now.set()

    async def _run(self) -> None:
        while True:
            self._history.append(self._read())
            while self._history[-1].moment - self._history[0].moment > KEPT_S:
                self._history.popleft()
            if self._viewers:
                try:
                    self._tell(_message(view_overview(self._history, *await self._alarms())))
                except Exception as bug:  # the next reading may be told
                    log.error("the overview was not told", exc_info=bug)
            await self._pause()

    async def _pause(self) -> None:
        self._came.clear()
        if self._viewers:
            await asyncio.sleep(EVERY_S)
            return
        try:
            async with asyncio.timeout(UNSEEN_S):
                await self._came.wait()
        except TimeoutError:
            pass

    def _read(self) -> ServiceCounts:
        return collect_counts(self._metrics.registry, asyncio.get_running_loop().time() - self._began)

    async def _alarms(self) -> tuple[list[Alarm] | None, str]:
        """The open ones, and what watches."""
        try:
            opened = (await self._watches.alarms(None, "open", PageRange(limit=ALARMS))).alarms
            return opened, await self._watches.watching()
        except Exception as failure:  # an outage is told, the rest raised again
            if not is_outage(failure):
                raise
            return None, ""


def _message(view: OverviewView) -> str:
    """An event: the page's parts as they are now, and the latest point of the series."""
    latest = view.points[-1].model_dump(mode="json") if view.points else None
    body = json.dumps({"html": render_template("overview/live.html", view=view), "point": latest})
    return f"event: pulse\ndata: {body}\n\n"
