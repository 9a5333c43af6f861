"""What a recipe made of the verdicts on a sample."""

from __future__ import annotations

from pydantic import JsonValue
from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table
from app.tables.record import Record


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
