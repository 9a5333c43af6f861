"""Models under their names, and the presets of judges that were stored by API."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import BigInteger, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Model(Table):
    """``id`` is of this registration: a name that is registered again gets another.

    ``sources`` are the weights that, put into those of the entry's path one after the other, make the version
    ``weights``; each with a hash of the names of its tensors.
    """

    __tablename__ = "models"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    id: Mapped[str] = mapped_column(Text)
    entry: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    digest: Mapped[str] = mapped_column(Text)
    weights: Mapped[int] = mapped_column(BigInteger)
    sources: Mapped[list[JsonValue]] = mapped_column(Json)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    updated_at: Mapped[datetime] = mapped_column(UtcTime)


class Preset(Table):
    """``files`` are the texts by name. A name keeps its files: recipes and verdicts speak of it."""

    __tablename__ = "presets"

    name: Mapped[str] = mapped_column(Text, primary_key=True)
    hash: Mapped[str] = mapped_column(Text)
    files: Mapped[dict[str, str]] = mapped_column(Json)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
