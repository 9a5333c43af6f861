"""Watches: which runs are looked at, how often, what follows an alarm, and the alarms."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Index, Text
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


class Alarm(Table):
    """One that is open a run, signal and cause. ``record`` is the latest that shows it: a closed alarm is raised again
    by later ones only."""

    __tablename__ = "alarms"
    __table_args__ = (Index(None, "run", "signal", "cause"), Index(None, "state", "id"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    watch: Mapped[str] = mapped_column(Text)
    run: Mapped[str] = mapped_column(Text)
    signal: Mapped[str] = mapped_column(Text)
    cause: Mapped[str] = mapped_column(Text)
    recipe: Mapped[str | None] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    finding: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    record: Mapped[str] = mapped_column(Text)
    first_seen: Mapped[datetime] = mapped_column(UtcTime)
    last_seen: Mapped[datetime] = mapped_column(UtcTime)
    seen: Mapped[int]
    webhook: Mapped[str | None] = mapped_column(Text)
    closed_at: Mapped[datetime | None] = mapped_column(UtcTime)
    closed_by: Mapped[str | None] = mapped_column(Text)
    close_reason: Mapped[str | None] = mapped_column(Text)
