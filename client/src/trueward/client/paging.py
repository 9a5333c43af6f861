"""Lists of the service, which come page by page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypedDict, TypeVar

from pydantic import BaseModel

from trueward.client.call import Call
from trueward.client.plan import model, query_of

T = TypeVar("T")
_AT_ONCE = 1000


P = TypeVar("P", bound=BaseModel)


class Period(TypedDict, total=False):
    """Made at ``since`` or later, and before ``until``; a text is a moment of ISO 8601."""

    since: datetime | str | None
    until: datetime | str | None


@dataclass(frozen=True)
class Pages(Generic[T]):
    """The entries of a list, as ``read`` finds them in a page with what the following one begins behind."""

    path: str
    read: Callable[[bytes], tuple[list[T], str | None]]
    asked: Mapping[str, object] = field(default_factory=dict)

    def call(self, after: str | None) -> Call[tuple[list[T], str | None]]:
        asked = {name: _plain(value) for name, value in self.asked.items()}
        return Call("GET", f"{self.path}?{query_of({**asked, 'limit': _AT_ONCE, 'after': after})}", self.read)


def pages(
    path: str, kind: type[P], entries: Callable[[P], tuple[list[T], str | None]], asked: Mapping[str, object]
) -> Pages[T]:
    """``entries`` takes a page apart."""
    read = model(kind)
    return Pages(path, lambda body: entries(read(body)), asked)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value
