"""Idempotency keys: whose body, the seed of its ids, and the answer once there is one."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Table, UtcTime


class Idempotency(Table):
    """``scope`` is the API key's id and the path. ``status`` is null until the request was answered."""

    __tablename__ = "idempotency"

    scope: Mapped[str] = mapped_column(Text, primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    body_hash: Mapped[str] = mapped_column(Text)
    seed: Mapped[str] = mapped_column(Text)
    status: Mapped[int | None]
    body: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
