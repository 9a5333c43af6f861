"""The migrations: up, down and up again; what they build is what the tables say; a failure leaves no trace."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from app.kit import migrate
from app.kit.db import Database
from app.kit.partitions import PARTITIONS
from app.tables import Table
from trueward.errors import SchemaTooNew

FAILS = """
from alembic import op
import sqlalchemy as sa
revision = "9999"
down_revision = "{head}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("half_done", sa.Column("id", sa.Integer(), primary_key=True))
    op.execute("INSERT INTO samples VALUES ('f', 'c', '2026-01-01')")
    with op.batch_alter_table("samples") as batch:
        batch.add_column(sa.Column("extra", sa.Text(), nullable=True))
    {failure}


def downgrade() -> None:
    pass
"""


async def tables_of(url: str) -> set[str]:
    async with Database(url) as db, db.read() as connection:
        found = set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))
        return found - await partitions_of(db)


async def partitions_of(db: Database) -> set[str]:
    """They are their table's, which the tests ask for."""
    if db.dialect == "sqlite":
        return set()
    async with db.read() as connection:
        return set((await connection.execute(text(PARTITIONS))).scalars())


def add_migration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failure: str) -> None:
    scripts = tmp_path / "migrations"
    shutil.copytree(migrate.SCRIPTS, scripts)
    (scripts / "versions" / "9999_fails.py").write_text(FAILS.format(head=migrate.head(), failure=failure))
    monkeypatch.setattr(migrate, "SCRIPTS", scripts)


async def test_up_down_and_up_again(empty_url: str) -> None:
    expected = set(Table.metadata.tables) | {"alembic_version"}
    await migrate.upgrade(empty_url)
    assert await tables_of(empty_url) == expected
    await migrate.downgrade(empty_url, "base")
    assert await tables_of(empty_url) == {"alembic_version"}
    await migrate.upgrade(empty_url)
    assert await tables_of(empty_url) == expected


async def test_upgrading_what_is_up_to_date_changes_nothing(empty_url: str) -> None:
    await migrate.upgrade(empty_url)
    await migrate.upgrade(empty_url)
    assert "samples" in await tables_of(empty_url)


async def test_the_migrated_schema_is_that_of_the_tables(db: Database) -> None:
    hidden = await partitions_of(db)

    def differences(connection: Connection) -> list[object]:
        shown = {"include_name": lambda name, kind, _: kind != "table" or name not in hidden}
        context = MigrationContext.configure(connection, opts={"compare_type": True, **shown})
        return list(compare_metadata(context, Table.metadata))

    async with db.read() as connection:
        assert await connection.run_sync(differences) == []


@pytest.mark.parametrize(
    "failure",
    ['raise RuntimeError("half-way")', "op.execute(\"INSERT INTO job_items VALUES ('none', 0, 'r', 's', '{{}}')\")"],
    ids=["raises", "leaves a row without its parent"],
)
async def test_a_failing_migration_leaves_the_database_as_it_was(
    empty_url: str, failure: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await migrate.upgrade(empty_url)
    before = await tables_of(empty_url)
    add_migration(monkeypatch, tmp_path, failure.replace("{{}}", "{}"))
    with pytest.raises(Exception, match=r"half-way|without their parent|foreign key"):
        await migrate.upgrade(empty_url)
    assert await tables_of(empty_url) == before
    async with Database(empty_url) as db, db.read() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM samples"))).scalar() == 0
        columns = await connection.run_sync(lambda sync: inspect(sync).get_columns("samples"))
        version = (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar()
    assert "extra" not in {column["name"] for column in columns}
    assert version != "9999"


async def test_altering_a_parent_table_keeps_its_children(
    empty_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    await migrate.upgrade(empty_url)
    async with Database(empty_url) as db, db.write() as connection:
        await connection.execute(
            text(
                "INSERT INTO jobs (id, kind, body, state, total, position, counts, created_at, updated_at) VALUES "
                "('j', 'verify', '{}', 'queued', 1, 0, '{}', '2026-01-01', '2026-01-01')"
            )
        )
        await connection.execute(text("INSERT INTO job_items VALUES ('j', 0, 'r', 's', '{}')"))
    body = (
        'with op.batch_alter_table("jobs", recreate="auto") as jobs:\n        jobs.alter_column("kind", nullable=True)'
    )
    add_migration(monkeypatch, tmp_path, body)
    await migrate.upgrade(empty_url)
    async with Database(empty_url) as db, db.read() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM job_items"))).scalar() == 1


async def stored_as(url: str, revision: str) -> None:
    """What a newer version would have left."""
    await migrate.upgrade(url)
    async with Database(url) as db, db.write() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = :to"), {"to": revision})


async def test_a_schema_that_is_newer_by_additions_is_worked_with(empty_url: str) -> None:
    await stored_as(empty_url, "0999")
    await migrate.upgrade(empty_url)
    assert await migrate.current(empty_url) == "0999"


async def test_a_schema_of_another_generation_is_refused(empty_url: str) -> None:
    await stored_as(empty_url, "1000")
    with pytest.raises(SchemaTooNew, match="1000"):
        await migrate.upgrade(empty_url)
