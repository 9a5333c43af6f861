"""The parameters behind the hashes that verdicts name."""

from __future__ import annotations

from pydantic import JsonValue
from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table


class Params(Table):
    __tablename__ = "params"

    hash: Mapped[str] = mapped_column(Text, primary_key=True)
    verifier: Mapped[str] = mapped_column(Text, primary_key=True)
    body: Mapped[dict[str, JsonValue]] = mapped_column(Json)
