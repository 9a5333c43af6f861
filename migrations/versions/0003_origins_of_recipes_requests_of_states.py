"""where a recipe came from, and which request a run learned a state from"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("recipe_versions", schema=None) as batch_op:
        batch_op.add_column(sa.Column("origin", sa.Text(), nullable=False, server_default=sa.text("'put'")))
        batch_op.add_column(sa.Column("description", sa.Text(), nullable=False, server_default=sa.text("''")))
    with op.batch_alter_table("run_states", schema=None) as batch_op:
        batch_op.add_column(sa.Column("request", sa.Text(), nullable=True))
    with op.batch_alter_table("rewards", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rewards_request"))
        batch_op.create_index(batch_op.f("ix_rewards_run_request"), ["run", "request"], unique=False)
    # the defaults are for the rows that are there already
    with op.batch_alter_table("recipe_versions", schema=None) as batch_op:
        for name in ("origin", "description"):
            batch_op.alter_column(name, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("rewards", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rewards_run_request"))
        batch_op.create_index(batch_op.f("ix_rewards_request"), ["request"], unique=False)
    with op.batch_alter_table("run_states", schema=None) as batch_op:
        batch_op.drop_column("request")
    with op.batch_alter_table("recipe_versions", schema=None) as batch_op:
        batch_op.drop_column("description")
        batch_op.drop_column("origin")
