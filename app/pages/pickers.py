"""What forms offer instead of a name to be typed, and what they leave out."""

from __future__ import annotations

from pydantic import JsonValue

from app.audits.population import RUN
from app.runs.service import Runs
from trueward.errors import UnknownVerifier
from verifiers import registry

_RUNS = 100


async def recent_runs(runs: Runs) -> list[str]:
    """The ids of the newest, without those of audits."""
    return [run.id for run in await runs.recent(_RUNS, without=RUN)]


def judges_rightness(verifier: str) -> bool:
    """Whether a label, which says that a response is right or wrong, speaks of its verdicts: not where it reads no
    reference, as `format` and `length` do. One that is not installed any more is taken to."""
    try:
        return getattr(registry.get(verifier), "Reference", JsonValue) is not None
    except UnknownVerifier:
        return True
