"""API keys. The key itself is nowhere: only its keyed hash."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Key(Table):
    """``project`` is null for the default one; ``prefix`` is the part of the key that may be shown, null for keys of
    before there was one; a quota that is null is none."""

    __tablename__ = "keys"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    project: Mapped[str | None] = mapped_column(Text, ForeignKey("projects.id"), index=True)
    prefix: Mapped[str | None] = mapped_column(Text, unique=True)
    digest: Mapped[str] = mapped_column(Text, unique=True)
    scopes: Mapped[list[str]] = mapped_column(Json)
    samples_per_minute: Mapped[float | None]
    cost_per_minute: Mapped[float | None]
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)
