"""Webhooks: delivered in the background, tried again for most of a day, and listed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from copy import copy

import structlog

from app.kit.background import Background, Trouble
from app.kit.clock import now
from app.kit.commits import Commits
from app.kit.db import Database
from app.kit.paging import PageRange
from app.projects.visibility import Sight
from app.telemetry.metrics import Metrics
from app.webhooks.outbox import Due, Outbox
from app.webhooks.retries import WAITS_S, next_try_at
from app.webhooks.sender import SENT, WebhookSender
from trueward.errors import NotFound
from trueward.wire.webhook import Delivery, DeliveryPage, DeliveryState

_POLL_S = 1.0
_AT_ONCE = 50
_TO_ONE_HOST = 5
_SWEEP_S = 3600.0
log = structlog.get_logger(__name__)


class Deliveries(Background):
    """An async context manager: delivers while it is open. ``loopback``: webhooks may lead to this machine."""

    task = "webhooks"

    def __init__(
        self, db: Database, metrics: Metrics, *, loopback: bool = True, waits_s: Sequence[float] = WAITS_S
    ) -> None:
        self._db = db
        self._metrics = metrics
        self._outbox = Outbox(db)
        self._sender = WebhookSender(loopback=loopback)
        self._waits_s = waits_s
        self._commits = Commits(db)
        self._under_way: dict[asyncio.Task[None], str] = {}
        self._wake = asyncio.Event()

    async def __aexit__(self, *failure: object) -> None:
        """A try that is under way is broken off, and made anew after the start."""
        await super().__aexit__(*failure)
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._sender.close()

    def visible_to(self, sight: Sight) -> Deliveries:
        """The same for somebody who sees these deliveries alone."""
        seen = copy(self)
        seen._outbox = Outbox(sight.of(self._db))
        return seen

    async def page(self, wanted: PageRange, subject: str | None, state: DeliveryState | None) -> DeliveryPage:
        """Newest first."""
        found, following = wanted.cut(await self._outbox.page(wanted, subject, state), lambda one: one.id)
        return DeliveryPage(deliveries=found, next=following)

    async def show(self, name: str) -> Delivery:
        """Raises :class:`NotFound`."""
        found = await self._outbox.find(name)
        if found is None:
            raise NotFound(f"there is no delivery {name[:100]!r}; GET /v1/deliveries lists them")
        return found

    async def _run(self) -> None:
        trouble = Trouble("webhooks are not delivered; trying again")
        clock = asyncio.get_running_loop().time
        due = sweep = clock()
        while True:
            self._wake.clear()
            try:
                if clock() >= sweep:
                    await self._outbox.sweep()
                    sweep = clock() + _SWEEP_S
                if self._commits.new() or clock() >= due:
                    due = clock() + await self._begin_due()
                    self._commits.settle()
                trouble.over()
            except Exception as failure:  # noqa: BLE001 - it outlives an outage of the database, and any bug
                trouble.note_error(failure)
            try:
                async with asyncio.timeout(_POLL_S):
                    await self._wake.wait()
            except TimeoutError:
                pass

    async def _begin_due(self) -> float:
        """Begins the tries that there is room for; gives the seconds until the next is due."""
        room = _AT_ONCE - len(self._under_way)
        hosts = Counter(self._under_way.values())
        for due in await self._outbox.take(room, hosts, _TO_ONE_HOST) if room else []:
            task = asyncio.create_task(self._try(due))
            self._under_way[task] = due.host
            task.add_done_callback(self._ended)
        following = await self._outbox.next_due()
        return _SWEEP_S if following is None else (following - now()).total_seconds()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.pop(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            log.warning("how a webhook ended was not written down; it is sent again", error=failure)
        self._wake.set()

    async def _try(self, due: Due) -> None:
        outcome = await self._sender.send(due)
        again = next_try_at(outcome, due.attempts, self._waits_s)
        if outcome != SENT and again is None:
            log.warning("a webhook was given up", delivery=due.id, tries=due.attempts, why=outcome)
        self._metrics.count_webhook(await self._outbox.record_try(due, outcome, again))
