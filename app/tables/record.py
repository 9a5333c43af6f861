"""What verdicts and rewards have in common: whose sample, in which run, when."""

from __future__ import annotations

import hashlib
from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import UtcTime


class Record:
    """Columns of a ledger record. ``record`` sorts by time; ``sample_id`` is the caller's own name.

    ``length`` counts the characters of the response's own text, ``prompt`` is the hash of the prompt's JSON (null
    without a prompt): audits read both of a million records, and no text. They are null in records that a version
    without these columns wrote.
    """

    record: Mapped[str] = mapped_column(Text, primary_key=True)
    sample: Mapped[str] = mapped_column(Text, ForeignKey("samples.fingerprint"))
    sample_id: Mapped[str | None] = mapped_column(Text)
    group_: Mapped[str | None] = mapped_column("group", Text)
    pair: Mapped[str | None] = mapped_column(Text)
    run: Mapped[str | None] = mapped_column(Text)
    step: Mapped[int | None] = mapped_column(BigInteger)
    policy: Mapped[str | None] = mapped_column(Text)
    split: Mapped[str] = mapped_column(Text)
    data_source: Mapped[str | None] = mapped_column(Text)
    owner: Mapped[str | None] = mapped_column(Text)
    outcome: Mapped[str] = mapped_column(Text)
    reason_code: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    length: Mapped[int | None] = mapped_column(BigInteger)
    prompt: Mapped[str | None] = mapped_column(Text)


def prompt_hash(body: bytes) -> str:
    """The column ``prompt`` for the JSON of a prompt."""
    return hashlib.blake2b(body, digest_size=16).hexdigest()
