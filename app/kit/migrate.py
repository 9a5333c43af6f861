"""Brings a database to a revision of ``migrations/``: one tree for SQLite and PostgreSQL.

A migration that fails leaves the database as it was. Several servers may migrate at once: the first does
it, the others wait and find nothing left to do.

The first digit of a revision is its generation. Within one, migrations only add: a service works on a schema that is
newer than it knows, so that the old replicas of a rolling upgrade may start again. A newer generation is refused.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import inspect, text

from app.kit.db import Database, engine_url
from app.kit.private import make_folder
from app.kit.terminal import redact_password
from trueward.errors import SchemaTooNew, Unusable

if TYPE_CHECKING:
    from alembic.config import Config

SCRIPTS = Path(__file__).parents[2] / "migrations"
log = structlog.get_logger(__name__)


async def upgrade(url: str, revision: str = "head") -> None:
    """Migrates up; makes the directory of a SQLite file that does not exist yet. Raises :class:`SchemaTooNew`."""
    make_folder_of(url)
    stored = await current(url)
    if not has_revision(stored):
        log.warning("the database's schema is newer than this service and only adds to what it knows", stored=stored)
        return
    if revision == "head" and stored == head():
        return
    from alembic import command

    log.info("migrating the database", stored=stored or "nothing", to=head() if revision == "head" else revision)
    # alembic's commands start an event loop of their own, so they get a thread of their own
    await asyncio.to_thread(command.upgrade, config(url), revision)


def make_folder_of(url: str) -> None:
    """The directory of a SQLite file that may not be there yet."""
    parsed = engine_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        make_folder(Path(parsed.database).parent)


async def downgrade(url: str, revision: str) -> None:
    """Migrates down to ``revision``; ``base`` drops everything."""
    from alembic import command

    await asyncio.to_thread(command.downgrade, config(url), revision)


async def current(url: str) -> str:
    """The revision that a database has; empty where it has none. Raises :class:`Unusable` for another program's."""
    async with Database(url) as db, db.read() as connection:
        tables = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
        if "alembic_version" not in tables:
            # other tables of a schema of PostgreSQL may be anybody's; a file is one program's
            if tables and db.dialect == "sqlite":
                raise _anothers(url)
            return ""
        found: str | None = (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar()
    if found and not found.isdecimal():
        raise _anothers(url)
    return found or ""


def _anothers(url: str) -> Unusable:
    return Unusable(
        f"the database {redact_password(url)} is another program's: name another --data-dir (TRUEWARD_DATA_DIR) or "
        "TRUEWARD_DATABASE_URL"
    )


def has_revision(stored: str) -> bool:
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
    """Those that this code knows, which its files are named by."""
    return {script.name.partition("_")[0] for script in (SCRIPTS / "versions").glob("[0-9]*_*.py")}


def head() -> str:
    """The newest revision that this code knows: they are numbers, in one line."""
    return max(revisions(), default="")


def config(url: str) -> Config:
    """Alembic's configuration for a database; the URL travels in the attributes, unescaped."""
    from alembic.config import Config

    found = Config(attributes={"url": url})
    found.set_main_option("script_location", str(SCRIPTS))
    found.set_main_option("path_separator", "os")
    return found
