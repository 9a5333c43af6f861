"""What a verifier said of a sample: one row a verdict, cached ones too."""

from __future__ import annotations

from pydantic import JsonValue
from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table
from app.tables.record import Record


class Verdict(Record, Table):
    """``params`` is the hash of the verifier's parameters, ``elapsed_s`` the seconds of work."""

    __tablename__ = "verdicts"
    __table_args__ = (
        Index(None, "run", "record"),
        Index(None, "verifier", "record"),
        Index(None, "outcome", "record"),
        Index(None, "sample", "record"),
        Index(None, "group", "record"),
        Index(None, "run", "step", "record"),
        Index(None, "reason_code", "record"),
    )

    verifier: Mapped[str] = mapped_column(Text)
    version: Mapped[str] = mapped_column(Text)
    params: Mapped[str] = mapped_column(Text)
    score: Mapped[float | None]
    evidence: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    confidence: Mapped[float | None]
    feedback: Mapped[str | None] = mapped_column(Text)
    elapsed_s: Mapped[float]
    cached: Mapped[bool]
