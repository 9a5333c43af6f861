"""What was computed of runs for a page, kept while the ledger holds the same records of them: a page is read again and
again, by several people, while it follows its run, and on the way back from a sample.
"""

from __future__ import annotations

from typing import NamedTuple

from app.kit.cache import Cache
from app.kit.db import Database
from app.projects.visibility import Sight
from app.runs.changes import ChangesReader, KeptChanges
from app.runs.series import Extent, Series, SeriesRepository
from trueward.wire.change import RunChanges

_SERIES = 16
_CHANGES = 64


class CountedSeries(NamedTuple):
    """``extent`` is that of all of the run's records, of which the series counts some."""

    extent: Extent
    series: Series


class KeptReadings:
    """What somebody sees of a run is kept for those who see the same (:class:`Sight`). Texts are in the changes alone,
    which are looked up by the records that the ledger has now, so no text is told that was erased since."""

    def __init__(self) -> None:
        self._series: Cache[tuple[Sight, str], CountedSeries] = Cache(_SERIES)
        self._changes: KeptChanges = Cache(_CHANGES)

    async def series(self, db: Database, sight: Sight, run: str) -> CountedSeries | None:
        """None for a run without records. Records are never changed, so the same ends and number are the same ones."""
        repository = SeriesRepository(db)
        extent = await repository.extent(run)
        if extent is None:
            return None
        known = self._series.get((sight, run))
        if known is None or known.extent != extent:
            series = await repository.of_run(run)
            if series is None:
                return None
            known = CountedSeries(extent, series)
            self._series.put((sight, run), known)
        return known

    async def changes(self, db: Database, run: str, since: int) -> RunChanges:
        """Raises :class:`NotFound` for a run without a record that names a step."""
        return await ChangesReader(db, self._changes).of_run(run, since)
