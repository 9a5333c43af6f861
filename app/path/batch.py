"""A request on its way through the path: its samples, when they are to be judged and recorded, and for whom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.admission.admit import Admitted
from app.admission.demand import Demand
from app.path.caller import Caller
from app.path.rows import RequestContext
from trueward.authoring.verifier import Verifier

Wanted = Sequence[tuple[Verifier, int]]
"""Each verifier that samples of a request need at once, with how many of them do."""


@dataclass(slots=True)
class RequestBatch:
    """``judge_by`` and ``record_by`` are times of the loop; ``wanted``: which verifiers its samples need at once."""

    admitted: list[Admitted]
    records: Sequence[str]
    context: RequestContext
    judge_by: float
    record_by: float
    caller: Caller
    wanted: Callable[[], Wanted]
    demand: Demand
