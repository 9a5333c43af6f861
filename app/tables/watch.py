"""Watches: which runs are looked at, how often, and what follows an alarm."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Watch(Table):
    """``spec`` is what was asked for; ``failure`` says why it could not look the last time."""

    __tablename__ = "watches"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    spec: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    evaluated_at: Mapped[datetime | None] = mapped_column(UtcTime)
    failure: Mapped[str | None] = mapped_column(Text)


class Look(Table):
    """When a watch looked at a run last, and what it could have found.

    ``shown`` holds the records and the last step of the run, the power of the tests, and notes.
    """

    __tablename__ = "looks"

    run: Mapped[str] = mapped_column(Text, primary_key=True)
    watch: Mapped[str] = mapped_column(Text, primary_key=True)
    at: Mapped[datetime] = mapped_column(UtcTime)
    shown: Mapped[dict[str, JsonValue]] = mapped_column(Json)
