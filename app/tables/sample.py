"""The content of a sample, once for all the records that judge it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Table, UtcTime


class Sample(Table):
    """``content`` is the JSON that was hashed, to the letter; without id, group and pair."""

    __tablename__ = "samples"

    fingerprint: Mapped[str] = mapped_column(Text, primary_key=True)
    content: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
