"""projects, keys with quotas and an end, what administrators did"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "projects",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("weight", sa.Double(), nullable=False),
        sa.Column("retention_days", sa.Integer(), nullable=True),
        sa.Column("created_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
    )
    op.create_table(
        "acts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_acts"),
    )
    op.create_index("ix_acts_action_id", "acts", ["action", "id"])
    with op.batch_alter_table("keys") as keys:
        keys.add_column(sa.Column("project", sa.Text(), nullable=True))
        keys.add_column(sa.Column("prefix", sa.Text(), nullable=True))
        keys.add_column(sa.Column("samples_per_minute", sa.Double(), nullable=True))
        keys.add_column(sa.Column("cost_per_minute", sa.Double(), nullable=True))
        keys.add_column(sa.Column("expires_at", moment, nullable=True))
        keys.create_foreign_key("fk_keys_project_projects", "projects", ["project"], ["id"])
        keys.create_unique_constraint("uq_keys_prefix", ["prefix"])
    op.create_index("ix_keys_project", "keys", ["project"])
    op.add_column("runs", sa.Column("project", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("runs") as runs:
        runs.drop_column("project")
    op.drop_index("ix_keys_project", "keys")
    with op.batch_alter_table("keys") as keys:
        keys.drop_constraint("uq_keys_prefix", type_="unique")
        keys.drop_constraint("fk_keys_project_projects", type_="foreignkey")
        for name in ("expires_at", "cost_per_minute", "samples_per_minute", "prefix", "project"):
            keys.drop_column(name)
    op.drop_index("ix_acts_action_id", "acts")
    op.drop_table("acts")
    op.drop_table("projects")
