"""``best_of``: one chosen response among several should score highest (RewardBench 2, arXiv 2506.01937)."""

from __future__ import annotations

from audits.bench.case import Format, Measured, Scores
from audits.bench.preference import PreferenceRow, single_cases
from audits.statistics.preference import best_of_credit


def _measure(scores: Scores) -> Measured:
    [chosen], rejected = scores
    credit = best_of_credit(chosen, rejected)
    values = {"best_of": credit, "alone": float(credit == 1), "tied": float(0 < credit < 1)}
    return Measured(values, chosen - max(rejected))


BEST_OF = Format(
    PreferenceRow,
    single_cases,
    _measure,
    {
        "best_of": "1 over the number of responses tied for the best score, where the chosen one is among them",
        "alone": "the chosen response scores above all others; a tie is an error",
        "tied": "the chosen response shares the best score",
    },
)
