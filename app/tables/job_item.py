"""One sample of a job, with the ledger id that its verdict or reward will have."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Table


class JobItem(Table):
    """``record`` is fixed before the job is accepted: whoever scores the item, it is recorded once."""

    __tablename__ = "job_items"
    __table_args__ = (Index(None, "job", "sample_id", unique=True),)

    job: Mapped[str] = mapped_column(Text, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    record: Mapped[str] = mapped_column(Text)
    sample_id: Mapped[str] = mapped_column(Text)
    sample: Mapped[str] = mapped_column(Text)
