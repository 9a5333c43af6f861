"""replay, states of runs, prompts, versions of recipes"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "conditions",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_conditions")),
    )
    op.create_table(
        "prompts",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("labelled", sa.Boolean(), nullable=False),
        sa.Column("rates", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("groups", sa.Integer(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run", "prompt", name=op.f("pk_prompts")),
    )
    op.create_table(
        "recipe_versions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recipe_versions")),
    )
    with op.batch_alter_table("recipe_versions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_recipe_versions_name_id"), ["name", "id"], unique=False)

    op.create_table(
        "run_states",
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run", "version", name=op.f("pk_run_states")),
    )
    with op.batch_alter_table("rewards", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("keys", sa.JSON(none_as_null=True), nullable=False, server_default=sa.text("'[]'"))
        )
        batch_op.add_column(sa.Column("estimate", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("kept", sa.Boolean(), nullable=True))
        batch_op.add_column(sa.Column("step_rewards", sa.JSON(none_as_null=True), nullable=True))
        batch_op.add_column(sa.Column("token_rewards", sa.JSON(none_as_null=True), nullable=True))
        batch_op.add_column(sa.Column("request", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("position", sa.Integer(), nullable=False, server_default=sa.text("'0'")))
        batch_op.add_column(sa.Column("state_version", sa.Integer(), nullable=False, server_default=sa.text("'0'")))
        batch_op.add_column(sa.Column("conditions", sa.Text(), nullable=False, server_default=sa.text("''")))
        batch_op.create_index(batch_op.f("ix_rewards_request"), ["request"], unique=False)
    # the defaults are for the rows that are there already
    with op.batch_alter_table("rewards", schema=None) as batch_op:
        for name in ("keys", "position", "state_version", "conditions"):
            batch_op.alter_column(name, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("rewards", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rewards_request"))
        batch_op.drop_column("conditions")
        batch_op.drop_column("state_version")
        batch_op.drop_column("position")
        batch_op.drop_column("request")
        batch_op.drop_column("token_rewards")
        batch_op.drop_column("step_rewards")
        batch_op.drop_column("kept")
        batch_op.drop_column("estimate")
        batch_op.drop_column("keys")

    op.drop_table("run_states")
    with op.batch_alter_table("recipe_versions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_recipe_versions_name_id"))

    op.drop_table("recipe_versions")
    op.drop_table("prompts")
    op.drop_table("conditions")
