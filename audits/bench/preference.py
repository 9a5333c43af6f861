"""Rows of preference: responses to one prompt that should score high, and others that should score low.

The formats that read them are here: ``pairs`` (each chosen response should score above each rejected one), ``best_of``
(one chosen response should score highest) and ``one_against_many`` (its rank among many rejected ones).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field, field_validator

from audits.bench.case import BenchCase, CaseMeasures, Format, Scores
from audits.bench.rows import PromptRow, RawRows, problem, read, refuse
from audits.statistics.preference import best_of_credit, pairs, place_among
from trueward.errors import FieldProblem
from trueward.wire.sample import Sample


class PreferenceRow(PromptRow):
    """``{prompt, chosen, rejected, domain?, split?, reference?, id?, ...}``; a text is a list of one."""

    chosen: list[str] = Field(min_length=1)
    rejected: list[str] = Field(min_length=1)

    @field_validator("chosen", "rejected", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    def samples(self, responses: Sequence[str]) -> list[Sample]:
        return [self.sample(self.prompt, response) for response in responses]


def preference_cases(rows: RawRows) -> list[BenchCase]:
    """Chosen and rejected responses of each row."""
    read_rows = read(PreferenceRow, rows)
    return [
        BenchCase.of(place, row, row.samples(row.chosen), row.samples(row.rejected))
        for place, row in enumerate(read_rows)
    ]


def single_cases(rows: RawRows) -> list[BenchCase]:
    """The same where exactly one response is chosen."""
    found = preference_cases(rows)
    refuse(list(_several(found)))
    return found


def _several(cases: Sequence[BenchCase]) -> Iterator[FieldProblem]:
    for case in cases:
        if len(case.parts[0]) > 1:
            detail = f"this format has one chosen response a row, this row has {len(case.parts[0])}"
            yield problem(case.place, "chosen", "too_many", detail)


def _measure_pairs(scores: Scores) -> CaseMeasures:
    """RewardBench, arXiv 2403.13787. A row with several responses counts once: with the share of its pairs."""
    chosen, rejected = scores
    found = pairs([one for one in chosen for _ in rejected], [other for _ in chosen for other in rejected])
    halves = found.accuracy_with_ties
    values = {
        "accuracy": found.won / sum(found),
        "with_ties": 0.0 if halves is None else halves,
        "tied": found.tied / sum(found),
    }
    return CaseMeasures(values, min(chosen) - max(rejected))


PAIRS = Format(
    PreferenceRow,
    preference_cases,
    _measure_pairs,
    {
        "accuracy": "pairs in which the chosen response scores higher; a tie is an error",
        "with_ties": "the same, a tie counts half",
        "tied": "pairs with equal scores",
    },
)


def _measure_best_of(scores: Scores) -> CaseMeasures:
    """RewardBench 2, arXiv 2506.01937."""
    [chosen], rejected = scores
    credit = best_of_credit(chosen, rejected)
    values = {"best_of": credit, "alone": float(credit == 1), "tied": float(0 < credit < 1)}
    return CaseMeasures(values, chosen - max(rejected))


BEST_OF = Format(
    PreferenceRow,
    single_cases,
    _measure_best_of,
    {
        "best_of": "1 over the number of responses tied for the best score, where the chosen one is among them",
        "alone": "the chosen response scores above all others; a tie is an error",
        "tied": "the chosen response shares the best score",
    },
)


def _measure_one_against_many(scores: Scores) -> CaseMeasures:
    """RewardMATH, arXiv 2410.01729."""
    [chosen], rejected = scores
    found = place_among(chosen, rejected)
    return CaseMeasures({"accuracy": float(found.first), "mrr": found.reciprocal}, chosen - max(rejected))


ONE_AGAINST_MANY = Format(
    PreferenceRow,
    single_cases,
    _measure_one_against_many,
    {
        "accuracy": "the chosen response comes first; a tie counts against it",
        "mrr": "mean of 1 over its rank",
    },
)
