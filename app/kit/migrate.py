"""Brings a database to a revision of ``migrations/``: one tree for SQLite and PostgreSQL.

A migration that fails leaves the database as it was. Several servers may migrate at once: the first does
it, the others wait and find nothing left to do.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from app.kit.db import engine_url

SCRIPTS = Path(__file__).parents[2] / "migrations"


async def upgrade(url: str, revision: str = "head") -> None:
    """Migrates up; makes the directory of a SQLite file that does not exist yet."""
    parsed = engine_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    # alembic's commands start an event loop of their own, so they get a thread of their own
    await asyncio.to_thread(command.upgrade, config(url), revision)


async def downgrade(url: str, revision: str) -> None:
    """Migrates down to ``revision``; ``base`` drops everything."""
    await asyncio.to_thread(command.downgrade, config(url), revision)


def head() -> str:
    """The newest revision that this code knows."""
    return ScriptDirectory.from_config(config("")).get_current_head() or ""


def config(url: str) -> Config:
    """Alembic's configuration for a database; the URL travels in the attributes, unescaped."""
    found = Config(attributes={"url": url})
    found.set_main_option("script_location", str(SCRIPTS))
    found.set_main_option("path_separator", "os")
    return found
