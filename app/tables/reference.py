"""Corrected references, each a version of what a prompt's answer should be."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Reference(Table):
    """``prompt`` is the fingerprint of the prompt, ``sample`` a stored sample with it, ``was`` the reference that its
    samples carry."""

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
