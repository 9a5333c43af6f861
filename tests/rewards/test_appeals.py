"""Appeals: the worked estimate, its mean, what overturning changes, and what the run's state becomes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from audits.statistics.proportion import wilson
from rewards.conditions import Conditions
from rewards.judging import due
from rewards.learning import learn
from rewards.noise.appeals import Appeals, AppealState, AppealTally, residual, rights, update_state
from rewards.noise.ratio import Moments, Recheck, estimate
from rewards.recipe import parse_recipe
from rewards.state import State
from tests.rewards.situation import NO, OURS, YES, members, pay, priced, recipe, settled
from trueward.errors import InvalidRecipe
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

WORKED = AppealTally(accepted=60, rejected=40, appealed=10, answered=10, overturned=3)
NOISE: dict[str, Any] = {"false_positive": 0.0, "false_negative": 0.1, "appeals": {"verifier": "judge", "share": 0.5}}


def test_the_worked_estimate() -> None:
    appeals = Appeals(verifier="judge")
    assert rights(WORKED, appeals, 0.0) == (12, 60)
    assert update_state(AppealState(false_negative=0.1), WORKED, appeals, 0.0).false_negative == pytest.approx(
        0.106667, abs=1e-6
    )


def test_a_batch_that_says_nothing_leaves_the_estimate() -> None:
    before = AppealState(false_negative=0.1)
    assert update_state(before, AppealTally(accepted=60, rejected=0), Appeals(verifier="judge"), 0.0) is before
    assert (
        update_state(before, AppealTally(accepted=60, rejected=9, appealed=3), Appeals(verifier="judge"), 0.0) is before
    )


def test_the_estimate_is_capped_and_may_be_a_posterior() -> None:
    all_missed = AppealTally(accepted=0, rejected=40, appealed=10, answered=10, overturned=10)
    fast = Appeals(verifier="judge", rate=1.0)
    assert update_state(AppealState(false_negative=0.1), all_missed, fast, 0.0).false_negative == 0.5
    beta = Appeals(verifier="judge", smoothing="beta", prior=(1.0, 9.0))
    state = update_state(AppealState(false_negative=0.1), WORKED, beta, 0.0)
    assert state.false_negative == pytest.approx((1 + 12) / (10 + 72))
    twice = update_state(state, WORKED, beta, 0.0)
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
        batch = rights(AppealTally(answered=counts["appealed"], **counts), appeals, positive)
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


def learnt(noise: dict[str, Any], said: Sequence[Mapping[str, Verdict]], times: int, **before: Any) -> State:
    """The state after ``times`` groups with these verdicts, in one request."""
    made = parse_recipe({"terms": ["math"], "noise": noise})
    groups = []
    for place in range(times):
        group = members(made, said)
        groups.append((f"g{place}", group, settled(made, group)))
    return learn(made, groups, Conditions(**{"state": State(), **before}))


OFTEN = {**NOISE, "appeals": {"verifier": "judge", "share": 1.0, "rate": 0.5}}
EIGHT_RIGHT = [{"math": YES}] * 6 + [{"math": NO, "math:appeal": YES}] * 2 + [{"math": NO, "math:appeal": NO}] * 2


def test_the_state_follows_the_appeals_of_a_request() -> None:
    made = parse_recipe({"terms": ["math"], "noise": OFTEN})
    after = learnt(OFTEN, EIGHT_RIGHT, 20)
    assert after.version == 1
    assert after.appeals["math"].false_negative == pytest.approx(2 / 8)
    reward = priced(made, conditions=Conditions(state=after), math=YES)
    assert reward.estimate == "appeals@1"
    assert reward.reward == pytest.approx(1 / 0.75)
    assert reward.uncertainty is not None
    assert reward.uncertainty > 0


def test_an_earlier_version_follows_the_average_of_ratios() -> None:
    noise = {**OFTEN, "version": 2}
    once = learnt(noise, EIGHT_RIGHT, 1)
    assert once.appeals["math"].false_negative == pytest.approx(0.5 * 0.1 + 0.5 * 2 / 8)
    assert once.appeals["math"].moments is None
    made = parse_recipe({"terms": ["math"], "noise": noise})
    assert priced(made, conditions=Conditions(state=once), math=YES).reward == pytest.approx(1 / 0.825)


def test_what_few_appeals_cannot_say_is_as_stated_or_refused() -> None:
    after = learnt(OFTEN, EIGHT_RIGHT, 1)
    stated = priced(parse_recipe({"terms": ["math"], "noise": OFTEN}), conditions=Conditions(state=after), math=YES)
    assert stated.reward == pytest.approx(1 / 0.9)
    assert stated.estimate == "appeals@1: false_negative as stated"
    silent = {key: value for key, value in OFTEN.items() if key != "false_negative"}
    made = parse_recipe({"terms": ["math"], "noise": silent})
    for state in (State(), learnt(silent, EIGHT_RIGHT, 1)):
        refused = priced(made, conditions=Conditions(state=state), math=YES)
        assert (refused.reward, refused.outcome, refused.reason_code) == (None, Outcome.ABSTAINED, "uncorrectable")
        assert "state a false_negative to start from" in refused.reason
    paid = priced(made, conditions=Conditions(state=learnt(silent, EIGHT_RIGHT, 20)), math=YES)
    assert paid.reward == pytest.approx(1 / 0.75)


def test_a_rate_that_may_leave_no_information_is_refused() -> None:
    """Whatever the recipe stated to start from: the appeals know better."""
    noise = {**OFTEN, "false_positive": 0.45, "appeals": {**OFTEN["appeals"], "cap": 0.54}}
    many = [{"math": YES}] * 5 + [{"math": NO, "math:appeal": YES}] * 5
    made = parse_recipe({"terms": ["math"], "noise": noise})
    refused = priced(made, conditions=Conditions(state=learnt(noise, many, 60)), math=YES)
    assert refused.reason_code == "uncorrectable"


def test_overturning_narrows_the_interval_with_the_rate() -> None:
    noise = {**OFTEN, "appeals": {**OFTEN["appeals"], "overturn": True, "judge_true_positive": 0.9}}
    made = parse_recipe({"terms": ["math"], "noise": noise})
    found = made.terms[0].noise
    assert found is not None
    state = learnt(noise, EIGHT_RIGHT, 20).appeals["math"]
    rate = found.rates(None, state, 1)
    assert rate is not None
    assert state.interval is not None
    assert rate.pooled.false_negative_interval == pytest.approx([end * (1 - 0.9) for end in state.interval])


def test_requests_of_one_step_are_one_batch_of_the_average() -> None:
    first, second = EIGHT_RIGHT, [{"math": YES}] * 10
    one_step = learnt(OFTEN, second, 20, step=4, state=learnt(OFTEN, first, 20, step=4))
    assert one_step.appeals["math"].false_negative == pytest.approx(2 / 18)
    next_step = learnt(OFTEN, second, 20, step=5, state=learnt(OFTEN, first, 20, step=4))
    assert next_step.appeals["math"].false_negative == pytest.approx(0.5 * 2 / (0.5 * 8 + 10))
    late = learnt(OFTEN, second, 20, step=3, state=learnt(OFTEN, first, 20, step=4))
    assert late.appeals["math"].false_negative == pytest.approx(2 / 18)
    posterior = {**OFTEN, "appeals": {**OFTEN["appeals"], "smoothing": "beta", "prior": (1.0, 9.0)}}
    forgets_nothing = learnt(posterior, second, 20, step=5, state=learnt(posterior, first, 20, step=4))
    assert forgets_nothing.appeals["math"].false_negative == pytest.approx((1 + 40) / (10 + 360))


def test_no_right_response_says_nothing() -> None:
    after = learnt(OFTEN, [{"math": NO, "math:appeal": NO}] * 4, 5)
    assert (after.appeals["math"].interval, after.appeals["math"].false_negative) == (None, 0.1)


class Drawn(NamedTuple):
    """A simulated run: prompts a step, responses a prompt, the rates, and how alike the responses of a prompt are."""

    prompts: int
    size: int
    missed: float
    positive: float
    judge: Recheck
    alike: float
    steps: int


SMALL = Drawn(8, 8, 0.15, 0.0, Recheck(0.25, 1.0, 0.0), 0.3, 40)
SINGLE = Drawn(20, 1, 0.15, 0.0, Recheck(0.25, 1.0, 0.0), 0.0, 25)
CASES = [
    SMALL,
    SINGLE,
    Drawn(64, 8, 0.15, 0.05, Recheck(0.25, 0.9, 0.1), 0.3, 10),
    Drawn(64, 8, 0.02, 0.02, Recheck(0.25, 1.0, 0.0), 0.1, 10),
    Drawn(64, 8, 0.3, 0.0, Recheck(0.5, 1.0, 0.0), 0.5, 10),
]


def simulated(case: Drawn, generator: np.random.Generator) -> Moments:
    """Moments of a run whose false-negative rate is known: two in five responses are right."""
    moments = Moments()
    for step in range(case.steps):
        chances = []
        for mean in (0.4, case.missed, case.positive):
            of_each = np.full(case.prompts, mean)
            if case.alike and 0 < mean < 1:
                worth = (1 - case.alike) / case.alike
                of_each = generator.beta(mean * worth, (1 - mean) * worth, case.prompts)
            chances.append(generator.random((case.prompts, case.size)) < of_each[:, None])
        right = chances[0]
        accepted = np.where(right, ~chances[1], chances[2])
        appealed = ~accepted & (generator.random(right.shape) < case.judge.share)
        heard = np.where(right, case.judge.hits, case.judge.alarms)
        overturned = appealed & (generator.random(right.shape) < heard)
        counts = [each.sum(axis=1).tolist() for each in (accepted, ~accepted, overturned)]
        asked = int(appealed.sum())
        moments = moments.with_groups(list(zip(*counts, strict=True)), asked, asked, keep=0.99, step=step)
    return moments


@pytest.mark.parametrize("case", CASES)
def test_the_interval_of_appeals_holds_the_true_rate(case: Drawn) -> None:
    """100 runs a case, simulated without the code that is tested; nominal 95%."""
    generator = np.random.default_rng(3)
    found = [estimate(simulated(case, generator), case.judge, case.positive) for _ in range(100)]
    known = [one for one in found if one is not None]
    assert len(known) >= 98
    covered = [one.interval[0] <= case.missed <= one.interval[1] for one in known]
    assert np.mean(covered) >= 0.9, "two standard errors below 93% would be 88%"
    assert np.mean([one.rate for one in known]) == pytest.approx(case.missed, rel=0.1)
    assert all(one.interval[0] < one.interval[1] for one in known)


def test_groups_that_are_all_alike_have_an_interval_too() -> None:
    """No spread between groups is no certainty: at most that of as many responses, each on its own."""
    moments = Moments().with_groups([(3, 1, 1)] * 40, 40, 40, keep=1.0, step=None)
    found = estimate(moments, Recheck(1.0, 1.0, 0.0), 0.0)
    assert found is not None
    assert found.rate == 0.25
    assert found.interval == pytest.approx(wilson(40, 160), abs=1e-6)


def test_an_average_of_ratios_was_far_off_where_requests_are_small() -> None:
    """What made the ratio of averages necessary: one response a request."""
    generator, state = np.random.default_rng(0), AppealState(false_negative=0.15)
    appeals, moments = Appeals(verifier="judge", share=0.25), Moments()
    averages = []
    for _ in range(4000):
        right = generator.random() < 0.4
        accepted = bool(right and generator.random() >= 0.15)
        appealed = not accepted and generator.random() < 0.25
        tally = AppealTally(int(accepted), int(not accepted), int(appealed), int(appealed), int(appealed and right))
        state = update_state(state, tally, appeals, 0.0)
        averages.append(state.false_negative)
        moments = moments.with_groups(
            [(tally.accepted, tally.rejected, tally.overturned)], tally.appealed, tally.answered, keep=1.0, step=None
        )
    found = estimate(moments, Recheck(0.25, 1.0, 0.0), 0.0)
    assert found is not None
    assert found.rate == pytest.approx(0.15, abs=0.03)
    assert np.mean(averages[200:]) > 0.4


def test_a_recipe_that_learns_nothing_keeps_the_very_state() -> None:
    made = recipe()
    group = members(made, [{"math": YES}])
    state = State(version=7)
    assert learn(made, [("g", group, settled(made, group))], Conditions(state=state)) is state
