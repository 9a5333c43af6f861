"""Deliveries of webhooks: the outbox, written with what the event is about."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Table, UtcTime


class Delivery(Table):
    """``subject`` is the id of a job, audit or alarm. ``event`` and ``body`` are null until it happens; ``due_at`` is
    when the next try begins, or may begin where a try under way is never heard of again. Once it ended, ``secret`` is
    gone, and of ``url`` the path."""

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
