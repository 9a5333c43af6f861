"""The recipes that rewards name, by content hash."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Recipe(Table):
    __tablename__ = "recipes"

    hash: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    body: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
