"""Projects: whose keys, runs and records belong together."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Table, UtcTime


class Project(Table):
    """``weight`` is its share of a full service against other projects'; ``retention_days`` what its records are kept
    for, null for ever."""

    __tablename__ = "projects"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    weight: Mapped[float]
    retention_days: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(UtcTime)
