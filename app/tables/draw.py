"""Draws: items chosen for labelling, each with the probability that it was."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Text
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
