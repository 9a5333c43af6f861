"""What a deletion consists of: phases, each a search that goes on where it was and an erasure of what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncConnection

from app.retention.spec import Spec

AnyRow = Row[*tuple[Any, ...]]
Rows = Sequence[AnyRow]
PAGE = 5_000
"""Rows that are looked at in one query."""
BATCH = 500
"""Rows that are erased in one transaction: writers wait for it."""


class NotYet(Exception):
    """Something else has to end first; the deletion goes on later."""


@dataclass(frozen=True, slots=True)
class DueRows:
    """``rows`` are due; the search goes on behind ``place``, unless nothing is left (``last``)."""

    rows: Rows
    place: str
    last: bool


class Phase(Protocol):
    async def find(self, connection: AsyncConnection, spec: Spec, place: str) -> DueRows:
        """The next rows that are due, behind a place; empty at first. Raises :class:`NotYet`."""
        ...

    async def erase(self, connection: AsyncConnection, spec: Spec, rows: Rows) -> Counter[str]:
        """Erases what was found and what hangs on it; how many rows of which table. The caller has locked what
        it needs to (:func:`app.retention.erasing.lock`) and commits."""
        ...
