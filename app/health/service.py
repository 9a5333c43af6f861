"""Whether scoring works: the database can be written, a worker process is alive."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from sqlalchemy import delete

from app.kit.clock import now
from app.kit.db import Database, insert_in
from app.scoring.cpu.pool import Pool
from app.scoring.models import ModelLane
from app.scoring.programs import Programs
from app.settings import Settings
from app.tables.idempotency import Idempotency
from trueward.errors import Unavailable
from trueward.types import Wire

_PROBE_S = 5.0
_KNOWN_S = 30.0
"""Seconds for which the sandbox's word counts: asking it costs a program."""

Probe = Callable[[], Awaitable[str]]


class Check(Wire):
    name: str
    ok: bool
    detail: str = ""


class Readiness(Wire):
    ready: bool
    checks: list[Check]


class Health:
    """``checks``: a name and a coroutine function that returns a detail, or raises.

    ``parts`` are checks of what a service can be ready without.
    """

    def __init__(self, checks: dict[str, Probe], parts: dict[str, Probe] | None = None) -> None:
        self._checks = checks
        self._parts = parts or {}
        self._stopping = False

    def stop(self) -> None:
        """From now on the service is not ready."""
        self._stopping = True

    async def readiness(self) -> Readiness:
        """Runs each check, each at most five seconds."""
        if self._stopping:
            return Readiness(ready=False, checks=[Check(name="stop", ok=False, detail="the service is stopping")])
        every = {**self._checks, **self._parts}
        checks = await asyncio.gather(*(self._run(name, check) for name, check in every.items()))
        return Readiness(ready=all(check.ok or check.name in self._parts for check in checks), checks=list(checks))

    async def _run(self, name: str, check: Callable[[], Awaitable[str]]) -> Check:
        try:
            async with asyncio.timeout(_PROBE_S):
                return Check(name=name, ok=True, detail=await check())
        except TimeoutError:
            return Check(name=name, ok=False, detail=f"no answer within {_PROBE_S:g} s")
        except Exception as failure:  # noqa: BLE001 - whatever is wrong with a part, readiness names it
            return Check(name=name, ok=False, detail=f"{type(failure).__name__}: {str(failure)[:200]}")


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

    Whoever sets the local one has programs to run: a host that cannot isolate them does less than was asked of it. Of
    one that was left to the default, or is another server's, the rest does not depend.
    """
    probe = {"sandbox": probe_sandbox(programs)}
    return (probe, {}) if settings.sandbox == "local" and "sandbox" in settings.model_fields_set else ({}, probe)


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
