"""API keys and their projects, what administrators did, and the answers kept for idempotency keys."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Key(Table):
    """The key itself is nowhere: only its keyed hash.

    ``project`` is null for the default one; ``prefix`` is the part of the key that may be shown, null for keys of
    before there was one; a quota that is null is none.
    """

    __tablename__ = "keys"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    project: Mapped[str | None] = mapped_column(Text, ForeignKey("projects.id"), index=True)
    prefix: Mapped[str | None] = mapped_column(Text, unique=True)
    digest: Mapped[str] = mapped_column(Text, unique=True)
    scopes: Mapped[list[str]] = mapped_column(Json)
    samples_per_minute: Mapped[float | None]
    cost_per_minute: Mapped[float | None]
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    expires_at: Mapped[datetime | None] = mapped_column(UtcTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Project(Table):
    """``weight`` is its share of a full service against other projects'; ``retention_days`` what its records are kept
    for, null for ever."""

    __tablename__ = "projects"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    weight: Mapped[float]
    retention_days: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Act(Table):
    """What an administrator did. Never changed.

    ``actor`` is the key's id, null without keys; ``details`` never holds a secret.
    """

    __tablename__ = "acts"
    __table_args__ = (Index(None, "action", "id"),)

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    actor: Mapped[str | None] = mapped_column(Text)
    action: Mapped[str] = mapped_column(Text)
    target: Mapped[str] = mapped_column(Text)
    details: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Idempotency(Table):
    """Whose body, the seed of its ids, and the answer once there is one.

    ``scope`` is the API key's id and the path. ``status`` is null until the request was answered.
    """

    __tablename__ = "idempotency"

    scope: Mapped[str] = mapped_column(Text, primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    body_hash: Mapped[str] = mapped_column(Text)
    seed: Mapped[str] = mapped_column(Text)
    status: Mapped[int | None]
    body: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
