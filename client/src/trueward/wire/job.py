"""Jobs: batches that are scored in the background."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from trueward.wire.base import Wire

JobKind = Literal["verify", "rewards"]


JobPhase = Literal["queued", "running", "completed", "cancelled", "failed"]


ENDED: frozenset[JobPhase] = frozenset({"completed", "cancelled", "failed"})


class JobView(Wire):
    """A job as its caller sees it. ``counts`` has ``total``, ``done`` and one number an outcome so far."""

    id: str
    kind: JobKind = Field(description="verify: verdicts; rewards: rewards")
    state: JobPhase
    counts: dict[str, int]
    error: str | None = Field(default=None, description="why it failed")
    created_at: datetime
    updated_at: datetime

    @property
    def ended(self) -> bool:
        return self.state in ENDED


class JobList(Wire):
    jobs: list[JobView]
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")
