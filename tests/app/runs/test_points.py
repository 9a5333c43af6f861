"""Points are counted from records: intervals by prompt, histograms, outcomes, lengths, data sources; and prompts."""

from __future__ import annotations

from typing import Any

import pytest

from app.runs.points import RecordRow, ScoreBin, bins_of, points_of
from app.runs.prompt_rates import prompt_rates


def row(place: int, number: int, score: float | None = 1.0, **fields: Any) -> RecordRow:
    outcome = "timeout" if score is None else "correct" if score else "incorrect"
    told = {
        "record": f"{place:03d}-{number:03d}",
        "sample": f"s{number}",
        "step": place,
        "member": None,
        "prompt": f"p{number % 2}",
        "outcome": outcome,
        "reason_code": "said",
        "policy": "v1",
        "source": None,
        "length": 10 + number,
        "split": "train",
        "named": {"answer": score, "form": 0.0},
    }
    return RecordRow(place=place, score=score, **{**told, **fields})


def test_few_different_scores_have_a_bin_each_and_many_share_ten() -> None:
    assert bins_of([1.0, 0.0, None, 1.0]) == [ScoreBin(0.0, 0.0), ScoreBin(1.0, 1.0)]
    wide = bins_of([number / 100 for number in range(101)])
    assert len(wide) == 10
    assert (wide[0].low, wide[-1].high) == (0.0, 1.0)


def test_a_histogram_counts_every_score_once() -> None:
    rows = [row(0, number, number / 100) for number in range(101)]
    [point] = points_of(rows, bins_of(one.score for one in rows))
    assert sum(point.histogram) == 101
    assert all(9 <= count <= 12 for count in point.histogram)


def test_an_interval_is_that_of_the_prompts_not_of_the_records() -> None:
    """One prompt always right, one always wrong: two clusters say next to nothing, however many records they have."""
    rows = [row(0, number, float(number % 2)) for number in range(200)]
    [point] = points_of(rows, bins_of([0.0, 1.0]))
    assert point.score == 0.5
    assert point.score_ends == (0.0, 1.0)
    assert point.component_ends["answer"] == point.score_ends
    assert "form" not in point.component_ends


@pytest.mark.parametrize("worth", [1e200, 1.7e308, -1.7e308, 5e-324])
def test_numbers_at_the_edge_of_what_a_double_holds_are_counted(worth: float) -> None:
    rows = [row(0, n, worth if n % 2 else float(n), named={"answer": worth}) for n in range(24)]
    [point] = points_of(rows, bins_of(one.score for one in rows))
    assert sum(point.histogram) == 24
    assert prompt_rates(rows, [0]).prompts == 2


def test_outcomes_causes_lengths_and_sources_are_told_apart() -> None:
    rows = [
        row(0, 0, 1.0, source="sums"),
        row(0, 1, 0.0, source="sums"),
        row(0, 2, None, source="words", reason_code="deadline"),
        row(0, 3, 0.0, outcome="invalid", reason_code="empty", length=0),
    ]
    [point] = points_of(rows, bins_of([0.0, 1.0]))
    assert point.outcomes == {"correct: said": 1, "incorrect: said": 1, "timeout: deadline": 1, "invalid: empty": 1}
    assert point.causes == {"missing: deadline": 1, "invalid: empty": 1}
    assert point.lengths == {"correct": 10.0, "incorrect": 11.0, "timeout": 12.0, "invalid": 0.0}
    assert {name: tuple(one) for name, one in point.sources.items()} == {"sums": (2, 0.5), "words": (1, None)}
    assert (point.missing, point.length) == (1, 8.25)


def test_groups_without_spread_are_those_that_requests_name() -> None:
    rows = [row(0, n, float(n == 0), member="a" if n < 2 else "b") for n in range(4)]
    [point] = points_of([*rows, row(0, 9, 1.0)], bins_of([0.0, 1.0]))
    assert (point.groups, point.flat) == (2, 1)
    assert point.flat_ends is not None


def test_prompts_are_ordered_by_their_rate_and_say_where_they_were_asked() -> None:
    rows = [row(0, n, 1.0, prompt="easy") for n in range(2)]
    rows += [row(1, n, 0.0, prompt="hard") for n in range(2)]
    rows += [row(step, step, float(step), prompt="learned") for step in (0, 1)]
    rows += [row(0, 7, None, prompt="never judged"), row(0, 8, 1.0, prompt="once"), row(0, 9, 1.0, prompt=None)]
    found = prompt_rates(rows, [0, 1])
    assert [one.prompt for one in found.worst] == ["hard", "learned", "easy"]
    assert [one.rates for one in found.worst] == [[None, 0.0], [0.0, 1.0], [1.0, None]]
    assert (found.passed, found.prompts, found.never_right, found.always_right) == (True, 3, 1, 1)
    assert {one.prompt for one in found.flat} == {"easy", "hard"}


@pytest.mark.parametrize("worth", [-3.0, 0.0, 2.5])
def test_of_scores_without_a_pass_line_the_mean_counts(worth: float) -> None:
    rows = [row(0, n, worth, outcome="scored", prompt="p") for n in range(2)]
    found = prompt_rates(rows, [0])
    assert (found.passed, found.worst[0].rate, found.worst[0].varies) == (False, worth, False)
