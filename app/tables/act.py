"""What administrators did."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Act(Table):
    """Never changed. ``actor`` is the key's id, null without keys; ``details`` never holds a secret."""

    __tablename__ = "acts"
    __table_args__ = (Index(None, "action", "id"),)

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    actor: Mapped[str | None] = mapped_column(Text)
    action: Mapped[str] = mapped_column(Text)
    target: Mapped[str] = mapped_column(Text)
    details: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
