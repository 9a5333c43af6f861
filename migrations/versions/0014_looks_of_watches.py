"""looks of watches"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "looks",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("watch", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("shown", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("run", "watch", name=op.f("pk_looks")),
    )


def downgrade() -> None:
    op.drop_table("looks")
