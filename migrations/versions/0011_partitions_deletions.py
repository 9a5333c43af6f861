"""verdicts and rewards in partitions of time on PostgreSQL, deletions

Rows stay where they are: the table becomes the first partition of a new one of its name. What has to read all of
them, the proof that none belongs to a later partition, is done beforehand and beside writers. What nobody may write
beside, the exchange of the tables, changes the catalogue alone; it waits for its locks a little at a time, so that
writers which queue behind it are let through again.

Services of before go on reading and writing: names, columns, keys and indexes are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from time import sleep

import sqlalchemy as sa
from alembic import op
from sqlalchemy.exc import DBAPIError

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_TABLES = ("verdicts", "rewards")
_REFERRING = ("draw_items", "corrected_references")
"""Whoever deletes a sample asks these about it."""
_LOCK_S = 2
_TRIES = 60
_PAUSE_S = 1.0
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def upgrade() -> None:
    parts = op.get_bind().dialect.name == "postgresql"
    end = _first_record(_next_month(datetime.now(UTC) + timedelta(days=1)))
    if parts:
        _prove(end)
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "deletions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("finished_at", moment, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_deletions"),
    )
    op.create_index("ix_deletions_state_id", "deletions", ["state", "id"])
    for table in _REFERRING:
        op.create_index(f"ix_{table}_sample", table, ["sample"])
    if parts:
        _lock()
        for table in _TABLES:
            _divide(table, end)


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        _lock()
        for table in _TABLES:
            _join(table)
    for table in _REFERRING:
        op.drop_index(f"ix_{table}_sample", table)
    op.drop_index("ix_deletions_state_id", "deletions")
    op.drop_table("deletions")


def _prove(end: str) -> None:
    """That every row of now belongs to the partition that ends with this month, or the next on its last day."""
    with op.get_context().autocommit_block():
        op.execute(f"SET lock_timeout = '{_LOCK_S}s'")
        for table in _TABLES:
            if not _rows_from(table, end) and not _has_bound(table):
                bound = f"ADD CONSTRAINT ck_{table}_before CHECK (record < '{end}') NOT VALID"
                _patiently(partial(op.execute, f"ALTER TABLE {table} {bound}"))
        for table in filter(_has_bound, _TABLES):
            op.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT ck_{table}_before")


def _lock() -> None:
    """In the order in which the ledger takes them; for as long as the transaction lasts."""
    connection = op.get_bind()

    def lock() -> None:
        with connection.begin_nested():
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_LOCK_S}s'")
            connection.exec_driver_sql("LOCK TABLE samples IN SHARE ROW EXCLUSIVE MODE")
            connection.exec_driver_sql(f"LOCK TABLE {', '.join(_TABLES)} IN ACCESS EXCLUSIVE MODE")

    _patiently(lock)


def _patiently(locking: Callable[[], None]) -> None:
    """Lets everybody pass who queued behind us before it tries again."""
    for tries in range(1, _TRIES + 1):
        try:
            locking()
        except DBAPIError as failure:
            if getattr(failure.orig, "sqlstate", None) != "55P03" or tries == _TRIES:
                raise
            sleep(_PAUSE_S)
        else:
            return


def _divide(table: str, end: str) -> None:
    """Makes the table the first partition of a new one; what lies behind its end, which nothing should, goes into the
    partition of the rest."""
    connection = op.get_bind()
    before, rest = f"{table}_before", f"{table}_rest"
    op.execute(f"ALTER TABLE {table} RENAME TO {before}")
    for name in _indexes(before):
        op.execute(f'ALTER INDEX "{name}" RENAME TO "{name.replace(table, before)}"')
    op.execute(f"CREATE TABLE {table} (LIKE {before} INCLUDING DEFAULTS) PARTITION BY RANGE (record)")
    for statement in _indexes(before).values():
        if not statement.startswith("CREATE UNIQUE"):
            op.execute(statement.replace(before, table))
    op.create_primary_key(f"pk_{table}", table, ["record"])
    op.create_foreign_key(f"fk_{table}_sample_samples", table, "samples", ["sample"], ["fingerprint"])
    op.execute(f"CREATE TABLE {rest} PARTITION OF {table} DEFAULT")
    connection.exec_driver_sql(
        f"WITH moved AS (DELETE FROM {before} WHERE record >= '{end}' RETURNING *) INSERT INTO {rest} SELECT * FROM moved"
    )
    op.execute(f"ALTER TABLE {table} ATTACH PARTITION {before} FOR VALUES FROM (MINVALUE) TO ('{end}')")
    op.execute(f"ALTER TABLE {before} DROP CONSTRAINT IF EXISTS ck_{table}_before")


def _join(table: str) -> None:
    """Makes one table of the partitions: the first one, with the rows of the others, where it was not dropped."""
    connection = op.get_bind()
    before, parted = f"{table}_before", f"{table}_parted"
    op.execute(f"ALTER TABLE {table} RENAME TO {parted}")
    for name in _indexes(parted):
        op.execute(f'ALTER INDEX "{name}" RENAME TO "{name.replace(table, parted)}"')
    if connection.exec_driver_sql(f"SELECT to_regclass('{before}')").scalar() is None:
        op.execute(f"CREATE TABLE {before} PARTITION OF {parted} FOR VALUES FROM (MINVALUE) TO ('0')")
    op.execute(f"ALTER TABLE {parted} DETACH PARTITION {before}")
    op.execute(f"INSERT INTO {before} SELECT * FROM {parted}")
    op.execute(f"DROP TABLE {parted}")
    op.execute(f"ALTER TABLE {before} RENAME TO {table}")
    for name, statement in _indexes(table).items():
        columns = statement[statement.rindex("(") + 1 : -1].replace('"', "").split(", ")
        primary = statement.startswith("CREATE UNIQUE")
        renamed = f"pk_{table}" if primary else f"ix_{table}_{'_'.join(columns)}"
        if name != renamed:
            op.execute(f'ALTER INDEX "{name}" RENAME TO "{renamed}"')
    query = f"SELECT conname FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype = 'f'"
    foreign = connection.exec_driver_sql(query).scalar_one()
    if foreign != f"fk_{table}_sample_samples":
        op.execute(f'ALTER TABLE {table} RENAME CONSTRAINT "{foreign}" TO fk_{table}_sample_samples')


def _indexes(table: str) -> dict[str, str]:
    """By name the statements that make the indexes of a table."""
    rows = op.get_bind().exec_driver_sql(
        "SELECT c.relname, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        f"WHERE i.indrelid = '{table}'::regclass ORDER BY 1"
    )
    return {name: statement for name, statement in rows}


def _has_bound(table: str) -> bool:
    """An attempt before this one may have left it."""
    found = op.get_bind().exec_driver_sql(f"SELECT EXISTS (SELECT FROM pg_constraint WHERE conname = 'ck_{table}_before')")
    return bool(found.scalar())


def _rows_from(table: str, record: str) -> bool:
    found = op.get_bind().exec_driver_sql(f"SELECT EXISTS (SELECT FROM {table} WHERE record >= '{record}')")
    return bool(found.scalar())


def _next_month(at: datetime) -> datetime:
    return (at.replace(day=1) + timedelta(days=32)).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _first_record(at: datetime) -> str:
    """The least record of a moment: ten digits of milliseconds, sixteen that tell records of one apart."""
    value = int(at.timestamp() * 1000)
    return "".join(_DIGITS[value >> 5 * place & 31] for place in range(9, -1, -1)) + "0" * 16
