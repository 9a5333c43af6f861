"""lengths and prompts of records"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_TABLES = ("verdicts", "rewards")


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("length", sa.BigInteger(), nullable=True))
        op.add_column(table, sa.Column("prompt", sa.Text(), nullable=True))


def downgrade() -> None:
    for table in _TABLES:
        op.drop_column(table, "prompt")
        op.drop_column(table, "length")
