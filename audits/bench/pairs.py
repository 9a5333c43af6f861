"""``pairs``: each chosen response should score above each rejected one (RewardBench, arXiv 2403.13787)."""

from __future__ import annotations

from audits.bench.case import Format, Measured, Scores
from audits.bench.preference import PreferenceRow, preference_cases
from audits.statistics.preference import pairs


def _measure(scores: Scores) -> Measured:
    """A row with several responses counts once: with the share of its pairs."""
    chosen, rejected = scores
    found = pairs([one for one in chosen for _ in rejected], [other for _ in chosen for other in rejected])
    halves = found.accuracy_with_ties
    values = {
        "accuracy": found.won / sum(found),
        "with_ties": 0.0 if halves is None else halves,
        "tied": found.tied / sum(found),
    }
    return Measured(values, min(chosen) - max(rejected))


PAIRS = Format(
    PreferenceRow,
    preference_cases,
    _measure,
    {
        "accuracy": "pairs in which the chosen response scores higher; a tie is an error",
        "with_ties": "the same, a tie counts half",
        "tied": "pairs with equal scores",
    },
)
