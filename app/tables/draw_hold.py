"""Who holds an item of a draw, until when."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Table, UtcTime


class DrawHold(Table):
    """An annotator has the item until then; afterwards anybody may."""

    __tablename__ = "draw_holds"

    draw: Mapped[str] = mapped_column(Text, primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    annotator: Mapped[str] = mapped_column(Text, primary_key=True)
    until: Mapped[datetime] = mapped_column(UtcTime)
