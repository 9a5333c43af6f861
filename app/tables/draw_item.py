"""One item of a draw."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Table


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
