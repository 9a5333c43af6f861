"""indexes of the ledger's search"""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_ADDED = {
    "verdicts": (["group", "record"], ["run", "step", "record"], ["reason_code", "record"], ["sample", "record"]),
    "rewards": (["group", "record"], ["run", "step", "record"], ["recipe_name", "record"], ["sample", "record"]),
}


def upgrade() -> None:
    for table, indexes in _ADDED.items():
        # by sample alone is what the one by sample and record does as well
        op.drop_index(f"ix_{table}_sample", table)
        for columns in indexes:
            op.create_index(f"ix_{table}_{'_'.join(columns)}", table, columns)


def downgrade() -> None:
    for table, indexes in _ADDED.items():
        for columns in indexes:
            op.drop_index(f"ix_{table}_{'_'.join(columns)}", table)
        op.create_index(f"ix_{table}_sample", table, ["sample"])
