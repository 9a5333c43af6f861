"""Groups: what depends on the others, what becomes of missing scores, what is kept, and what a run remembers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.conditions import Conditions
from rewards.learning import learn
from rewards.rules.policy_filtration import probabilities
from rewards.rules.semi_supervised import correlation
from rewards.rules.spread import move_average
from rewards.state import State
from tests.rewards.situation import INVALID, NO, OURS, YES, members, recipe, scored, settled, values
from trueward.wire.verdict import Verdict

verdicts = st.lists(st.sampled_from([YES, NO, INVALID, OURS]), min_size=1, max_size=8)


def of(*said: Verdict) -> list[dict[str, Verdict]]:
    return [{"math": one} for one in said]


@pytest.mark.parametrize(
    ("said", "rate", "kept", "reason"),
    [
        ((YES, NO), 0.5, True, ""),
        ((YES, YES), 1.0, False, "all_right"),
        ((NO, INVALID), 0.0, False, "all_wrong"),
        ((YES, OURS), 1.0, False, "all_right"),
        ((OURS, OURS), None, False, "no_outcome"),
        ((YES,), 1.0, False, "all_right"),
    ],
)
def test_dynamic_sampling_looks_at_outcomes(
    said: tuple[Verdict, ...], rate: float | None, kept: bool, reason: str
) -> None:
    made = recipe(group={"rules": ["dynamic_sampling"]}, shaping=[{"affine": {"offset": 3}}])
    result = settled(made, members(made, of(*said)))
    assert (result.group.success_rate, result.group.kept, result.group.reason) == (rate, kept, reason)
    assert result.group.all_fail == (rate == 0)
    assert {reward.kept for reward in result.rewards} == {kept}


@given(verdicts)
def test_a_group_without_rules_says_nothing_of_keeping(said: list[Verdict]) -> None:
    made = recipe()
    group = members(made, of(*said))
    result = settled(made, group)
    assert result.group.kept is None
    assert [reward.reward for reward in result.rewards] == [member.reward.reward for member in group]
    assert (result.group.size, result.group.scored) == (len(said), sum(one is not OURS for one in said))
    assert sum(result.group.centred) == pytest.approx(0)


@given(verdicts, st.sampled_from(["null", "mean", "drop"]), st.sampled_from([[], ["rank"], ["z_score"], ["min_max"]]))
def test_a_failure_of_ours_is_never_more_than_the_recipe_says(
    said: list[Verdict], missing: str, shaping: list[str]
) -> None:
    made = recipe(missing=missing, shaping=shaping)
    result = settled(made, members(made, of(*said)))
    there = [reward.reward for reward in result.rewards if not reward.outcome.missing]
    for one, reward in zip(said, result.rewards, strict=True):
        if one is OURS and missing == "mean" and there:
            numbers = [number for number in there if number is not None]
            assert reward.reward == pytest.approx(sum(numbers) / len(numbers))
        elif one is OURS:
            assert reward.reward is None
            assert reward.kept is (False if missing == "drop" else None)
        else:
            assert reward.reward is not None


@given(verdicts)
def test_what_fails_on_our_side_moves_nobody_else(said: list[Verdict]) -> None:
    made = recipe(shaping=["z_score"])
    alone = values(settled(made, members(made, of(*said))))
    assert values(settled(made, members(made, of(*said, OURS)))) == [*alone, None]


def test_members_are_not_changed() -> None:
    made = recipe(missing="mean", group={"rules": ["zero_variance"]})
    group = members(made, of(YES, OURS))
    settled(made, group)
    assert [(member.reward.reward, member.reward.kept) for member in group] == [(1.0, None), (None, None)]


def test_relative_length_needs_tokens_and_the_group() -> None:
    made = recipe(shaping=["kimi_length"])
    assert made.needs_group
    result = settled(made, members(made, of(YES, YES, NO), tokens=[100, 200, 300]))
    assert values(result) == [1.5, 1.0, -0.5]
    lacking = settled(made, members(made, of(YES, YES, NO), tokens=[100, None, 300]))
    assert values(lacking) == [1.5, None, -0.5]
    assert lacking.rewards[1].reason_code == "no_tokens"


def test_a_response_that_cannot_be_judged_does_not_escape_by_lacking_something() -> None:
    made = recipe(shaping=[{"min_form": {}, "term": "math"}], range=[-1, 1], terms=["math"])
    result = settled(made, members(made, of(scored(0.0, step_scores=[0.5, 0.4]), INVALID, scored(0.0))))
    assert values(result)[1:] == [-1, None]
    assert result.rewards[0].step_rewards == pytest.approx([0.1345, 0.2924], abs=1e-3)


def test_objectives_are_normalised_over_the_group_in_a_recipe() -> None:
    made = recipe(terms=["math", "length"], combine={"mo_grpo": {"epsilon": 0}}, invalid=-9)
    said = [{"math": a, "length": scored(b)} for a, b in zip([YES, NO, NO, YES], [10, 20, 30, 40], strict=True)]
    result = settled(made, members(made, said))
    assert values(result) == pytest.approx([-0.295870, -1.253324, -0.478727, 2.027920], abs=1e-6)


def test_constraint_judges_gate_a_calibrated_reward() -> None:
    made = recipe(
        terms=["rm", "judge"],
        combine="product",
        shaping=[{"par": {}, "term": "rm"}],
    )
    said = [{"rm": scored(2.0), "judge": YES}, {"rm": scored(1.0), "judge": NO}]
    result = settled(made, members(made, said, baseline_scores=[[1], [1]]))
    assert values(result) == pytest.approx([0.731059, 0.0], abs=1e-6)
    assert result.group.centred == pytest.approx([0.365529, -0.365529], abs=1e-6)


def _tests(*passed: bool) -> Verdict:
    score = sum(passed) / len(passed)
    evidence = {"tests": [{"status": "passed" if one else "failed"} for one in passed]}
    if all(passed):
        return Verdict.correct("all_passed", evidence=evidence)
    return Verdict.partial(score, "some_passed", evidence=evidence)


def test_hard_tests_outweigh_easy_ones() -> None:
    made = recipe(terms=["code"], shaping=[{"verpo": {"delta": 0, "share": 1}, "term": "code"}])
    said = [_tests(True, True, False)] * 3 + [_tests(True, True, True)]
    result = settled(made, members(made, [{"code": one} for one in said]))
    assert values(result) == pytest.approx([0.367879] * 3 + [1 + 0.367879 + 0.778801], abs=1e-6)


def test_running_pass_rates_come_from_the_state() -> None:
    made = recipe(terms=["code"], shaping=[{"verpo": {"statistics": "ema", "delta": 0, "share": 1}, "term": "code"}])
    group = members(made, [{"code": _tests(True, False)}, {"code": _tests(True, True)}])
    first = settled(made, group)
    after = learn(made, [("g", group, first)], Conditions())
    assert after.tests["g"] == (1.0, 0.5)
    again = learn(made, [("g", members(made, [{"code": _tests(False, False)}]), first)], Conditions(state=after))
    assert again.tests["g"] == pytest.approx((0.9, 0.45))
    other = settled(made, group, Conditions(state=State(tests={"g": (0.0, 0.0)})))
    assert values(other) != values(first)


def test_the_std_filter_follows_the_run() -> None:
    made = recipe(group={"rules": [{"std_filter": {"share": 0.5}}]})
    wide, narrow = of(YES, NO), of(YES, *[NO] * 63)
    early = settled(made, members(made, narrow), Conditions(step=10, state=State(averages={"std_filter": 0.7})))
    late = settled(made, members(made, narrow), Conditions(step=11, state=State(averages={"std_filter": 0.7})))
    assert (early.group.kept, late.group.kept, late.group.reason) == (True, False, "low_spread")
    assert move_average(0.20, 0.10, 0.99) == pytest.approx(0.199)
    group = members(made, wide)
    done = settled(made, group)
    for step, expected in ((5, {}), (6, {"std_filter": pytest.approx(0.707107, abs=1e-6)})):
        assert learn(made, [("g", group, done)], Conditions(step=step)).averages == expected


def test_calibration_learns_the_mean_of_what_it_was_given() -> None:
    made = recipe(terms=["rm"], shaping=[{"ppo_c": {"start": 0.0}, "term": "rm"}])
    group = members(made, [{"rm": scored(1.0)}, {"rm": scored(3.0)}])
    after = learn(made, [("g", group, settled(made, group))], Conditions())
    assert after.averages == {"ppo_c:rm": pytest.approx(0.2)}


def test_the_worked_resampling() -> None:
    assert probabilities([2, -1, 0]) == pytest.approx([0.8, 0.2, 0.0], abs=1e-7)
    assert probabilities([3, 1, 2], "max_min") == pytest.approx([0.5, 0.5, 0.0], abs=1e-7)
    assert probabilities([3, 1, None], "max_random") == pytest.approx([0.8, 0.2, 0.0])
    assert probabilities([None]) == [0.0]
    assert probabilities([0, 0]) == [0.5, 0.5]
    made = recipe(group={"rules": ["policy_filtration"]})
    assert settled(made, members(made, of(YES, NO))).group.draw == pytest.approx([1, 0], abs=1e-7)


@given(st.lists(st.none() | st.floats(-1e150, 1e150), min_size=1, max_size=9), st.sampled_from(["pow", "max_min"]))
def test_probabilities_sum_to_one(rewards: list[float | None], form: str) -> None:
    drawn = probabilities(rewards, "pow" if form == "pow" else "max_min")
    assert sum(drawn) == pytest.approx(float(any(reward is not None for reward in rewards)))


def test_unlabelled_prompts_are_kept_where_they_learn_as_labelled_ones() -> None:
    assert correlation([0.1, 0.2, 0.3], [0.2, 0.4, 0.6]) == pytest.approx(1)
    assert correlation([0.9, 0.1, 0.5, 0.3], [0.2, 0.6, 0.4]) == pytest.approx(1), "the latest common stretch"
    assert correlation([1.0, 0.75, 0.5, 0.25], [0.25, 0.5, 0.75, 1.0]) == pytest.approx(-1)
    assert (correlation([0.5, 0.5], [0.1, 0.2]), correlation([0.1], [0.2, 0.3]), correlation([], [])) == (None,) * 3
    made = recipe(group={"rules": ["semi_supervised"]})
    group = members(made, of(YES, NO))

    def reason(history: list[float] | None, labelled: list[float]) -> str:
        histories = {} if history is None else {"g": history}
        return settled(made, group, Conditions(histories=histories, labelled_history=labelled)).group.reason

    rising = [0.2, 0.4, 0.6]
    assert reason([0.1, 0.2, 0.4], rising) == ""
    assert reason([0.4, 0.2, 0.1], rising) == "unlike_labelled"
    assert reason([0.0, 0.0, 0.0], rising) == "history_is_flat"
    assert {reason(None, rising), reason([0.1, 0.2], rising), reason(rising, rising[:2])} == {"warming_up"}
    labelled = members(made, of(YES, NO), reference=["5", "5"])
    assert settled(made, labelled, Conditions(labelled_history=rising)).group.kept


def test_the_band_of_difficulty() -> None:
    made = recipe(group={"rules": [{"accuracy_band": {"low": 0.3, "high": 0.6}}]})
    reasons = [settled(made, members(made, of(*said))).group.reason for said in ((YES, NO), (NO, NO), (YES, YES))]
    assert reasons == ["", "too_hard", "too_easy"]
