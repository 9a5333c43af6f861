"""What goes on by itself: jobs, deliveries of webhooks, deletions."""

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


class Delivery(Table):
    """A webhook's delivery, written with what the event is about.

    ``subject`` is the id of a job, audit or alarm. ``event`` and ``body`` are null until it happens; ``due_at`` is
    when the next try begins, or may begin where a try under way is never heard of again. Once it ended, ``secret`` is
    gone, and of ``url`` the path.
    """

    __tablename__ = "deliveries"
    __table_args__ = (Index(None, "subject"), Index(None, "state", "due_at"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    subject: Mapped[str] = mapped_column(Text)
    owner: Mapped[str | None] = mapped_column(Text)
    url: Mapped[str] = mapped_column(Text)
    host: Mapped[str] = mapped_column(Text)
    secret: Mapped[str | None] = mapped_column(Text)
    signed: Mapped[bool]
    event: Mapped[str | None] = mapped_column(Text)
    body: Mapped[str | None] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    attempts: Mapped[int]
    outcome: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    due_at: Mapped[datetime | None] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Deletion(Table):
    """What is to go, and how far that is.

    ``phase`` and ``place`` say where to go on after a kill, ``counts`` what is gone so far, rows by table. Each
    batch is committed together with them. ``owner`` is the key that asked, null without one and for a policy's.
    """

    __tablename__ = "deletions"
    __table_args__ = (Index(None, "state", "id"),)

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    spec: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    state: Mapped[str] = mapped_column(Text)
    phase: Mapped[str] = mapped_column(Text)
    place: Mapped[str] = mapped_column(Text)
    counts: Mapped[dict[str, int]] = mapped_column(Json)
    failure: Mapped[str | None] = mapped_column(Text)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcTime)
