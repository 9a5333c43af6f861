"""API keys, and what administrators did, on the wire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, FiniteFloat, JsonValue, StrictStr, model_validator

from trueward.wire.base import Wire
from trueward.wire.project import DEFAULT, ProjectName

LONGEST_S = 100 * 365.25 * 24 * 3600.0
DEFAULT_GRACE_S = 24 * 3600.0


def now() -> datetime:
    return datetime.now(UTC)


def _utc(moment: datetime) -> datetime:
    """A moment without a zone is one in UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


KeyScope = Literal["score", "view", "label", "admin"]
Moment = Annotated[datetime, AfterValidator(_utc)]
Span = Annotated[FiniteFloat, Field(gt=0, le=LONGEST_S)]
PerMinute = Annotated[FiniteFloat, Field(gt=0, le=1e12)]


class Ending(Wire):
    """When a key ends: a moment, or a span from now; neither where it does not end by itself."""

    expires_at: Moment | None = Field(default=None, description="when the key ends; null: never")
    expires_in_s: Span | None = Field(default=None, description="the same, in seconds from now")

    @model_validator(mode="after")
    def _once(self) -> Self:
        if self.expires_at is not None and self.expires_in_s is not None:
            raise ValueError("name expires_at or expires_in_s, not both")
        if self.expires_at is not None and self.expires_at <= now():
            raise ValueError("expires_at is in the past: DELETE /v1/keys/{id} ends a key at once")
        return self

    @property
    def ends_at(self) -> datetime | None:
        return self.expires_at if self.expires_in_s is None else now() + timedelta(seconds=self.expires_in_s)

    @property
    def says_when(self) -> bool:
        return bool(self.model_fields_set & {"expires_at", "expires_in_s"})


class KeyRequest(Ending):
    name: StrictStr = Field(min_length=1, max_length=200, description="whose key it is, for people")
    scopes: list[KeyScope] = Field(min_length=1, description="what it may do; admin includes the others")
    project: ProjectName | None = Field(default=None, description="whose data it works with; default: the caller's")
    samples_per_minute: PerMinute | None = Field(default=None, description="null: as many as one likes")
    cost_per_minute: PerMinute | None = Field(default=None, description="seconds of work, as estimated; null: any")


class KeyChange(Ending):
    """What is not named stays; null takes a quota, or the end, away."""

    samples_per_minute: PerMinute | None = Field(default=None, description="null: as many as one likes")
    cost_per_minute: PerMinute | None = Field(default=None, description="seconds of work, as estimated; null: any")


class Rotation(Ending):
    """When the new key ends; where nothing is said, after as long as the old one had."""

    grace_s: FiniteFloat = Field(
        default=DEFAULT_GRACE_S,
        ge=0,
        le=LONGEST_S,
        description="seconds that the old key still works; 0: it is revoked",
    )


class KeyView(Wire):
    id: str
    name: str
    project: str = DEFAULT
    prefix: str | None = Field(default=None, description="the key begins with `tw_` and this; null for keys of before")
    scopes: list[str]
    samples_per_minute: float | None = None
    cost_per_minute: float | None = None
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    @property
    def expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= now()


class NewKey(KeyView):
    key: str = Field(description="the key itself; it is not shown again")


class KeyList(Wire):
    keys: list[KeyView]


class ActView(Wire):
    """What somebody did who may; ``actor`` is the key's id, null without keys."""

    id: str
    at: datetime
    actor: str | None
    action: str
    target: str = Field(description="what it was done to: an id or a name")
    details: dict[str, JsonValue]


class ActPage(Wire):
    acts: list[ActView]
    next: str | None = Field(description="pass it as `after` for the following page; null on the last")
