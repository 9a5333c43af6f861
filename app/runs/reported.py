"""Which models the servers of a run's judges say that they are: each that is new leaves a mark in the run.

A server may put other weights behind a name. No version tells, for the entry is the same; what it reports does.
"""

from __future__ import annotations

from collections.abc import Iterable

import structlog

from app.kit.cache import Cache
from app.kit.db import is_outage
from app.path.rows import Entry
from app.runs.repository import RunsRepository

KIND = "model_reported"
MOST = 20
"""Marks of a model in a run: a server may say something else each time."""
_KEPT = 1000
_Reported = tuple[str, str]
log = structlog.get_logger(__name__)


class ReportedModels:
    def __init__(self, repository: RunsRepository) -> None:
        self._repository = repository
        self._known: Cache[str, set[_Reported]] = Cache(_KEPT)

    async def note(self, run: str, entries: Iterable[Entry]) -> None:
        """Marks what is new. Where the database is away it is marked with what comes next."""
        said = {
            one for entry in entries for verdict in entry.verdicts for one in _reported(verdict.evidence.get("asked"))
        }
        known = self._known.get(run)
        if said <= (known or set()):
            return
        try:
            if known is None:
                marks = await self._repository.marks(run)
                known = {(str(mark["model"]), str(mark["to"])) for mark in marks if mark["kind"] == KIND}
                self._known.put(run, known)
            for model, reported in sorted(said - known):
                before = [one for name, one in known if name == model]
                if len(before) < MOST:
                    known.add((model, reported))
                    await self._repository.mark(run, KIND, {"model": model, "to": reported})
                    if before:
                        log.warning("a model's server says that it is another one", run=run, model=model, now=reported)
        except Exception as failure:  # an outage is no reason to lose the answer, the rest is raised again
            if not is_outage(failure):
                raise


def _reported(asked: object) -> Iterable[_Reported]:
    """By what is in a verdict's evidence."""
    if isinstance(asked, dict):
        for model, told in asked.items():
            if isinstance(told, dict) and "reported" in told:
                yield str(model), str(told["reported"])
