"""Formats that compare scores: each rule on a case that can be worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import JsonValue

from audits.statistics.proportion import wilson
from tests.audits.bench.scripted import RECIPE, Scripted, benched, pair
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport

FOUR = [
    pair("2", "1", domain="a", id=1),
    pair("1", "1", domain="a", id=2),
    pair("0", "1", domain="a", id=3),
    pair(["3", "1"], ["2"], domain="b", id=4),
]


def rate(report: AuditReport, measure: str, *path: str) -> Any:
    found: Any = report.findings
    for name in path or ("by_example",):
        found = found[name]
    return found[measure]["rate"]


async def test_pairs_count_ties_as_errors_and_as_halves() -> None:
    report = await benched("pairs", FOUR)
    assert rate(report, "accuracy") == pytest.approx(1.5 / 4)
    assert rate(report, "with_ties") == pytest.approx((1 + 0.5 + 0 + 0.5) / 4)
    assert rate(report, "tied") == pytest.approx(1 / 4)
    assert rate(report, "accuracy", "domains", "a") == pytest.approx(1 / 3)
    assert rate(report, "accuracy", "by_section") == pytest.approx((1 / 3 + 1 / 2) / 2)


async def test_the_interval_of_different_prompts_is_wilsons() -> None:
    findings: Any = (await benched("pairs", FOUR[:3])).findings
    assert findings["by_example"]["accuracy"]["interval"] == pytest.approx(list(wilson(1, 3)))


async def test_rows_of_one_prompt_are_one_item_where_they_are_few() -> None:
    rows = [pair("2", "1", prompt=f"p{number % 4}") for number in range(40)]
    findings: Any = (await benched("pairs", rows)).findings
    found = findings["by_example"]["accuracy"]
    assert found["interval"] == pytest.approx(list(wilson(4, 4)))
    assert "4 prompts" in found["note"]


async def test_many_prompts_that_repeat_are_bootstrapped() -> None:
    rows = [pair("2" if number // 2 % 3 else "0", "1", prompt=f"p{number // 2}") for number in range(400)]
    findings: Any = (await benched("pairs", rows)).findings
    found = findings["by_example"]["accuracy"]
    low, high = found["interval"]
    naive = wilson(266, 400)
    assert found["note"] == "200 prompts"
    assert high - low > 1.2 * naive.width, "both rows of a prompt are alike"


async def test_the_section_mean_has_an_interval_where_prompts_are_many() -> None:
    rows = [pair("2" if number % 3 else "0", "1", domain="ab"[number % 2], id=number) for number in range(200)]
    findings: Any = (await benched("pairs", rows)).findings
    low, high = findings["by_section"]["accuracy"]["interval"]
    assert low < 2 / 3 < high
    few: Any = (await benched("pairs", FOUR)).findings
    assert few["by_section"]["accuracy"]["interval"] is None
    assert "too few" in few["by_section"]["accuracy"]["note"]


async def test_best_of_shares_the_credit_of_ties() -> None:
    rows = [
        pair("1", ["1", "0", "0"]),
        pair("1", ["1", "1", "1"]),
        pair("2", ["1", "0", "1"]),
        pair("0", ["1", "0", "0"]),
    ]
    report = await benched("best_of", rows)
    assert rate(report, "best_of") == pytest.approx((1 / 2 + 1 / 4 + 1 + 0) / 4)
    assert rate(report, "alone") == pytest.approx(1 / 4)


async def test_one_against_many_ranks_a_tie_against_the_chosen() -> None:
    rows = [pair("0.7", ["0.9", "0.7", *["0.1"] * 7]), pair("0.7", ["0.1"] * 9)]
    report = await benched("one_against_many", rows)
    assert rate(report, "accuracy") == pytest.approx(1 / 2)
    assert rate(report, "mrr") == pytest.approx((1 / 3 + 1) / 2)


async def test_style_grid_tells_easy_from_hard() -> None:
    """A subject that likes ornament: 1 more for each style."""
    chosen, rejected = ["1.5", "2.5", "3.5"], ["1", "2", "3"]
    report = await benched("style_grid", [pair(chosen, rejected)])
    assert [rate(report, name) for name in ("easy", "normal", "hard", "mean")] == pytest.approx([1, 1, 0, 6 / 9])
    grid = next(table for table in report.tables if table.title.startswith("Chosen style"))
    assert grid.rows[0] == ["chosen 1", 1.0, 0.0, 0.0]


async def test_ties_score_is_that_of_rewardbench_2() -> None:
    rows = [
        pair(["3", "3.5"], ["1", "2"], id="tied:7"),
        pair(["2"], ["1"], id="ref:7"),
        pair(["3", "3.5"], ["1", "2"], id=8, form="tied"),
        pair(["1"], ["2"], id=8, form="reference"),
    ]
    report = await benched("ties", rows)
    # gap 1 over a spread of .5 in both forms; in question 8 the reference's gap is -1
    seventh = 0.3 + 0.3 + 0.2 + 0.2 + 0.01 * math.tanh(1 / 0.5 - 1)
    eighth = 0.3 + 0 + 0.2 + 0 + 0.01 * math.tanh(-1 / 0.5 - 1)
    assert rate(report, "score") == pytest.approx((seventh + eighth) / 2)
    assert (rate(report, "tied"), rate(report, "reference")) == (1.0, 0.5)
    assert report.findings["scored"] == 2


async def test_two_orders_must_together_prefer_the_chosen() -> None:
    preferences = {
        ("a", "b"): 0.9, ("b", "a"): 0.1,  # as labelled, both times
        ("c", "d"): 0.9, ("d", "c"): 0.9,  # the first place wins, whatever stands there
        ("e", "f"): 0.5, ("f", "e"): 0.2,  # a tie, and as labelled
    }  # fmt: skip
    rows = [pair("a", "b"), pair("c", "d"), pair("e", "f")]
    report = await benched("two_orders", rows, Scripted(preferences))
    assert rate(report, "accuracy") == pytest.approx(2 / 3)
    assert rate(report, "inconsistent") == pytest.approx(2 / 3)


async def test_a_row_that_could_not_be_scored_is_missing_and_never_lost() -> None:
    report = await benched("pairs", [*FOUR, pair("timeout", "1", domain="a"), pair("1", "error", domain="c")])
    assert rate(report, "accuracy") == pytest.approx(1.5 / 4)
    assert report.findings["missing"] == {"rows": 2, "by_reason": {"timeout": 1, "error": 1}}
    [note] = [note for note in report.notes if note.startswith("2 rows could not be scored")]
    assert note.endswith("timeout (1), error (1)")
    assert ["c", 0, 1] in [row[:3] for row in report.tables[0].rows]


async def test_nothing_scored_is_an_error_that_says_why() -> None:
    with pytest.raises(InvalidRequest, match=r"could not score any of the 1 rows: timeout \(1\)"):
        await benched("pairs", [pair("timeout", "1")])


async def test_what_is_malformed_never_beats_what_was_judged() -> None:
    """An invalid response scores 0.0, which is more than a reward model may give a decent one."""
    report = await benched("pairs", [pair("-3", "invalid"), pair("invalid", "-5"), pair("-3", "-5")])
    assert rate(report, "accuracy") == pytest.approx(2 / 3)
    assert any("2 responses are invalid" in note for note in report.notes)


async def test_a_recipe_prices_what_is_malformed_itself() -> None:
    report = await benched("pairs", [pair("-3", "invalid")], subject=RECIPE)
    assert rate(report, "accuracy") == 0.0


async def test_equal_scores_everywhere_are_noted() -> None:
    report = await benched("pairs", [pair("1", "1"), pair("1", "1")])
    assert report.findings["all_scores_equal"] is True
    assert any("tells nothing apart" in note for note in report.notes)
    assert (await benched("pairs", FOUR)).findings["all_scores_equal"] is False


async def test_a_shifted_split_shows_its_drop() -> None:
    rows = [pair("2", "1", split="plain", id=number) for number in range(10)]
    rows += [pair("2" if number < 6 else "0", "1", split="shifted", id=number) for number in range(10)]
    report = await benched("pairs", rows)
    splits: Any = report.findings["splits"]
    assert [(one["split"], one["rate"]) for one in splits] == [("plain", 1.0), ("shifted", 0.6)]
    assert splits[1]["drop"] == pytest.approx(0.4)
    low, high = splits[1]["drop_interval"]
    assert 0 < low < 0.4 < high
    assert any(table.title == "Shifted splits" for table in report.tables)


async def test_the_worst_rows_come_first_and_are_cut() -> None:
    report = await benched("pairs", [pair("1", "0"), pair("0", "9", id="far", prompt="<script>" * 200), pair("0", "1")])
    worst: Any = report.findings["worst"]
    assert [one["margin"] for one in worst] == [-9.0, -1.0, 1.0]
    assert (worst[0]["row"], worst[0]["id"], len(worst[0]["prompt"])) == (2, "far", 500)


async def test_responses_of_one_row_are_judged_in_one_request() -> None:
    judging = Scripted()
    await benched("best_of", [pair("2", ["1"] * 99, id=number) for number in range(6)], judging)
    assert [len(request) for request in judging.requests] == [200, 200, 200]
    assert {len({sample.group for sample in request}) for request in judging.requests} == {2}


async def test_references_domains_and_metadata_reach_the_subject() -> None:
    judging = Scripted()
    rows: list[dict[str, JsonValue]] = [
        pair("2", "1", reference=["5", "five"], domain="maths", metadata={"kind": "sum"}),
        pair("2", "1", data_source="x"),
    ]
    await benched("pairs", rows, judging)
    [samples] = judging.requests
    assert (samples[0].reference, samples[0].data_source, samples[0].metadata) == (
        ["5", "five"],
        "maths",
        {"kind": "sum"},
    )
    assert samples[2].data_source == "x"
