"""Which content a recipe's name stood for, since when; the latest row of a name counts."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Table, UtcTime


class RecipeVersion(Table):
    """``hash`` is None where the recipe was deleted; ``owner`` is the key that put it.

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
