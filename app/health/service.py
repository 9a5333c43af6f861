"""Whether scoring works: the database can be written, a worker process is alive."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sqlalchemy import delete
from sqlalchemy.exc import DBAPIError

from app.kit.clock import now
from app.kit.db import Database, insert_in
from app.lanes.cpu.pool import Pool
from app.lanes.models import ModelLane
from app.lanes.programs import Programs
from app.settings import Settings
from app.tables.keys import Idempotency
from trueward.errors import Unavailable
from trueward.wire.base import Wire

_PROBE_S = 5.0
_KNOWN_S = 30.0
"""Seconds for which the sandbox's word counts: asking it costs a program."""
_FRESH_S = 5.0
"""Seconds for which a scrape takes the last reading for new."""

Probe = Callable[[], Awaitable[str]]


class Check(Wire):
    name: str
    ok: bool
    detail: str = ""


class Readiness(Wire):
    ready: bool
    checks: list[Check]


_STOPPING = Readiness(ready=False, checks=[Check(name="stop", ok=False, detail="the service is stopping")])


class Health:
    """``checks``: a name and a coroutine function that returns a detail, or raises.

    ``parts`` are checks of what a service can be ready without. ``read`` is what was found last, None before that.
    """

    def __init__(self, checks: dict[str, Probe], parts: dict[str, Probe] | None = None) -> None:
        self._checks = checks
        self._parts = parts or {}
        self._stopping = False
        self._read_at = -_FRESH_S
        self._reading: asyncio.Task[Readiness] | None = None
        self.read: Readiness | None = None

    def stop(self) -> None:
        """From now on the service is not ready."""
        self._stopping = True
        self.read = _STOPPING

    def refresh(self) -> None:
        """Looks at the parts beside the caller: a scrape waits for none, and shows what was found last."""
        looking = self._reading is not None and not self._reading.done()
        if not looking and asyncio.get_running_loop().time() - self._read_at >= _FRESH_S:
            self._reading = asyncio.create_task(self.readiness(), name="readiness")

    async def readiness(self) -> Readiness:
        """Runs each check, each at most five seconds."""
        if self._stopping:
            return _STOPPING
        every = {**self._checks, **self._parts}
        checks = await asyncio.gather(*(self._run(name, check) for name, check in every.items()))
        found = Readiness(ready=all(check.ok or check.name in self._parts for check in checks), checks=list(checks))
        self._read_at = asyncio.get_running_loop().time()
        self.read = _STOPPING if self._stopping else found
        return found

    async def _run(self, name: str, check: Callable[[], Awaitable[str]]) -> Check:
        try:
            async with asyncio.timeout(_PROBE_S):
                return Check(name=name, ok=True, detail=await check())
        except TimeoutError:
            return Check(name=name, ok=False, detail=f"no answer within {_PROBE_S:g} s")
        except Exception as failure:  # noqa: BLE001 - whatever is wrong with a part, readiness names it
            return Check(name=name, ok=False, detail=_say(failure))


def _say(failure: Exception) -> str:
    """What is wrong, in the words of whoever found it: SQLAlchemy adds the driver's types and an address to read at."""
    if isinstance(failure, DBAPIError) and failure.orig is not None:
        failure = failure.orig if isinstance(failure.orig, Exception) else failure
    return str(failure)[:200] or type(failure).__name__


def probe_database(db: Database) -> Probe:
    """Writes a row and takes it away again: a transaction that changes nothing succeeds on a full disk, too.

    A file that was found damaged stays so, wherever this row is.
    """
    row = {"scope": "health", "key": "probe"}

    async def probe() -> str:
        added = insert_in(db.dialect, Idempotency).values(**row, body_hash="", seed="", created_at=now())
        async with db.write() as connection:
            await connection.execute(added.on_conflict_do_nothing())
            await connection.execute(delete(Idempotency).filter_by(**row))
        if db.file is not None and db.file.damage:
            raise Unavailable(db.file.damage)
        return db.dialect

    return probe


def probe_workers(pool: Pool) -> Probe:
    async def probe() -> str:
        alive = pool.stats().alive
        if not alive:
            raise RuntimeError("no worker process is alive; the pool keeps starting new ones")
        return f"{alive} alive"

    return probe


def probe_sandbox(programs: Programs) -> Probe:
    """Names what isolation this host lacks, and raises where no program may be run for it."""
    known: tuple[float, str] | None = None

    async def probe() -> str:
        nonlocal known
        now = asyncio.get_running_loop().time()
        if known is None or now - known[0] > _KNOWN_S:
            known = now, await programs.probe()
        return known[1]

    return probe


def checks_of_sandbox(settings: Settings, programs: Programs) -> tuple[dict[str, Probe], dict[str, Probe]]:
    """What readiness needs of the sandbox, and what it only names.

    Whoever sets the local one has programs to run: a host that cannot isolate them does less than was asked of it. On
    one that was left to the default, or is another server's, the rest does not depend. One that is off is in order.
    """
    if settings.sandbox == "off":
        return {}, {"sandbox": _say_off}
    probe = {"sandbox": probe_sandbox(programs)}
    return (probe, {}) if settings.sandbox == "local" and "sandbox" in settings.model_fields_set else ({}, probe)


async def _say_off() -> str:
    return "off: no program is run"


def probe_models(models: ModelLane) -> Probe:
    """Names models that could not be loaded, and says how many are."""

    async def probe() -> str:
        names = [model.entry.name for model in models.source.all()]
        status = await models.engines.status() if names else {}
        known = {name: status[name] for name in names if name in status}
        failed = [f"{name}: {one.detail}" for name, one in known.items() if one.state == "failed"]
        if failed:
            raise RuntimeError("; ".join(failed))
        return f"{len(names)} registered, {sum(one.state == 'ready' for one in known.values())} loaded"

    return probe
