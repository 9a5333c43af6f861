"""How a run does on each of its prompts: the success rates of its groups, the latest ones."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Prompt(Table):
    """``prompt`` is the group's name, ``rates`` oldest first, ``streak`` the groups in a row without any variance."""

    __tablename__ = "prompts"

    run: Mapped[str] = mapped_column(Text, primary_key=True)
    prompt: Mapped[str] = mapped_column(Text, primary_key=True)
    labelled: Mapped[bool]
    rates: Mapped[list[float]] = mapped_column(Json)
    groups: Mapped[int]
    streak: Mapped[int]
    updated_at: Mapped[datetime] = mapped_column(UtcTime)
