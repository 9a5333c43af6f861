"""Poisson sampling: the stated probability is the one that an item is drawn with, and a seed draws the same again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from app.labels.sampling import DrawnItem, Sampled, draw_items
from audits.statistics.drawn import DrawnRates
from audits.statistics.frame import Frame
from tests.app.labels.test_queries import OTHER, view
from trueward.wire.audit import Subject
from trueward.wire.draw import DrawRequest

SIZE = 2000
SAID = {f"s{place}": place % 10 != 0 for place in range(SIZE)}
"""What the other verifier says; ours accepts everything, so they disagree on every tenth."""


def sample(**changes: Any) -> Sampled:
    query = {"query": "disagreement", "other": OTHER, "probability": 0.8}
    spec = {"subject": Subject(verifier="math"), "queries": [query], "rest": 0.05, **changes}
    return draw_items(DrawRequest.model_validate(spec), view([1.0] * SIZE, other=SAID))


def test_items_are_drawn_with_the_probability_that_they_carry() -> None:
    counts = {0.8: 0, 0.05: 0}
    for seed in range(100):
        for item in sample(seed=seed).items:
            counts[item.probability] += 1
            assert item.query == ("disagreement" if item.probability == 0.8 else "rest")
    # 100 draws of 200 at 0.8 and of 1800 at 0.05: standard deviations of 57 and 92
    assert counts[0.8] == pytest.approx(16_000, abs=4 * 57)
    assert counts[0.05] == pytest.approx(9_000, abs=4 * 92)


def test_a_seed_draws_the_same_again_and_another_one_others() -> None:
    assert sample(seed=7) == sample(seed=7)
    same = {item.sample for item in sample(seed=7).items} & {item.sample for item in sample(seed=8).items}
    assert len(same) < 170  # of about 250 each, 133 by chance
    fewer = {item.sample for item in sample(seed=7, rest=0.01).items}
    assert fewer < {item.sample for item in sample(seed=7).items}


def test_the_order_tells_nothing_of_why_an_item_was_drawn() -> None:
    places = [place for place, item in enumerate(sample().items) if item.query == "rest"]
    assert np.mean(places) == pytest.approx(len(sample().items) / 2, rel=0.25)


def test_the_highest_probability_of_the_queries_that_match_counts() -> None:
    near = {"query": "near_threshold", "threshold": 1, "margin": 0}
    disagree = {"query": "disagreement", "other": OTHER}
    both = [{**near, "probability": 0.3}, {**disagree, "probability": 0.9}]
    found = {(item.query, item.probability) for item in sample(queries=both).items}
    assert found == {("near_threshold", 0.3), ("disagreement", 0.9)}
    lower = [{**near, "probability": 0.5}, {**disagree, "probability": 0.2}]
    assert {(item.query, item.probability) for item in sample(queries=lower).items} == {("near_threshold", 0.5)}


def test_without_a_rest_the_draw_says_what_it_says_nothing_of() -> None:
    found = sample(rest=0)
    assert {item.query for item in found.items} == {"disagreement"}
    assert found.notes == ["nothing is drawn of the rest: the draw says nothing of 1800 of 2000 responses"]
    everything = sample(queries=[], rest=1)
    assert (len(everything.items), everything.notes) == (SIZE, [])
    assert sample(queries=[], rest=0).expected == 0


def test_a_limit_makes_all_probabilities_smaller_alike() -> None:
    found = sample(limit=125)  # half of 200 * 0.8 + 1800 * 0.05
    assert {item.probability for item in found.items} == {0.4, 0.025}
    assert found.expected == pytest.approx(125)
    assert "the factor 0.5" in found.notes[0]
    assert sample(limit=1000).notes == []


def test_a_query_that_matches_nothing_is_named() -> None:
    near = {"query": "near_threshold", "threshold": 9, "margin": 0, "probability": 1}
    assert sample(queries=[near]).notes == ["the query near_threshold matches nothing"]


def test_labels_that_no_error_rate_learns_from_are_counted_beforehand() -> None:
    spec = DrawRequest.model_validate({"subject": Subject(verifier="math"), "rest": 0.1})
    found = draw_items(spec, view([float("nan")] * 500 + [1.0] * 500))
    assert any(note.startswith("500 of 1000 responses were neither") and "about 50 of " in note for note in found.notes)
    assert draw_items(spec, view([0.0] * 500 + [1.0] * 500)).notes == []


def test_a_response_is_one_item_however_often_it_was_judged() -> None:
    spec = DrawRequest(subject=Subject(verifier="math"), queries=[], rest=1)
    repeated = draw_items(spec, view([1, 1, 0, 1], sample=["a", "b", "a", "a"]))
    assert sorted((item.sample, item.record) for item in repeated.items) == [("a", "r3"), ("b", "r1")]
    assert repeated.population == 2
    jump = {"query": "group_jump", "probability": 1}
    alone = DrawRequest.model_validate({"subject": {"verifier": "math"}, "queries": [jump]})
    records = view([1, 1, 0, 1], sample=["a", "b", "a", "a"])
    assert [(item.record, item.query) for item in draw_items(alone, records).items] == [("r2", "group_jump")]


def framed(items: Sequence[DrawnItem], errors: set[str]) -> Frame:
    """All responses are wrong, and an error is one that was accepted: their rate is the share of errors."""
    places = [int(item.sample.removeprefix("s")) for item in items]
    chance, right = np.full(SIZE, np.nan), np.full(SIZE, np.nan)
    chance[places], right[places] = [item.probability for item in items], 0.0
    accepted = np.array([float(f"s{place}" in errors) for place in range(SIZE)])
    number = np.arange(SIZE)
    return Frame(accepted, right, np.ones(SIZE), number, chance, np.zeros_like(number))


def test_weighted_by_these_probabilities_a_rate_is_the_populations() -> None:
    """Errors are ten times as frequent where verifiers disagree: drawn responses alone would say 20%, not 3.8%."""
    wrong = {f"s{place}" for place in range(SIZE) if place % (50 if place % 10 else 4) == 0 or place % 100 == 1}
    truth = len(wrong) / SIZE
    covered, plain = 0, []
    for seed in range(60):
        items = sample(seed=seed).items
        errors = [item.sample in wrong for item in items]
        low, high = DrawnRates(framed(items, wrong)).false_positive().interval
        covered += low <= truth <= high
        plain.append(np.mean(errors))
    assert covered >= 52
    assert min(plain) > 2 * truth
