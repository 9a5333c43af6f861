"""places of the rewards of steps and tokens"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("rewards", schema=None) as batch_op:
        batch_op.add_column(sa.Column("step_spans", sa.JSON(none_as_null=True), nullable=True))
        batch_op.add_column(sa.Column("token_spans", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("rewards", schema=None) as batch_op:
        batch_op.drop_column("token_spans")
        batch_op.drop_column("step_spans")
