"""What the keys endpoints take and answer."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field, StrictStr

from app.keys.admission import KeyScope
from trueward.types import Wire


class KeyRequest(Wire):
    name: StrictStr = Field(min_length=1, max_length=200, description="whose key it is, for people")
    scopes: list[KeyScope] = Field(min_length=1, description="what it may do; admin includes the others")


class KeyView(Wire):
    id: str
    name: str
    scopes: list[str]
    created_at: datetime
    revoked_at: datetime | None = None


class NewKey(KeyView):
    key: str = Field(description="the key itself; it is not shown again")


class KeyList(Wire):
    keys: list[KeyView]
