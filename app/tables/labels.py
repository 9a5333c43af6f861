"""Labels and what they are for: draws of items to label, corrected references, audits."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Label(Table):
    """What somebody said of a sample's content. Never changed: who thinks again adds a label."""

    __tablename__ = "labels"
    __table_args__ = (Index(None, "sample"), Index(None, "draw", "position"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    sample: Mapped[str] = mapped_column(Text, ForeignKey("samples.fingerprint"))
    record: Mapped[str | None] = mapped_column(Text)
    right: Mapped[bool | None]
    score: Mapped[float | None]
    annotator: Mapped[str] = mapped_column(Text)
    source: Mapped[str] = mapped_column(Text)
    note: Mapped[str] = mapped_column(Text)
    probability: Mapped[float | None]
    reference: Mapped[JsonValue] = mapped_column(Json, nullable=True)
    draw: Mapped[str | None] = mapped_column(Text)
    position: Mapped[int | None]
    after_reveal: Mapped[bool]
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Draw(Table):
    """``spec`` is what was asked for, ``population`` how many responses it was drawn from."""

    __tablename__ = "draws"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    spec: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    population: Mapped[int]
    drawn: Mapped[int]
    notes: Mapped[list[str]] = mapped_column(Json)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class DrawHold(Table):
    """An annotator has the item until then; afterwards anybody may."""

    __tablename__ = "draw_holds"

    draw: Mapped[str] = mapped_column(Text, primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    annotator: Mapped[str] = mapped_column(Text, primary_key=True)
    until: Mapped[datetime] = mapped_column(UtcTime)


class DrawItem(Table):
    """An item with its probability. ``query`` is the one that chose it; ``state`` is open, done or skipped."""

    __tablename__ = "draw_items"
    __table_args__ = (Index(None, "draw", "state", "position"), Index(None, "draw", "sample"), Index(None, "sample"))

    draw: Mapped[str] = mapped_column(Text, ForeignKey("draws.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    record: Mapped[str] = mapped_column(Text)
    sample: Mapped[str] = mapped_column(Text, ForeignKey("samples.fingerprint"))
    query: Mapped[str] = mapped_column(Text)
    probability: Mapped[float]
    state: Mapped[str] = mapped_column(Text)


class Reference(Table):
    """A corrected reference, a version of what a prompt's answer should be.

    ``prompt`` is the fingerprint of the prompt, ``sample`` a stored sample with it, ``was`` the reference that its
    samples carry.
    """

    __tablename__ = "corrected_references"
    __table_args__ = (UniqueConstraint("prompt", "version"), Index(None, "sample"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    prompt: Mapped[str] = mapped_column(Text)
    version: Mapped[int]
    sample: Mapped[str] = mapped_column(Text, ForeignKey("samples.fingerprint"))
    reference: Mapped[JsonValue] = mapped_column(Json, nullable=True)
    was: Mapped[JsonValue] = mapped_column(Json, nullable=True)
    reason: Mapped[str] = mapped_column(Text)
    annotator: Mapped[str] = mapped_column(Text)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Audit(Table):
    """``report`` is null until the audit is completed, and never changes then. ``kind`` and ``subject`` are the
    specification's, for lists."""

    __tablename__ = "audits"
    __table_args__ = (Index(None, "state"), Index(None, "kind", "id"))

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    spec: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    state: Mapped[str] = mapped_column(Text)
    done: Mapped[int]
    total: Mapped[int]
    report: Mapped[dict[str, JsonValue] | None] = mapped_column(Json)
    failure: Mapped[str | None] = mapped_column(Text)
    owner: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcTime)
