"""Draws: items chosen for labelling, each with the probability that it was."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Draw(Table):
    """``spec`` is what was asked for, ``population`` how many responses it was drawn from."""

    __tablename__ = "draws"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    spec: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    population: Mapped[int]
    drawn: Mapped[int]
    notes: Mapped[list[str]] = mapped_column(Json)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class DrawHold(Table):
    """An annotator has the item until then; afterwards anybody may."""

    __tablename__ = "draw_holds"

    draw: Mapped[str] = mapped_column(Text, primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    annotator: Mapped[str] = mapped_column(Text, primary_key=True)
    until: Mapped[datetime] = mapped_column(UtcTime)


class DrawItem(Table):
    """``query`` is the one that chose it; ``state`` is open, done or skipped."""

    __tablename__ = "draw_items"
    __table_args__ = (Index(None, "draw", "state", "position"), Index(None, "draw", "sample"), Index(None, "sample"))

    draw: Mapped[str] = mapped_column(Text, ForeignKey("draws.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    record: Mapped[str] = mapped_column(Text)
    sample: Mapped[str] = mapped_column(Text, ForeignKey("samples.fingerprint"))
    query: Mapped[str] = mapped_column(Text)
    probability: Mapped[float]
    state: Mapped[str] = mapped_column(Text)
