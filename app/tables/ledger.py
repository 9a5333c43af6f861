"""The ledger: verdicts and rewards with what they have in common, and the contents that they name by hash."""

from __future__ import annotations

import hashlib
from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import BigInteger, ForeignKey, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


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


class Sample(Table):
    """The content of a sample, once for all the records that judge it.

    ``content`` is the JSON that was hashed, to the letter; without id, group and pair.
    """

    __tablename__ = "samples"

    fingerprint: Mapped[str] = mapped_column(Text, primary_key=True)
    content: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Params(Table):
    """The parameters behind the hashes that verdicts name."""

    __tablename__ = "params"

    hash: Mapped[str] = mapped_column(Text, primary_key=True)
    verifier: Mapped[str] = mapped_column(Text, primary_key=True)
    body: Mapped[dict[str, JsonValue]] = mapped_column(Json)


class Conditions(Table):
    """What rewards depended on beside recipe, verdicts and the run's state."""

    __tablename__ = "conditions"

    hash: Mapped[str] = mapped_column(Text, primary_key=True)
    body: Mapped[dict[str, JsonValue]] = mapped_column(Json)


class Verdict(Record, Table):
    """One row a verdict, cached ones too. ``params`` is the hash of the verifier's parameters, ``elapsed_s`` the
    seconds of work."""

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


class Reward(Record, Table):
    """``recipe`` is the recipe's content hash; ``verdicts`` are the records that it priced, ``keys`` what they are.

    For a replay: ``request`` and ``position`` say which rewards were settled together and in which order,
    ``state_version`` (of the run) and ``conditions`` (their hash) what they depended on.
    """

    __tablename__ = "rewards"
    __table_args__ = (
        Index(None, "run", "record"),
        Index(None, "sample", "record"),
        Index(None, "group", "record"),
        Index(None, "run", "step", "record"),
        Index(None, "recipe_name", "record"),
        Index(None, "run", "request"),
    )

    recipe: Mapped[str] = mapped_column(Text)
    recipe_name: Mapped[str] = mapped_column(Text)
    reward: Mapped[float | None]
    components: Mapped[dict[str, float | None]] = mapped_column(Json)
    corrected: Mapped[float | None]
    weight: Mapped[float | None]
    producers: Mapped[list[dict[str, JsonValue]]] = mapped_column(Json)
    verdicts: Mapped[list[str]] = mapped_column(Json)
    keys: Mapped[list[str]] = mapped_column(Json)
    estimate: Mapped[str | None] = mapped_column(Text)
    uncertainty: Mapped[float | None]
    kept: Mapped[bool | None]
    step_rewards: Mapped[list[float] | None] = mapped_column(Json)
    step_spans: Mapped[list[list[int]] | None] = mapped_column(Json)
    token_rewards: Mapped[list[float] | None] = mapped_column(Json)
    token_spans: Mapped[list[list[int]] | None] = mapped_column(Json)
    request: Mapped[str | None] = mapped_column(Text)
    position: Mapped[int]
    state_version: Mapped[int]
    conditions: Mapped[str] = mapped_column(Text)
