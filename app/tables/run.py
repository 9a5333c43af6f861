"""Runs: what is pinned, and the state that moves with them."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Run(Table):
    """``project`` is that of the first request, null for the default one. ``revision`` grows by one a write: whoever
    writes states the one that was read."""

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    project: Mapped[str | None] = mapped_column(Text)
    recipe: Mapped[str | None] = mapped_column(Text)
    verifiers: Mapped[dict[str, str]] = mapped_column(Json)
    strict: Mapped[bool]
    state: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    revision: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(UtcTime)
