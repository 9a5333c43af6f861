"""ledger, runs, keys and jobs"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "idempotency",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_hash", sa.Text(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("scope", "key", name=op.f("pk_idempotency")),
    )
    with op.batch_alter_table("idempotency") as batch_op:
        batch_op.create_index(batch_op.f("ix_idempotency_created_at"), ["created_at"], unique=False)

    op.create_table(
        "jobs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("counts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    with op.batch_alter_table("jobs") as batch_op:
        batch_op.create_index(batch_op.f("ix_jobs_state_accepted_at"), ["state", "accepted_at"], unique=False)

    op.create_table(
        "keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_keys")),
        sa.UniqueConstraint("digest", name=op.f("uq_keys_digest")),
    )
    op.create_table(
        "params",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("verifier", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", "verifier", name=op.f("pk_params")),
    )
    op.create_table(
        "recipes",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_recipes")),
    )
    op.create_table(
        "run_marks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_marks")),
    )
    with op.batch_alter_table("run_marks") as batch_op:
        batch_op.create_index(batch_op.f("ix_run_marks_run_id"), ["run", "id"], unique=False)

    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=True),
        sa.Column("verifiers", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("strict", sa.Boolean(), nullable=False),
        sa.Column("state", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_table(
        "samples",
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name=op.f("pk_samples")),
    )
    op.create_table(
        "job_items",
        sa.Column("job", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("sample_id", sa.Text(), nullable=False),
        sa.Column("sample", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["job"], ["jobs.id"], name=op.f("fk_job_items_job_jobs"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job", "position", name=op.f("pk_job_items")),
    )
    with op.batch_alter_table("job_items") as batch_op:
        batch_op.create_index(batch_op.f("ix_job_items_job_sample_id"), ["job", "sample_id"], unique=True)

    op.create_table(
        "rewards",
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("recipe_name", sa.Text(), nullable=False),
        sa.Column("reward", sa.Double(), nullable=True),
        sa.Column("components", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("corrected", sa.Double(), nullable=True),
        sa.Column("weight", sa.Double(), nullable=True),
        sa.Column("producers", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("verdicts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("sample", sa.Text(), nullable=False),
        sa.Column("sample_id", sa.Text(), nullable=True),
        sa.Column("group", sa.Text(), nullable=True),
        sa.Column("pair", sa.Text(), nullable=True),
        sa.Column("run", sa.Text(), nullable=True),
        sa.Column("step", sa.BigInteger(), nullable=True),
        sa.Column("policy", sa.Text(), nullable=True),
        sa.Column("split", sa.Text(), nullable=False),
        sa.Column("data_source", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason_code", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["sample"], ["samples.fingerprint"], name=op.f("fk_rewards_sample_samples")),
        sa.PrimaryKeyConstraint("record", name=op.f("pk_rewards")),
    )
    with op.batch_alter_table("rewards") as batch_op:
        batch_op.create_index(batch_op.f("ix_rewards_run_record"), ["run", "record"], unique=False)
        batch_op.create_index(batch_op.f("ix_rewards_sample"), ["sample"], unique=False)

    op.create_table(
        "verdicts",
        sa.Column("verifier", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("evidence", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("feedback", sa.Text(), nullable=True),
        sa.Column("elapsed_s", sa.Double(), nullable=False),
        sa.Column("cached", sa.Boolean(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("sample", sa.Text(), nullable=False),
        sa.Column("sample_id", sa.Text(), nullable=True),
        sa.Column("group", sa.Text(), nullable=True),
        sa.Column("pair", sa.Text(), nullable=True),
        sa.Column("run", sa.Text(), nullable=True),
        sa.Column("step", sa.BigInteger(), nullable=True),
        sa.Column("policy", sa.Text(), nullable=True),
        sa.Column("split", sa.Text(), nullable=False),
        sa.Column("data_source", sa.Text(), nullable=True),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("reason_code", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["sample"], ["samples.fingerprint"], name=op.f("fk_verdicts_sample_samples")),
        sa.PrimaryKeyConstraint("record", name=op.f("pk_verdicts")),
    )
    with op.batch_alter_table("verdicts") as batch_op:
        batch_op.create_index(batch_op.f("ix_verdicts_outcome_record"), ["outcome", "record"], unique=False)
        batch_op.create_index(batch_op.f("ix_verdicts_run_record"), ["run", "record"], unique=False)
        batch_op.create_index(batch_op.f("ix_verdicts_sample"), ["sample"], unique=False)
        batch_op.create_index(batch_op.f("ix_verdicts_verifier_record"), ["verifier", "record"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("verdicts") as batch_op:
        batch_op.drop_index(batch_op.f("ix_verdicts_verifier_record"))
        batch_op.drop_index(batch_op.f("ix_verdicts_sample"))
        batch_op.drop_index(batch_op.f("ix_verdicts_run_record"))
        batch_op.drop_index(batch_op.f("ix_verdicts_outcome_record"))

    op.drop_table("verdicts")
    with op.batch_alter_table("rewards") as batch_op:
        batch_op.drop_index(batch_op.f("ix_rewards_sample"))
        batch_op.drop_index(batch_op.f("ix_rewards_run_record"))

    op.drop_table("rewards")
    with op.batch_alter_table("job_items") as batch_op:
        batch_op.drop_index(batch_op.f("ix_job_items_job_sample_id"))

    op.drop_table("job_items")
    op.drop_table("samples")
    op.drop_table("runs")
    with op.batch_alter_table("run_marks") as batch_op:
        batch_op.drop_index(batch_op.f("ix_run_marks_run_id"))

    op.drop_table("run_marks")
    op.drop_table("recipes")
    op.drop_table("params")
    op.drop_table("keys")
    with op.batch_alter_table("jobs") as batch_op:
        batch_op.drop_index(batch_op.f("ix_jobs_state_accepted_at"))

    op.drop_table("jobs")
    with op.batch_alter_table("idempotency") as batch_op:
        batch_op.drop_index(batch_op.f("ix_idempotency_created_at"))

    op.drop_table("idempotency")
