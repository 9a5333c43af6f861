"""audits, labels, draws of items to label"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audits",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("report", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audits")),
    )
    op.create_index(op.f("ix_audits_kind_id"), "audits", ["kind", "id"])
    op.create_index(op.f("ix_audits_state"), "audits", ["state"])
    op.create_table(
        "labels",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("sample", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=True),
        sa.Column("right", sa.Boolean(), nullable=True),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=True),
        sa.Column("reference", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("draw", sa.Text(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("after_reveal", sa.Boolean(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["sample"], ["samples.fingerprint"], name=op.f("fk_labels_sample_samples")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_labels")),
    )
    op.create_index(op.f("ix_labels_sample"), "labels", ["sample"])
    op.create_index(op.f("ix_labels_draw_position"), "labels", ["draw", "position"])
    op.create_table(
        "draws",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("spec", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("population", sa.Integer(), nullable=False),
        sa.Column("drawn", sa.Integer(), nullable=False),
        sa.Column("notes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draws")),
    )
    op.create_table(
        "draw_items",
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("sample", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["draw"], ["draws.id"], name=op.f("fk_draw_items_draw_draws"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["sample"], ["samples.fingerprint"], name=op.f("fk_draw_items_sample_samples")),
        sa.PrimaryKeyConstraint("draw", "position", name=op.f("pk_draw_items")),
    )
    op.create_index(op.f("ix_draw_items_draw_state_position"), "draw_items", ["draw", "state", "position"])
    op.create_index(op.f("ix_draw_items_draw_sample"), "draw_items", ["draw", "sample"])
    op.create_table(
        "draw_holds",
        sa.Column("draw", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("annotator", sa.Text(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("draw", "position", "annotator", name=op.f("pk_draw_holds")),
    )


def downgrade() -> None:
    for table in ("draw_holds", "draw_items", "draws", "labels", "audits"):
        op.drop_table(table)
