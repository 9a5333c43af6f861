"""watches, alarms, freezes, corrected references"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "watches",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("evaluated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_watches")),
    )
    op.create_table(
        "alarms",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("watch", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("signal", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("finding", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("first_seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen", sa.Integer(), nullable=False),
        sa.Column("webhook", sa.Text(), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_by", sa.Text(), nullable=True),
        sa.Column("close_reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alarms")),
    )
    op.create_index(op.f("ix_alarms_run_signal_cause"), "alarms", ["run", "signal", "cause"])
    op.create_index(op.f("ix_alarms_state_id"), "alarms", ["state", "id"])
    op.create_table(
        "freezes",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("alarm", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lifted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lifted_by", sa.Text(), nullable=True),
        sa.Column("lift_reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_freezes")),
    )
    op.create_index(op.f("ix_freezes_recipe"), "freezes", ["recipe"])
    op.create_index(op.f("ix_freezes_alarm"), "freezes", ["alarm"])
    op.create_table(
        "corrected_references",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sample", sa.Text(), nullable=False),
        sa.Column("reference", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("was", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["sample"], ["samples.fingerprint"], name=op.f("fk_corrected_references_sample_samples")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_corrected_references")),
        sa.UniqueConstraint("prompt", "version", name=op.f("uq_corrected_references_prompt_version")),
    )


def downgrade() -> None:
    for table in ("corrected_references", "freezes", "alarms", "watches"):
        op.drop_table(table)
