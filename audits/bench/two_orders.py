"""``two_orders``: a pairwise judge is asked in both orders, and must prefer the chosen response (JudgeBench, arXiv
2410.12784).

What a pairwise judge has to do: it gets a sample whose ``baselines`` hold the one response to compare with, and its
score says how far the response is the better one: above 0.5 better, 0.5 a tie, below it worse.
"""

from __future__ import annotations

from audits.bench.case import BenchCase, CaseMeasures, Format, Scores
from audits.bench.preference import PreferenceRow
from audits.bench.rows import RawRows, problem, read, refuse
from audits.statistics.preference import two_orders
from trueward.wire.sample import Sample

_TIE = 0.5


def _cases(rows: RawRows) -> list[BenchCase]:
    read_rows = read(PreferenceRow, rows)
    refuse(
        [
            problem(place, field, "too_many", f"a pair has one response of each kind, this row has {len(texts)}")
            for place, row in enumerate(read_rows)
            for field, texts in (("chosen", row.chosen), ("rejected", row.rejected))
            if len(texts) > 1
        ]
    )
    return [_case(place, row) for place, row in enumerate(read_rows)]


def _case(place: int, row: PreferenceRow) -> BenchCase:
    [chosen], [rejected] = row.chosen, row.rejected
    return BenchCase.of(place, row, [_against(row, chosen, rejected)], [_against(row, rejected, chosen)])


def _against(row: PreferenceRow, response: str, other: str) -> Sample:
    return row.sample(row.prompt, response).model_copy(update={"baselines": [other]})


def _measure(scores: Scores) -> CaseMeasures:
    [first], [second] = scores
    orders = _sign(first), -_sign(second)
    values = {"accuracy": float(two_orders(*orders)), "inconsistent": float(orders[0] != orders[1])}
    return CaseMeasures(values, first - second)


def _sign(score: float) -> int:
    return (score > _TIE) - (score < _TIE)


TWO_ORDERS = Format(
    PreferenceRow,
    _cases,
    _measure,
    {
        "accuracy": "both orders together prefer the chosen response; one order and a tie is enough",
        "inconsistent": "the two orders say different things",
    },
)
