"""Appeals: the worked estimate, its mean, what overturning changes, and what the run's state becomes."""

from __future__ import annotations

import random

import pytest

from rewards.conditions import Conditions
from rewards.judging import due
from rewards.learning import learn
from rewards.noise.appeals import Appeals, AppealState, Tally, residual, rights, updated
from rewards.recipe import parse_recipe
from rewards.state import State
from tests.rewards.situation import NO, OURS, YES, members, pay, priced, recipe, settled
from trueward.errors import InvalidRecipe
from trueward.types import Sample

WORKED = Tally(accepted=60, rejected=40, appealed=10, answered=10, overturned=3)
NOISE = {"false_positive": 0.0, "false_negative": 0.1, "appeals": {"verifier": "judge", "share": 0.5}}


def test_the_worked_estimate() -> None:
    appeals = Appeals(verifier="judge")
    assert rights(WORKED, appeals, 0.0) == (12, 60)
    assert updated(AppealState(false_negative=0.1), WORKED, appeals, 0.0).false_negative == pytest.approx(
        0.106667, abs=1e-6
    )


def test_a_batch_that_says_nothing_leaves_the_estimate() -> None:
    before = AppealState(false_negative=0.1)
    assert updated(before, Tally(accepted=60, rejected=0), Appeals(verifier="judge"), 0.0) is before
    assert updated(before, Tally(accepted=60, rejected=9, appealed=3), Appeals(verifier="judge"), 0.0) is before


def test_the_estimate_is_capped_and_may_be_a_posterior() -> None:
    all_missed = Tally(accepted=0, rejected=40, appealed=10, answered=10, overturned=10)
    fast = Appeals(verifier="judge", rate=1.0)
    assert updated(AppealState(false_negative=0.1), all_missed, fast, 0.0).false_negative == 0.5
    beta = Appeals(verifier="judge", smoothing="beta", prior=(1.0, 9.0))
    state = updated(AppealState(false_negative=0.1), WORKED, beta, 0.0)
    assert state.false_negative == pytest.approx((1 + 12) / (10 + 72))
    twice = updated(state, WORKED, beta, 0.0)
    assert twice.false_negative == pytest.approx((1 + 24) / (10 + 144))


@pytest.mark.parametrize(("hits", "alarms", "positive"), [(1.0, 0.0, 0.0), (0.9, 0.1, 0.05)])
def test_the_estimate_is_right_on_average(hits: float, alarms: float, positive: float) -> None:
    chance = random.Random(0)
    appeals = Appeals(verifier="judge", share=0.25, judge_true_positive=hits, judge_false_positive=alarms)
    missed, found = 0.0, 0.0
    for _ in range(300):
        counts = dict.fromkeys(("accepted", "rejected", "appealed", "overturned"), 0)
        for _ in range(400):
            right = chance.random() < 0.5
            accepted = chance.random() < (0.8 if right else positive)
            counts["accepted" if accepted else "rejected"] += 1
            if not accepted and chance.random() < 0.25:
                counts["appealed"] += 1
                counts["overturned"] += chance.random() < (hits if right else alarms)
        batch = rights(Tally(answered=counts["appealed"], **counts), appeals, positive)
        missed, found = missed + batch.missed, found + batch.found
    assert missed / (missed + found) == pytest.approx(0.2, abs=0.01)


def test_overturning_changes_both_rates() -> None:
    appeals = Appeals(verifier="judge", share=0.25, judge_true_positive=0.8, judge_false_positive=0.1)
    assert residual(0.02, 0.2, appeals) == pytest.approx((0.0445, 0.2 * (1 - 0.25 * 0.8)))
    made = recipe(noise={**NOISE, "appeals": {"verifier": "judge", "share": 1.0, "overturn": True}})
    overturned = pay(made, {"math": NO, "math:appeal": YES})
    assert overturned.reward == pytest.approx(1.0)
    assert overturned.estimate == "appeals@0"
    assert pay(made, {"math": NO, "math:appeal": OURS}).reward == 0


def test_a_judge_that_cannot_tell_is_refused() -> None:
    with pytest.raises(InvalidRecipe, match="judge_true_positive"):
        recipe(noise={"appeals": {"verifier": "judge", "judge_true_positive": 0.3, "judge_false_positive": 0.3}})
    with pytest.raises(InvalidRecipe):
        recipe(noise={"appeals": {"verifier": "judge", "share": 0.0}})


def test_only_the_drawn_share_of_rejections_is_appealed_and_the_same_again() -> None:
    made = recipe(noise=NOISE)
    course = made.default
    assert course is not None
    samples = [Sample(response=f"answer {index}") for index in range(400)]
    drawn = [due(course, sample, {"math": NO}) for sample in samples]
    assert 150 < sum(map(bool, drawn)) < 250
    assert drawn == [due(course, sample, {"math": NO}) for sample in samples]
    assert all(one[0].key == "math:appeal" and one[0].shadow for one in drawn if one)
    assert not any(due(course, sample, {"math": YES}) for sample in samples)


def test_the_state_follows_the_appeals_of_a_request() -> None:
    made = parse_recipe(
        {"terms": ["math"], "noise": {**NOISE, "appeals": {"verifier": "judge", "share": 1.0, "rate": 1.0}}}
    )
    said = [{"math": YES}] * 6 + [{"math": NO, "math:appeal": YES}] * 2 + [{"math": NO, "math:appeal": NO}] * 2
    group = members(made, said)
    after = learn(made, [("g", group, settled(made, group))], Conditions(state=State()))
    assert after.version == 1
    assert after.appeals["math"].false_negative == pytest.approx(2 / 8)
    reward = priced(made, conditions=Conditions(state=after), math=YES)
    assert reward.estimate == "appeals@1"
    assert reward.reward == pytest.approx(1 / 0.75)


def test_a_recipe_that_learns_nothing_keeps_the_very_state() -> None:
    made = recipe()
    group = members(made, [{"math": YES}])
    state = State(version=7)
    assert learn(made, [("g", group, settled(made, group))], Conditions(state=state)) is state
