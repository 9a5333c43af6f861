"""What forms offer instead of a name to be typed."""

from __future__ import annotations

from app.audits.population import RUN
from app.runs.service import Runs

_RUNS = 100


async def recent_runs(runs: Runs) -> list[str]:
    """The ids of the newest, without those of audits."""
    return [run.id for run in await runs.recent(_RUNS, without=RUN)]
