"""``one_against_many``: the rank of one chosen response among many rejected ones (RewardMATH, arXiv 2410.01729)."""

from __future__ import annotations

from audits.bench.case import Format, Measured, Scores
from audits.bench.preference import PreferenceRow, single_cases
from audits.statistics.preference import place_among


def _measure(scores: Scores) -> Measured:
    [chosen], rejected = scores
    found = place_among(chosen, rejected)
    return Measured({"accuracy": float(found.first), "mrr": found.reciprocal}, chosen - max(rejected))


ONE_AGAINST_MANY = Format(
    PreferenceRow,
    single_cases,
    _measure,
    {
        "accuracy": "the chosen response comes first; a tie counts against it",
        "mrr": "mean of 1 over its rank",
    },
)
