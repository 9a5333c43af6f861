"""Whether the database has to be read again."""

from __future__ import annotations

from app.kit.db import Database


class Commits:
    """Says whether anybody has committed since a reader last took in all that there was.

    A database that only a query can ask (PostgreSQL, or a file in trouble) counts as committed to at every look.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._looked: tuple[int, int] | None = None
        self._settled: tuple[int, int] | None = None

    def new(self) -> bool:
        """Looks. True where there may be something to read."""
        self._looked = self._db.stamp()
        return self._looked is None or self._looked != self._settled

    def settle(self) -> None:
        """All that there was at the last look has been taken in."""
        self._settled = self._looked
