"""What happened to a run: pins moved, verifier versions changed."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class RunMark(Table):
    __tablename__ = "run_marks"
    __table_args__ = (Index(None, "run", "id"),)

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    run: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)
    kind: Mapped[str] = mapped_column(Text)
    detail: Mapped[dict[str, JsonValue]] = mapped_column(Json)
