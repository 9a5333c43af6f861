"""Audits: what was asked, how far it is, and its report."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Audit(Table):
    """``report`` is null until the audit is completed, and never changes then. ``kind`` and ``subject`` are the
    specification's, for lists."""

    __tablename__ = "audits"
    __table_args__ = (Index(None, "state"), Index(None, "kind", "id"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    spec: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    state: Mapped[str] = mapped_column(Text)
    done: Mapped[int]
    total: Mapped[int]
    report: Mapped[dict[str, JsonValue] | None] = mapped_column(Json)
    failure: Mapped[str | None] = mapped_column(Text)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcTime)
