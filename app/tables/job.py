"""Jobs: a scoring request whose samples wait in :class:`JobItem`."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Job(Table):
    """A job exists for its caller from ``accepted_at`` on; before that it is an upload.

    ``body`` is the request without its samples. Every item before ``position`` is recorded, and ``counts``
    are their outcomes: what is known without asking the ledger.
    """

    __tablename__ = "jobs"
    __table_args__ = (Index(None, "state", "accepted_at"),)

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    kind: Mapped[str] = mapped_column(Text)
    body: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    owner: Mapped[str | None] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    total: Mapped[int]
    position: Mapped[int]
    counts: Mapped[dict[str, int]] = mapped_column(Json)
    failure: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    updated_at: Mapped[datetime] = mapped_column(UtcTime)
    accepted_at: Mapped[datetime | None] = mapped_column(UtcTime)


class JobItem(Table):
    """``record`` is fixed before the job is accepted: whoever scores the item, it is recorded once."""

    __tablename__ = "job_items"
    __table_args__ = (Index(None, "job", "sample_id", unique=True),)

    job: Mapped[str] = mapped_column(Text, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    record: Mapped[str] = mapped_column(Text)
    sample_id: Mapped[str] = mapped_column(Text)
    sample: Mapped[str] = mapped_column(Text)
