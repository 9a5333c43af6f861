"""What recipes make of comparisons within a group: length as a price, and groups that lean to one side."""

from __future__ import annotations

import pytest

from rewards.shaping.relative_length import centre_lengths
from tests.rewards.situation import OURS, members, recipe, scored, settled, values


def test_the_worked_length_weights_sum_to_nothing() -> None:
    assert centre_lengths([100, 200, 300]) == pytest.approx([0.5, 0, -0.5])
    assert centre_lengths([100, 100, 400]) == pytest.approx([1 / 3, 1 / 3, -2 / 3])
    assert centre_lengths([7, 7]) == [0, 0]


def test_shorter_responses_gain_what_longer_ones_lose() -> None:
    made = recipe(shaping=[{"genrm_length": {"factor": 0.1}}], invalid=-2)
    said = [{"math": scored(score)} for score in (4, 2.25, 3.25)]
    found = settled(made, members(made, said, tokens=[300, 100, 200]))
    assert values(found) == pytest.approx([3.95, 2.3, 3.25])


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [([100, 200, 300], [4.5, 2, 3]), ([300, 100, 200], [4, 2, 3]), ([100, 100, 300], [4, 2, 3])],
)
def test_the_bonus_is_the_shortest_response_s_where_it_is_among_the_best(
    tokens: list[int], expected: list[float]
) -> None:
    made = recipe(shaping=[{"genrm_length": {"factor": 0, "bonus": 0.5}}], invalid=-2)
    found = settled(made, members(made, [{"math": scored(score)} for score in (4, 2, 3)], tokens=tokens))
    assert values(found) == expected


def test_a_missing_score_has_no_length() -> None:
    made = recipe(shaping=[{"genrm_length": {"bonus": 0.5}}], invalid=-2)
    found = settled(made, members(made, [{"math": OURS}, {"math": scored(1)}], tokens=[1, 100]))
    assert values(found) == [None, 1]


@pytest.mark.parametrize(
    ("rewards", "kept"),
    [([0, 1, -1, -1], True), ([0, -1, -1, -1], False), ([0, 1, 1, 1], False), ([0, 1, 1, -1, 1], True)],
)
def test_a_group_that_nearly_all_beat_or_lose_to_the_reference_is_left_out(rewards: list[int], kept: bool) -> None:
    made = recipe(range=[-1, 1], group={"rules": ["one_sided"]})
    found = settled(made, members(made, [{"math": scored(reward)} for reward in rewards]))
    assert (found.group.kept, found.group.reason) == (kept, "" if kept else "one_sided")


def test_a_group_without_scores_is_left_out() -> None:
    made = recipe(group={"rules": ["one_sided"]})
    assert settled(made, members(made, [{"math": OURS}] * 2)).group.reason == "no_scores"
