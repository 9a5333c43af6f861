"""The recipes that rewards name, by content hash, and the contents that names stood for."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Recipe(Table):
    __tablename__ = "recipes"

    hash: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    body: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class RecipeVersion(Table):
    """Which content a recipe's name stood for, since when; the latest row of a name counts.

    ``hash`` is None where the recipe was deleted; ``owner`` is the key that put it.

    ``origin``: ``put``, or ``file`` for one that came with the service or from its directory. The description is kept
    here because it is no part of the content that the hash names.
    """

    __tablename__ = "recipe_versions"
    __table_args__ = (Index(None, "name", "id"),)

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    hash: Mapped[str | None] = mapped_column(Text)
    origin: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
