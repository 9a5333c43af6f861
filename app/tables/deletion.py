"""Deletions: what is to go, and how far that is."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Deletion(Table):
    """``phase`` and ``place`` say where to go on after a kill, ``counts`` what is gone so far, rows by table.

    Each batch is committed together with them. ``owner`` is the key that asked, null without one and for a policy's.
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
