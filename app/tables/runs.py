"""Runs: what is pinned, the state that moves with them, what happened to them, and how they do on their prompts."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class Run(Table):
    """``project`` is that of the first request, null for the default one. ``revision`` grows by one a write: whoever
    writes states the one that was read."""

    __tablename__ = "runs"

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    project: Mapped[str | None] = mapped_column(Text)
    recipe: Mapped[str | None] = mapped_column(Text)
    verifiers: Mapped[dict[str, str]] = mapped_column(Json)
    strict: Mapped[bool]
    state: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    revision: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class RunMark(Table):
    """What happened to a run: pins moved, verifier versions changed."""

    __tablename__ = "run_marks"
    __table_args__ = (Index(None, "run", "id"),)

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    run: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(UtcTime)
    kind: Mapped[str] = mapped_column(Text)
    detail: Mapped[dict[str, JsonValue]] = mapped_column(Json)


class RunState(Table):
    """Every version of the state of a run whose recipe learns: rewards name the one that priced them.

    ``request`` is the one that the run learned it from.
    """

    __tablename__ = "run_states"

    run: Mapped[str] = mapped_column(Text, primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True)
    request: Mapped[str | None] = mapped_column(Text)
    state: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    at: Mapped[datetime] = mapped_column(UtcTime)


class Prompt(Table):
    """The success rates of a prompt's latest groups in a run.

    ``prompt`` is the group's name, ``rates`` oldest first, ``streak`` the groups in a row without any variance.
    """

    __tablename__ = "prompts"

    run: Mapped[str] = mapped_column(Text, primary_key=True)
    prompt: Mapped[str] = mapped_column(Text, primary_key=True)
    labelled: Mapped[bool]
    rates: Mapped[list[float]] = mapped_column(Json)
    groups: Mapped[int]
    streak: Mapped[int]
    updated_at: Mapped[datetime] = mapped_column(UtcTime)
