"""What rewards depended on beside recipe, verdicts and the run's state, by content hash."""

from __future__ import annotations

from pydantic import JsonValue
from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table


class Conditions(Table):
    __tablename__ = "conditions"

    hash: Mapped[str] = mapped_column(Text, primary_key=True)
    body: Mapped[dict[str, JsonValue]] = mapped_column(Json)
