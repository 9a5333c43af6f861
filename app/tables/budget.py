"""What the models of judges have cost, by recipe and run; without a run by recipe and owner of the key."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import BigInteger, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Budget(Table):
    """``cost`` (in billionths), ``tokens`` and ``calls`` are spent, or drawn by a server to spend them.

    ``run`` or ``owner`` is empty where there is none; ``revision`` counts the writes.
    """

    __tablename__ = "budgets"

    recipe: Mapped[str] = mapped_column(Text, primary_key=True)
    run: Mapped[str] = mapped_column(Text, primary_key=True)
    owner: Mapped[str] = mapped_column(Text, primary_key=True)
    budget: Mapped[dict[str, JsonValue] | None] = mapped_column(Json)
    cost: Mapped[int] = mapped_column(BigInteger)
    tokens: Mapped[int] = mapped_column(BigInteger)
    calls: Mapped[int] = mapped_column(BigInteger)
    revision: Mapped[int] = mapped_column(BigInteger)
    updated_at: Mapped[datetime] = mapped_column(UtcTime)
