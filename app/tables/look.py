"""When a watch looked at a run last, and what it could have found."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Look(Table):
    """``shown`` holds the records and the last step of the run, the power of the tests, and notes."""

    __tablename__ = "looks"

    run: Mapped[str] = mapped_column(Text, primary_key=True)
    watch: Mapped[str] = mapped_column(Text, primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)
    shown: Mapped[dict[str, JsonValue]] = mapped_column(Json)
