"""Runs a command of ours as its next version would, with one migration more: ``newer.py MIGRATIONS COMMAND ...``"""

from __future__ import annotations

import runpy
import shutil
import sys
from pathlib import Path

MIGRATION = """
from alembic import op
import sqlalchemy as sa
revision = "0999"
down_revision = "{head}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("newer", sa.Column("id", sa.Integer(), primary_key=True))
    op.add_column("runs", sa.Column("newer", sa.Text(), nullable=True))
    op.add_column("rewards", sa.Column("newer", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_table("newer")
"""


def write_migrations(folder: Path) -> None:
    """Those that there are, and the additive one."""
    from app.kit import migrate

    shutil.copytree(migrate.SCRIPTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "0999_newer.py").write_text(MIGRATION.format(head=migrate.head()))


def main() -> None:
    from app.kit import migrate

    migrate.SCRIPTS = Path(sys.argv[1])
    sys.argv = sys.argv[2:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
