"""Recipes whose rewards are refused, and those that were."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Table, UtcTime


class Freeze(Table):
    """``recipe`` is a content hash; it is frozen while a row of it was not lifted."""

    __tablename__ = "freezes"
    __table_args__ = (Index(None, "recipe"), Index(None, "alarm"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    recipe: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    alarm: Mapped[str | None] = mapped_column(Text)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    lifted_at: Mapped[datetime | None] = mapped_column(UtcTime)
    lifted_by: Mapped[str | None] = mapped_column(Text)
    lift_reason: Mapped[str | None] = mapped_column(Text)
