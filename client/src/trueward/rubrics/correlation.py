"""How the criteria of a rubric go together in the ledger, as the service answers it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from trueward.wire.base import Wire


class RubricUse(Wire):
    """A rubric by its content hash, and how many verdicts were given by it."""

    rubric: str
    verdicts: int


class CriterionUse(Wire):
    """How often a criterion was judged, and how far it was met on the average, in [0, 1]."""

    id: str
    n: int
    mean: float
    flag: Literal["never_met", "always_met"] | None = Field(
        default=None,
        description="it was never or always met, in ten verdicts or more: it tells no response from another",
    )


class CriterionPair(Wire):
    """Pearson's correlation of the scores of two criteria over ``n`` verdicts; of criteria that are met or not, phi."""

    first: str
    second: str
    n: int
    correlation: float | None = Field(description="null where one of the two never changes")
    flag: Literal["alike", "opposite"] | None = Field(
        default=None, description="0.9 or more (or -0.9 or less) in ten verdicts or more: they may be one criterion"
    )


class CriteriaReport(Wire):
    """Of one rubric; ``rubrics`` are those that the ledger has most verdicts by. ``left_out`` older verdicts were not
    read."""

    verifier: str
    run: str | None
    rubric: str | None = Field(description="null where no verdict names a rubric")
    verdicts: int
    left_out: int
    rubrics: list[RubricUse]
    criteria: list[CriterionUse]
    pairs: list[CriterionPair] = Field(description="strongest first")
    next: str | None = Field(default=None, description="`after` of the next page of pairs; null on the last")
