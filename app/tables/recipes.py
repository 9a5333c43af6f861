"""Recipes: the contents that rewards name, what their names stood for, which are frozen, and what their models cost."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import BigInteger, Index, Text
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


class Freeze(Table):
    """A recipe whose rewards are refused, or were. ``recipe`` is a content hash; it is frozen while a
    row of it was not lifted."""

    __tablename__ = "freezes"
    __table_args__ = (Index(None, "recipe"), Index(None, "alarm"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    recipe: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    alarm: Mapped[str | None] = mapped_column(Text)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    lifted_at: Mapped[datetime | None] = mapped_column(UtcTime)
    lifted_by: Mapped[str | None] = mapped_column(Text)
    lift_reason: Mapped[str | None] = mapped_column(Text)


class Budget(Table):
    """What the models of judges have cost, by recipe and run; without a run by recipe and owner of the key.

    ``cost`` (in billionths), ``tokens`` and ``calls`` are spent, or drawn by a server to spend them.

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
