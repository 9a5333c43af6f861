"""What is right and wrong with a server's installation, each with what to do about it."""

from __future__ import annotations

import os

from app import plugin_kinds as kinds
from app.kit.db import Database
from app.kit.migrate import head, revisions
from app.lanes.programs import Programs
from app.lanes.sandboxes import sandbox_of
from app.settings import Settings, find_unknown_settings
from sandbox.base import SandboxFailure, Unsupported
from trueward.commands.finding import DoctorFinding
from verifiers import registry


async def examine(settings: Settings) -> list[DoctorFinding]:
    """The settings, the database, the verifiers, other plug-ins and the sandbox, one finding each."""
    shared = [] if settings.redis_url is None else [await _redis(settings.redis_url)]
    found = (_settings(settings), await _database(settings), *shared, _verifiers(), _plugins())
    return [*found, await _sandbox(settings)]


async def _redis(url: str) -> DoctorFinding:
    try:
        from redis.exceptions import RedisError

        from app.replicas.link import ANSWER_S, client
    except ModuleNotFoundError:
        return DoctorFinding("redis", False, "TRUEWARD_REDIS_URL needs Redis' client: pip install -e '.[redis]'")
    redis = client(url, ANSWER_S)
    try:
        await redis.ping()
    except (RedisError, OSError, ValueError) as failure:
        return DoctorFinding("redis", False, f"Redis does not answer: {type(failure).__name__}: {str(failure)[:200]}")
    finally:
        await redis.aclose()
    return DoctorFinding("redis", True, "answers")


async def _sandbox(settings: Settings) -> DoctorFinding:
    if settings.sandbox == "off":
        return DoctorFinding("sandbox", True, "off: no program is run")
    programs = Programs(sandbox_of(settings), settings.sandbox_workers)
    try:
        return DoctorFinding("sandbox", True, await programs.probe())
    except (SandboxFailure, Unsupported) as failure:
        return DoctorFinding("sandbox", False, f"{settings.sandbox}: {failure}")
    finally:
        await programs.close()


def _settings(settings: Settings) -> DoctorFinding:
    unknown = find_unknown_settings(os.environ)
    if misspelt := [f"{name} ({meant}?)" for name, meant in unknown.items() if meant]:
        return DoctorFinding("settings", False, f"no setting has this name, it does nothing: {'; '.join(misspelt)}")
    others = f"; no settings of ours: {', '.join(unknown)}" if unknown else ""
    keys = "API keys asked for" if settings.needs_keys else "keyless (loopback only)"
    return DoctorFinding(
        "settings",
        True,
        f"{settings.environment}, {settings.host}:{settings.port}, {keys}, {settings.workers} workers{others}",
    )


async def _database(settings: Settings) -> DoctorFinding:
    from alembic.runtime.migration import MigrationContext

    database = Database(settings.url)
    shown = database.url.render_as_string(hide_password=True)
    if database.path is not None and not database.path.exists():
        return DoctorFinding("database", True, f"{shown} does not exist yet; the service makes it when it starts")
    try:
        async with database, database.read() as connection:
            revision = await connection.run_sync(lambda c: MigrationContext.configure(c).get_current_revision())
    except Exception as failure:  # noqa: BLE001 - whatever is wrong with the database, the doctor names it
        return DoctorFinding("database", False, f"{shown}: {type(failure).__name__}: {str(failure)[:200]}")
    if revision != head() and (revision is None or revision in revisions()):
        detail = f"{shown} is at revision {revision}, this code at {head()}: run trueward db upgrade"
        return DoctorFinding("database", False, detail)
    newer = "" if revision == head() else f", newer than this code's {head()}"
    return DoctorFinding("database", True, f"{shown}, revision {revision}{newer}")


def _verifiers() -> DoctorFinding:
    failures = registry.failures()
    if failures:
        broken = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
        return DoctorFinding("verifiers", False, f"plug-ins that cannot be loaded: {broken}")
    return DoctorFinding("verifiers", True, ", ".join(registry.names()))


def _plugins() -> DoctorFinding:
    broken = "; ".join(f"{name}: {reason}" for name, reason in kinds.failures().items())
    if broken:
        return DoctorFinding("plug-ins", False, f"cannot be loaded: {broken}")
    brought = sum(len(kind.plugins()) for kind in kinds.KINDS)
    return DoctorFinding("plug-ins", True, f"{brought} beside verifiers")
