"""Brings a database to a revision of ``migrations/``: one tree for SQLite and PostgreSQL.

A migration that fails leaves the database as it was. Several servers may migrate at once: the first does
it, the others wait and find nothing left to do.

The first digit of a revision is its generation. Within one, migrations only add: a service works on a schema that is
newer than it knows, so that the old replicas of a rolling upgrade may start again. A newer generation is refused.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import structlog
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from app.kit.db import Database, engine_url
from trueward.errors import SchemaTooNew

SCRIPTS = Path(__file__).parents[2] / "migrations"
log = structlog.get_logger(__name__)


async def upgrade(url: str, revision: str = "head") -> None:
    """Migrates up; makes the directory of a SQLite file that does not exist yet. Raises :class:`SchemaTooNew`."""
    parsed = engine_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    stored = await current(url)
    if not knows(stored):
        log.warning("the database's schema is newer than this service and only adds to what it knows", stored=stored)
        return
    # alembic's commands start an event loop of their own, so they get a thread of their own
    await asyncio.to_thread(command.upgrade, config(url), revision)


async def downgrade(url: str, revision: str) -> None:
    """Migrates down to ``revision``; ``base`` drops everything."""
    await asyncio.to_thread(command.downgrade, config(url), revision)


async def current(url: str) -> str:
    """The revision that a database has; empty where it has none."""
    async with Database(url) as db, db.read() as connection:
        if not await connection.run_sync(lambda sync: inspect(sync).has_table("alembic_version")):
            return ""
        found: str | None = (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar()
    return found or ""


def knows(stored: str) -> bool:
    """Whether this code has the revision; it can work with the others of its generation.

    Raises :class:`SchemaTooNew` for one of another generation.
    """
    newest = head()
    if not stored or stored in revisions():
        return True
    if stored[0] != newest[0]:
        raise SchemaTooNew(
            f"the database has the schema {stored}, this service knows {newest} and cannot work with it: "
            "start the version that migrated it, or restore the backup from before"
        )
    return False


def revisions() -> set[str]:
    """Those that this code knows."""
    return {script.revision for script in ScriptDirectory.from_config(config("")).walk_revisions()}


def head() -> str:
    """The newest revision that this code knows."""
    return ScriptDirectory.from_config(config("")).get_current_head() or ""


def config(url: str) -> Config:
    """Alembic's configuration for a database; the URL travels in the attributes, unescaped."""
    found = Config(attributes={"url": url})
    found.set_main_option("script_location", str(SCRIPTS))
    found.set_main_option("path_separator", "os")
    return found
