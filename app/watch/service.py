"""Watches: kept, and evaluated in the background by one server at a time; what they find becomes alarms."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import structlog

from app.kit.background import Background, Trouble
from app.kit.claim import claim
from app.kit.clock import now
from app.kit.commits import Commits
from app.kit.db import Database, is_outage
from app.kit.paging import PageRange
from app.projects.visibility import Sight, sight_of_owner
from app.telemetry.metrics import Metrics
from app.watch.freezes import FrozenRecipes
from app.watch.reading import StreamReader
from app.watch.repository import WatchRepository, covers
from app.watch.status import DEFAULT, LEAST_RECORDS, status
from app.watch.status import summarise_report as shown_of
from app.webhooks.target import check_url, redact_url
from trueward.errors import Conflict, InvalidRequest, NotFound, TruewardError
from trueward.wire.watch import (
    HIDDEN,
    Alarm,
    AlarmPage,
    Finding,
    Looking,
    Watch,
    Watches,
    WatchReport,
    WatchRequest,
    WatchStatus,
)

if TYPE_CHECKING:
    from app.watch.signal_input import RecipeKind
    from app.watch.stream import RecordStream

_POLL_S = 1.0
_LONGEST_S = 60.0
_KNOWN = 10_000
_LONGEST_NAME = 256
_SHOWN = 50
_DEFAULT = WatchRequest(run="*")
_DEFAULT_RUNS = 200
"""Runs that the default watch looks at: those that began last."""
log = structlog.get_logger(__name__)
Edition = tuple[str | None, str | None]


class WatchService(Background):
    """An async context manager: evaluates watches while it is open. ``loopback``: webhooks may lead to this machine.
    ``by_default``: runs that no stored watch covers are watched too."""

    task = "watches"

    def __init__(
        self,
        db: Database,
        freezes: FrozenRecipes,
        metrics: Metrics,
        *,
        loopback: bool = True,
        by_default: bool = False,
    ) -> None:
        self._db = db
        self._commits = Commits(db)
        self._reader = StreamReader(db)
        self._repository = WatchRepository(db)
        self._freezes = freezes
        self._metrics = metrics
        self._loopback = loopback
        self._by_default = by_default
        self._defaulted: datetime | None = None
        self._known: OrderedDict[tuple[str, str], Edition] = OrderedDict()
        self._reading = asyncio.Semaphore(1)

    def visible_to(self, sight: Sight) -> WatchService:
        """The same for somebody who sees these watches, alarms and records alone."""
        seen = copy(self)
        db = sight.of(self._db)
        seen._reader, seen._repository = StreamReader(db), WatchRepository(db)
        return seen

    async def look(self, run: str, looking: Looking) -> WatchReport:
        """What the run's stream shows now. Raises :class:`NotFound` for a run, or a base, without records."""
        # one at a time: each may hold as many records in memory as the limit allows
        async with self._reading:
            reading = await self._reader.read(run, looking.limit)
            if not len(reading.stream):
                raise NotFound(f"the ledger has no record of a run {run[:100]!r}; GET /v1/runs lists the runs")
            base = None
            if looking.base is not None:
                base = (await self._reader.read(looking.base, looking.limit)).stream
                if not len(base):
                    raise NotFound(f"the ledger has no record of the base {looking.base[:100]!r}")
            report = await asyncio.to_thread(_look, run, reading.stream, looking, reading.kind, base)
        more = {"recipe": reading.recipe, "left_out": reading.left_out, "status": await self.status(run)}
        return report.model_copy(update=more)

    async def find_status(self, run: str) -> WatchStatus:
        """The status. Raises :class:`NotFound` for a run without records that no stored watch covers."""
        found = await self.status(run)
        if (await self._reader.edition(run))[0] is None and set(found.watches) <= {DEFAULT}:
            raise NotFound(f"the ledger has no record of a run {run[:100]!r}; GET /v1/runs lists the runs")
        return found

    async def status(self, run: str) -> WatchStatus:
        """What watches the run by itself, whether or not it is known; cheap: no record is read."""
        covering = [one for one in await self._repository.watches() if covers(one.run, run)]
        looks = await self._repository.looks(run)
        opened = (await self.alarms(run, "open", PageRange(limit=_SHOWN))).alarms
        by_default = self._by_default and covers(_DEFAULT.run, run)
        return status(run, covering, by_default, looks, opened)

    async def watching(self) -> str:
        """What watches runs at all, in words."""
        stored = len(await self._repository.watches())
        watches = f"{stored} stored {'watch' if stored == 1 else 'watches'}"
        if self._by_default:
            return f"The default watch looks at every run that no other covers; {watches}."
        return f"{watches}; other runs are not watched." if stored else "Nothing is watching: no alarm means nothing."

    async def put(self, name: str, request: WatchRequest, owner: str | None) -> Watch:
        """Raises :class:`InvalidRequest` for a webhook that is not to be called, or a name that is too long, and
        :class:`Conflict` for the name of another project's."""
        if len(name) > _LONGEST_NAME:
            detail = f"a watch's name has at most {_LONGEST_NAME} characters"
            raise InvalidRequest.at_field("path.name", "too_long", detail)
        if request.webhook is not None:
            check_url(request.webhook, loopback=self._loopback)
        if not await self._repository.put(name, request, owner):
            raise Conflict(f"the watch {name[:100]!r} belongs to another project: use another name")
        for key in [known for known in self._known if known[0] == name]:
            del self._known[key]
        return await self.find(name)

    async def find(self, name: str) -> Watch:
        """Raises :class:`NotFound`."""
        found = await self._repository.find(name)
        if found is None:
            raise NotFound(f"there is no watch {name[:100]!r}; GET /v1/watches lists them")
        return _public(found)

    async def all(self) -> Watches:
        return Watches(watches=[_public(watch) for watch in await self._repository.watches()])

    async def delete(self, name: str) -> Watch:
        """Its alarms stay. Raises :class:`NotFound`."""
        found = await self.find(name)
        await self._repository.delete(name)
        return found

    async def alarm(self, name: str) -> Alarm:
        """Raises :class:`NotFound`."""
        found = await self._repository.alarm(name)
        if found is None:
            raise NotFound(f"there is no alarm {name[:100]!r}; GET /v1/alarms lists them")
        return found

    async def alarms(self, run: str | None, state: str | None, wanted: PageRange) -> AlarmPage:
        """Newest first."""
        found, following = wanted.cut(await self._repository.alarms(run, state, wanted), lambda alarm: alarm.id)
        return AlarmPage(alarms=found, next=following)

    async def close(self, name: str, reason: str, owner: str | None) -> Alarm:
        """Raises :class:`NotFound`, or :class:`Conflict` for an alarm that was closed before."""
        await self.alarm(name)
        if not await self._repository.close(name, reason, owner):
            raise Conflict(f"alarm {name} is closed already")
        return await self.alarm(name)

    async def _run(self) -> None:
        trouble = Trouble("watches are not evaluated; trying again")
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            if self._commits.new() or loop.time() >= due:
                try:
                    async with claim(self._db, "watches") as granted:
                        if granted is not None:
                            due = loop.time() + await self.evaluate_due()
                            self._commits.settle()
                    trouble.over()
                except Exception as failure:  # noqa: BLE001 - watching outlives an outage of the database, and any bug
                    trouble.note_error(failure)
            await asyncio.sleep(_POLL_S)

    async def evaluate_due(self) -> float:
        """Evaluates the watches whose time has come; one that fails says so and does not keep the others.

        Gives the seconds until the next one's time: at most, as a watch may be put or changed meanwhile.
        """
        watches = await self._repository.watches()
        for watch in watches:
            if _due(watch.evaluated_at, watch.every_s):
                own = self.visible_to(await sight_of_owner(self._db, watch.owner))
                failure = await self._evaluate(watch, await own._repository.runs(watch.run))
                await self._repository.record_evaluation(watch.name, now(), failure)
        if self._by_default and _due(self._defaulted, _DEFAULT.every_s):
            self._defaulted = now()
            watch = Watch(name=DEFAULT, created_at=now(), **_DEFAULT.model_dump())
            await self._evaluate(watch, await self._uncovered())
        # those evaluated just now are looked at again at once, as that was a commit
        times = [(watch.evaluated_at, watch.every_s) for watch in watches]
        times += [(self._defaulted, _DEFAULT.every_s)] if self._by_default else []
        return min((_left_s(*time) for time in times), default=_LONGEST_S)

    async def _uncovered(self) -> list[str]:
        """Runs that the default watch looks at: no stored watch does, and there is something to see."""
        covered: set[str] = set()
        for watch in await self._repository.watches():
            own = self.visible_to(await sight_of_owner(self._db, watch.owner))
            covered.update(await own._repository.runs(watch.run))
        runs = await self._repository.runs(_DEFAULT.run, _DEFAULT_RUNS)
        return [run for run in runs if run not in covered and await self._reader.holds(run, LEAST_RECORDS)]

    async def _evaluate(self, watch: Watch, runs: Sequence[str]) -> str | None:
        """Why it could not look, or None."""
        failure = None
        sight = await sight_of_owner(self._db, watch.owner)
        own = self.visible_to(sight)
        for run in runs:
            try:
                await own._evaluate_run(watch, run, sight.project)
            except TruewardError as refusal:
                failure = refusal.detail
            except Exception as bug:  # an outage is raised again, a bug costs this run alone
                if is_outage(bug):
                    raise
                log.error("a run could not be watched", watch=watch.name, run=run, exc_info=bug)
                failure = f"run {run!r}: a bug of ours: {type(bug).__name__}: {str(bug)[:300]}"
        return failure

    async def _evaluate_run(self, watch: Watch, run: str, project: str | None) -> None:
        edition = await self._reader.edition(run)
        if edition[0] is None or self._known.get((watch.name, run)) == edition:
            return
        report = await self.look(run, watch)
        for finding in report.findings:
            await self._raise(watch, run, report.recipe, finding, project)
        await self._repository.record_look(run, watch.name, shown_of(report))
        self._known[watch.name, run] = edition
        while len(self._known) > _KNOWN:
            self._known.popitem(last=False)

    async def _raise(self, watch: Watch, run: str, recipe: str | None, finding: Finding, project: str | None) -> None:
        raised = await self._repository.raise_alarm(watch, run, recipe, finding)
        if raised is None:
            return
        alarm = raised.alarm
        if raised.new:
            self._metrics.count_alarm(finding.signal, run)
            told = {"signal": finding.signal, "cause": finding.cause, "detail": finding.detail}
            log.warning("alarm", alarm=alarm.id, watch=watch.name, run=run, **told)
        if watch.action == "freeze" and recipe is not None:
            reason = f"alarm {alarm.id} of watch {watch.name!r} in run {run!r}: {finding.signal}: {finding.detail}"
            with suppress(Conflict):  # it is frozen, or somebody lifted what this alarm froze
                freeze = await self._freezes.freeze(recipe, reason, alarm.id, watch.owner, project)
                log.warning("recipe frozen", recipe=recipe, freeze=freeze.id, alarm=alarm.id)


def _due(evaluated_at: datetime | None, every_s: float) -> bool:
    return _left_s(evaluated_at, every_s) == 0


def _left_s(evaluated_at: datetime | None, every_s: float) -> float:
    """Seconds until a watch is due; 0 where it is."""
    since = None if evaluated_at is None else now() - evaluated_at
    # looked at in the future, by a clock that was set back since: not a reason to wait for that moment again
    if since is None or since < timedelta(0):
        return 0.0
    return max(0.0, every_s - since.total_seconds())


def _look(run: str, stream: RecordStream, looking: Looking, kind: RecipeKind, base: RecordStream | None) -> WatchReport:
    """In a thread, for it loads numpy and what the signals compute with."""
    from app.watch.analysis import look

    return look(run, stream, looking, kind, base)


def _public(watch: Watch) -> Watch:
    """Without the webhook's secrets."""
    if watch.webhook is None:
        return watch
    secret = None if watch.webhook_secret is None else HIDDEN
    return watch.model_copy(update={"webhook": redact_url(watch.webhook), "webhook_secret": secret})
