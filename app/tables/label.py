"""Labels: what somebody said of a sample's content."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Label(Table):
    """Never changed: who thinks again adds a label."""

    __tablename__ = "labels"
    __table_args__ = (Index(None, "sample"), Index(None, "draw", "position"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    sample: Mapped[str] = mapped_column(Text, ForeignKey("samples.fingerprint"))
    record: Mapped[str | None] = mapped_column(Text)
    right: Mapped[bool | None]
    score: Mapped[float | None]
    annotator: Mapped[str] = mapped_column(Text)
    source: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    probability: Mapped[float | None]
    reference: Mapped[JsonValue] = mapped_column(Json, nullable=True)
    draw: Mapped[str | None] = mapped_column(Text)
    position: Mapped[int | None]
    after_reveal: Mapped[bool]
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
