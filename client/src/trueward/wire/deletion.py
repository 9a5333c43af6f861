"""Deletions of stored data on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from trueward.wire.base import Wire

DeletionState = Literal["waiting", "running", "completed", "failed"]
Days = Annotated[FiniteFloat, Field(ge=0, le=36_500)]


class DeletionRequest(Wire):
    """Exactly one of ``older_than_days``, ``run`` and ``subject``."""

    older_than_days: Days | None = Field(default=None, description="records that were made longer ago than that")
    run: str | None = Field(default=None, min_length=1, description="a whole run, with its state")
    subject: str | None = Field(default=None, description="samples whose `metadata.subject` is this")
    project: str | None = Field(
        default=None, description="of this project alone; null: of all that the key administers"
    )

    @model_validator(mode="after")
    def _names_one_thing(self) -> Self:
        if sum(value is not None for value in (self.older_than_days, self.run, self.subject)) != 1:
            raise ValueError("name exactly one of older_than_days, run and subject")
        return self


class DeletionCount(Wire):
    """Rows by table, as of now. ``samples`` are at most so many: those stay that something else refers to."""

    rows: dict[str, int]


class Deletion(Wire):
    """``rows`` are those that are gone, by table; ``audits`` those whose reports lost what they showed of
    them. ``failure`` says what went wrong, or what it waits for."""

    id: str
    state: DeletionState
    older_than_days: float | None = None
    run: str | None = None
    subject: str | None = None
    project: str | None = None
    policy: bool = Field(default=False, description="from the projects' `retention_days`; nobody asked for it")
    rows: dict[str, int]
    failure: str | None = None
    created_at: datetime
    finished_at: datetime | None = None


class DeletionPage(Wire):
    deletions: list[Deletion]
    next: str | None = None
