"""Presets of judges that were stored by API; those of folders are in no table."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Preset(Table):
    """``files`` are the texts by name. A name keeps its files: recipes and verdicts speak of it."""

    __tablename__ = "presets"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    hash: Mapped[str] = mapped_column(Text)
    files: Mapped[dict[str, str]] = mapped_column(Json)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
