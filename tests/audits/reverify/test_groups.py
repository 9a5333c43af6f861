"""Groups are judged again whole, rewards are compared within them, and weights are jittered."""

from __future__ import annotations

from typing import Any

import pytest

from app import tables
from app.kit.db import Database
from app.path.facts import FACTS
from rewards.recipe import Recipe, parse_recipe
from tests.audits.labelled.planted import Row, put, reward, sample
from tests.audits.reverify.changed import Changed, reverified
from trueward.wire.audit import Subject
from trueward.wire.verdict import Outcome

DAPO = Subject(recipe="dapo")
GROUPED = parse_recipe({"terms": ["math"], "shaping": ["z_score"]}, FACTS)
TWO_TERMS = parse_recipe({"terms": {"math": 1.0, "format": 1.0}}, FACTS)


async def planted(db: Database, rewards: list[tuple[str, float | None, dict[str, Any]]]) -> list[Row]:
    samples = {response: sample(response, prompt="p") for response, _, _ in rewards}
    rows = [
        reward(samples[response], value, "abstained" if value is None else "correct", **rest)
        for response, value, rest in rewards
    ]
    await put(db, tables.Sample, list(samples.values()))
    await put(db, tables.Reward, rows)
    return rows


def grouped(judging: Changed) -> list[list[str]]:
    """The responses of each group of each request."""
    found: dict[tuple[int, str | None], list[str]] = {}
    for number, request in enumerate(judging.requests):
        for one in request:
            found.setdefault((number, one.group), []).append(one.response_text)
    return list(found.values())


async def test_identical_responses_of_a_group_are_all_judged(db: Database) -> None:
    one = {"run": "r", "request": "q1", "group": "g"}
    await planted(db, [("a", 1.0, one), ("a", 1.0, one), ("b", 0.0, one)])
    judging = Changed({"a": 1.0, "b": 0.0}, GROUPED)
    await reverified(db, judging, subject=DAPO)
    assert grouped(judging) == [["a", "a", "b"]]
    alone = Changed({"a": 1.0, "b": 0.0}, TWO_TERMS)
    await reverified(db, alone, subject=DAPO)
    assert sorted(grouped(alone)[0]) == ["a", "b"], "where the group does not matter a sample counts once"


async def test_groups_of_one_name_in_different_requests_stay_apart(db: Database) -> None:
    first, second = {"run": "r", "request": "q1", "group": "g"}, {"run": "r", "request": "q2", "group": "g"}
    unnamed = {"run": "r", "request": "q3"}
    await planted(
        db, [("a", 1.0, first), ("b", 0.0, first), ("a", 1.0, second), ("c", 0.0, second), ("d", 0.0, unnamed)]
    )
    judging = Changed(dict.fromkeys("abcd", 1.0), GROUPED)
    await reverified(db, judging, subject=DAPO)
    assert grouped(judging) == [["a", "b"], ["a", "c"], ["d"]]
    assert len(judging.requests) == 1


async def test_a_group_that_was_judged_again_as_it_was_counts_once(db: Database) -> None:
    first, second = {"run": "r", "request": "q1", "group": "g"}, {"run": "r", "request": "q2", "group": "g"}
    rows = await planted(db, [("a", 0.0, first), ("b", 0.0, first), ("b", 1.0, second), ("a", 1.0, second)])
    report = await reverified(db, Changed({"a": 1.0, "b": 1.0}, GROUPED), subject=DAPO)
    assert (report.findings["samples"], report.findings["records"]) == (2, len(rows))
    assert report.findings["flipped"] == [], "the later of both is what counts"


async def test_a_pair_of_groups_is_judged_in_one_request(db: Database) -> None:
    rows: list[tuple[str, float | None, dict[str, Any]]] = []
    for name in ("g", "h"):
        shared = {"run": "r", "request": "q", "group": name, "pair": "pair"}
        rows += [(f"{name}{place}", 1.0, shared) for place in range(150)]
    await planted(db, rows)
    judging = Changed({response: 1.0 for response, _, _ in rows}, GROUPED)
    report = await reverified(db, judging, subject=DAPO)
    assert [len(request) for request in judging.requests] == [300]
    assert {one.pair for one in judging.requests[0]} == {"pair"}
    assert any("1 groups have more than 256 members" in note for note in report.notes)


async def test_the_limit_leaves_out_whole_older_groups(db: Database) -> None:
    rows: list[tuple[str, float | None, dict[str, Any]]] = [
        (f"{group}{place}", 1.0, {"run": "r", "request": f"q{group}", "group": "g"})
        for group in range(3)
        for place in range(4)
    ]
    await planted(db, rows)
    judging = Changed({response: 1.0 for response, _, _ in rows}, GROUPED)
    report = await reverified(db, judging, subject=DAPO, limit=9)
    assert grouped(judging) == [[f"{group}{place}" for place in range(4)] for group in (1, 2)]
    assert report.findings["left_out"] == 4
    assert any("leaves out 4 older samples" in note for note in report.notes)
    assert (await reverified(db, judging, subject=DAPO, limit=1)).findings["samples"] == 4, "never none"


async def test_rewards_are_compared_by_distance_order_and_mean(db: Database) -> None:
    shared = {"run": "r", "request": "q", "group": "g"}
    await planted(db, [("a", 0.0, shared), ("b", 1.0, shared), ("c", 2.0, shared), ("d", None, shared)])
    same = Changed({"a": 10.0, "b": 12.0, "c": 14.0, "d": 1.0}, GROUPED)
    scores: Any = (await reverified(db, same, subject=DAPO)).findings["scores"]
    assert (scores["distance"], scores["kendall_tau"]) == (pytest.approx(0.0, abs=1e-9), pytest.approx(1.0))
    assert (scores["mean"], scores["missing"]) == ({"before": 1.0, "after": 12.0}, {"before": 0.25, "after": 0.0})
    opposite = Changed({"a": 2.0, "b": 1.0, "c": 0.0, "d": None}, GROUPED)
    scores = (await reverified(db, opposite, subject=DAPO)).findings["scores"]
    assert (scores["distance"], scores["kendall_tau"], scores["scored"]) == (pytest.approx(1.0), pytest.approx(-1.0), 3)


@pytest.mark.parametrize(("parts", "changed"), [((1.0, 0.95), 1.0), ((1.0, 0.2), 0.0)])
async def test_a_best_response_that_hangs_on_the_weights_is_told(
    db: Database, parts: tuple[float, float], changed: float
) -> None:
    """Either response has one term only: within a tenth of each other the weights decide."""
    shared = {"run": "r", "request": "q", "group": "g"}
    await planted(db, [("a", 1.0, shared), ("b", 1.0, shared)])
    components = {"a": {"math": parts[0], "format": None}, "b": {"math": 0.0, "format": parts[1]}}
    judging = Changed({"a": 1.0, "b": 1.0}, TWO_TERMS, components)
    report = await reverified(db, judging, subject=DAPO)
    found: Any = report.findings["weight_jitter"]
    assert (found["changed"], found["groups"]) == (changed, 1)


@pytest.mark.parametrize(
    ("recipe", "why"),
    [
        ({"terms": ["math"]}, "no weighted sum of several terms"),
        ({"terms": ["math", "format"], "combine": "min"}, "no weighted sum of several terms"),
        ({"routes": [{"when": {"data_source": "x"}, "terms": ["math"]}], "terms": ["exact"]}, "several routes"),
    ],
)
async def test_weights_that_cannot_be_jittered_are_said(db: Database, recipe: dict[str, Any], why: str) -> None:
    await planted(db, [("a", 1.0, {})])
    made: Recipe = parse_recipe(recipe, FACTS)
    report = await reverified(db, Changed({"a": Outcome.CORRECT}, made), subject=DAPO)
    assert report.findings["weight_jitter"] is None
    assert any(why in note for note in report.notes)


async def test_what_a_recipe_cannot_know_again_is_noted(db: Database) -> None:
    await planted(db, [("a", 1.0, {})])
    recipe = {
        "terms": [{"verifier": "math", "weight": {"points": [[0, 1.0], [9, 2.0]]}}],
        "noise": {
            "false_positive": 0.1,
            "false_negative": 0.1,
            "appeals": {"verifier": "numeric", "share": 0.5, "rate": 0.3},
        },
    }
    report = await reverified(db, Changed({"a": Outcome.CORRECT}, parse_recipe(recipe, FACTS)), subject=DAPO)
    assert any("without what the run had learned" in note for note in report.notes)
    assert any("those of the first step" in note for note in report.notes)
