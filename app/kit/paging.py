"""Which part of a list somebody asks for: the same parameters for every list that grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Query
from pydantic import AfterValidator
from sqlalchemy import ColumnElement, Select

from app.kit.tokens import first_id

T = TypeVar("T")
S = TypeVar("S", bound=Select[Any])
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


def _utc(moment: datetime) -> datetime:
    """A moment without a zone is one in UTC."""
    at = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    if not _EARLIEST <= at <= _LATEST:
        raise ValueError("must be between 1970 and 9000")
    return at


Moment = Annotated[datetime, AfterValidator(_utc)]


@dataclass(frozen=True, slots=True)
class PageRange:
    """At most ``limit`` entries from behind ``after``, made from ``since`` on and before ``until``."""

    after: str | None = None
    limit: int = 100
    since: datetime | None = None
    until: datetime | None = None

    def within(self, name: Any) -> list[ColumnElement[bool]]:
        """Conditions on a column of ids, which sort by the time when they were made."""
        since = [] if self.since is None else [name >= first_id(self.since)]
        return since if self.until is None else [*since, name < first_id(self.until)]

    def newest(self, query: S, name: Any) -> S:
        """The rows of this slice by their ids, newest first, and one beyond it, which says that more follow."""
        before = [] if self.after is None else [name < self.after]
        return query.where(*self.within(name), *before).order_by(name.desc()).limit(self.limit + 1)

    def oldest(self, query: S, name: Any) -> S:
        """The same, oldest first."""
        behind = [] if self.after is None else [name > self.after]
        return query.where(*self.within(name), *behind).order_by(name).limit(self.limit + 1)

    def cut(self, found: Sequence[T], name: Callable[[T], str]) -> tuple[list[T], str | None]:
        """The entries of the slice, and where the next begins, of those that were found with one beyond it."""
        return list(found[: self.limit]), name(found[self.limit - 1]) if len(found) > self.limit else None


def _slice(
    after: Annotated[str | None, Query(description="`next` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    since: Annotated[Moment | None, Query(description="made at this moment or later; without a zone, UTC")] = None,
    until: Annotated[Moment | None, Query(description="made before this moment")] = None,
) -> PageRange:
    return PageRange(after, limit, since, until)


SliceDep = Annotated[PageRange, Depends(_slice)]
