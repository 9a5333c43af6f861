"""Each shaping: its worked number, and what holds whatever comes in."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rewards.conditions import Conditions
from rewards.shaping.bounds import Affine, Clip, Threshold
from rewards.shaping.calibration import CalibrationShaping, calibrate
from rewards.shaping.confidence import Confidence, agreement, margin, vote_share
from rewards.shaping.ensemble import Ensemble, robust, uncertainty_weighted
from rewards.shaping.length import Cosine, Overlong, cosine, overlong
from rewards.shaping.reasoning_pattern import raise_score
from rewards.shaping.relative_length import efficient, kimi, o1_pruner
from rewards.shaping.sigmoid import LogSigmoid, Par, Sigmoid, log_sigmoid, percentile_85, preference
from rewards.shaping.standing import MinMax, RankShaping, ZScore, ranks
from rewards.shaping.steps import ClipAndDelta, MinForm, Steps, TokensShaping, clip_and_delta, min_form
from rewards.shaping.unlikeliness import unlikely
from rewards.shaping.verified import Verified
from rewards.shaping.verpo import move_rates, pass_rates, weights_of_tests
from rewards.state import State
from rewards.view import Unshapeable
from tests.rewards.situation import INVALID, NO, YES, priced, recipe, scored, view
from trueward.estimators.scores import sigmoid
from trueward.wire.sample import Sample

finite = st.floats(-1e6, 1e6)
small = st.floats(-20, 20)
lists = st.lists(small, min_size=1, max_size=12)


@given(finite)
def test_clip_and_threshold_stay_within_their_ends(value: float) -> None:
    assert -1 <= Clip(method="clip", low=-1, high=2).shape(value, view()) <= 2
    assert Threshold(method="threshold", at_least=1).shape(value, view()) == float(value >= 1)
    assert Affine(method="affine", scale=2, offset=-1).shape(value, view()) == 2 * value - 1


@given(small, small)
def test_the_sigmoid_is_bounded_monotone_and_symmetric(one: float, other: float) -> None:
    assert 0 < sigmoid(one) < 1
    assert sigmoid(one) + sigmoid(-one) == pytest.approx(1)
    assert (sigmoid(one) <= sigmoid(other)) == (one <= other) or one == pytest.approx(other)
    assert log_sigmoid(one) == pytest.approx(math.log(sigmoid(one)))


@pytest.mark.parametrize("value", [1e308, -1e308, 710.0, -710.0])
def test_no_score_is_too_large_for_a_sigmoid(value: float) -> None:
    assert 0 <= sigmoid(value) <= 1
    assert math.isfinite(log_sigmoid(value))
    assert Sigmoid(method="sigmoid").shape(value, view()) in (0.0, 1.0) or abs(value) < 1000


def test_par_is_the_mean_preference_over_the_references() -> None:
    assert preference(1.0, [0.0, 0.5, 1.5]) == pytest.approx(0.577020, abs=1e-6)
    sample = Sample(response="x", baseline_scores=[0, 0.5, 1.5])
    assert Par(method="par").shape(1.0, view(YES, sample)) == pytest.approx(0.577020, abs=1e-6)
    with pytest.raises(Unshapeable, match="baseline_scores"):
        Par(method="par").shape(1.0, view())


@given(small, small, lists)
def test_par_is_bounded_and_monotone(one: float, other: float, references: list[float]) -> None:
    assume(one < other)
    low, high = preference(one, references), preference(other, references)
    assert 0 < low <= high <= 1
    assert high < 1 or other - min(references) > 36, "a double cannot tell it from 1"


def test_log_sigmoid_is_centred_at_the_85th_percentile() -> None:
    assert log_sigmoid(0.5) + log_sigmoid(-1) == pytest.approx(-1.787339, abs=1e-6)
    # a mean of .5 and a deviation of .2
    reference = percentile_85([0.3, 0.7])
    assert reference == pytest.approx(0.7072, abs=1e-4)
    shaped = LogSigmoid(method="log_sigmoid").shape(1.0, view(YES, Sample(response="x", baseline_scores=[0.3, 0.7])))
    assert shaped == pytest.approx(-0.557463, abs=1e-4)
    assert LogSigmoid(method="log_sigmoid", centre=0.5).shape(1.0, view()) == log_sigmoid(0.5)


def test_tulu_pays_a_constant_for_a_verified_answer() -> None:
    shaping = Verified(method="tulu3")
    assert [shaping.shape(0.3, view(verdict)) for verdict in (YES, NO, INVALID)] == [10.0, 0.0, 0.0]


def test_ensembles() -> None:
    seen = view(scored(0.0, scores=[1, 2, 4]))
    assert Ensemble(method="ensemble").shape(0, seen) == pytest.approx(2.333333, abs=1e-6)
    assert Ensemble(method="ensemble", form="wco").shape(0, seen) == 1
    assert Ensemble(method="ensemble", form="uwo").shape(0, seen) == pytest.approx(1.555556, abs=1e-6)
    assert Ensemble(method="ensemble", form="uwo", ddof=1).shape(0, seen) == pytest.approx(1.166667, abs=1e-6)
    assert robust([0.8, 0.5, 0.6], (0.8 + 0.5 + 0.6) / 3) == pytest.approx(0.58)
    surest = view(scored(0.0, scores=[0.8, 0.5, 0.6], stds=[0.1, 0.3, 0.2]))
    assert Ensemble(method="ensemble", form="robust", nominal="surest").shape(0, surest) == pytest.approx(0.68)
    alike = Ensemble(method="ensemble", means=(1, 1, 1), stds=(1, 1, 3))
    assert alike.shape(0, seen) == pytest.approx(2 / 3)
    with pytest.raises(Unshapeable):
        Ensemble(method="ensemble").shape(0, view())


@given(lists, st.floats(0, 2))
def test_doubt_never_raises_an_ensembles_score(scores: list[float], coefficient: float) -> None:
    mean = sum(scores) / len(scores)
    assert uncertainty_weighted(scores, coefficient) <= mean + 1e-9
    assert min(scores) - 1e-9 <= robust(scores, mean) <= mean + 1e-9


def test_overlong_falls_within_the_cache_and_no_further() -> None:
    assert overlong(18_432, 20_480, 4_096) == -0.5
    assert [overlong(tokens, 20_480, 4_096) for tokens in (0, 16_384, 20_480, 10**9)] == [0, 0, -1, -1]
    assert Overlong(method="overlong").shape(1.0, view(YES, Sample(response="x", tokens=18_432))) == 0.5
    with pytest.raises(Unshapeable, match="tokens"):
        Overlong(method="overlong").shape(1.0, view())


def test_cosine_pays_short_right_answers_and_long_wrong_ones() -> None:
    assert [cosine(progress, 1.0, 0.5) for progress in (0, 0.5, 1, 7)] == pytest.approx([1.0, 0.75, 0.5, 0.5])
    shaping = Cosine(method="cosine", limit=100)

    def worth(verdict: object, tokens: int) -> float:
        assert verdict in (YES, NO)
        return shaping.shape(0, view(YES if verdict is YES else NO, Sample(response="x", tokens=tokens)))

    assert worth(YES, 10) > worth(YES, 90) > worth(NO, 90) > worth(NO, 10)
    assert worth(YES, 101) == -1


def test_relative_lengths() -> None:
    assert kimi([100, 200, 300], [True] * 3) == [0.5, 0.0, -0.5]
    assert kimi([100, 200, 300], [False] * 3) == [0.0, 0.0, -0.5]
    assert kimi([7, 7], [True, False]) == [0.0, 0.0]
    assert o1_pruner([100, 300], [True, False]) == pytest.approx([1.0, -1 / 3])
    assert efficient([100, 200, 900], [True, True, False]) == pytest.approx(
        [2 * sigmoid(1) - 1, -(2 * sigmoid(1) - 1), 0.0], abs=1e-5
    )
    assert efficient([100, 900], [True, False]) == [0.0, 0.0]


@given(st.lists(st.tuples(st.integers(1, 5000), st.booleans()), min_size=1, max_size=12))
def test_length_never_pays_for_a_wrong_answer(group: list[tuple[int, bool]]) -> None:
    lengths, correct = [float(length) for length, _ in group], [right for _, right in group]
    for terms in (kimi(lengths, correct), efficient(lengths, correct)):
        assert all(-1 <= term <= 1 for term in terms)
        assert all(term <= 0 for term, right in zip(terms, correct, strict=True) if not right)


def test_calibration_moves_a_reward_by_its_confidence() -> None:
    assert calibrate(1, 0.4, 0.9) == pytest.approx(1.48)
    assert calibrate(1, 0.4, 0.1) == pytest.approx(0.52)
    assert calibrate(1, 0.4, 0.5) == 1
    assert calibrate(-2, 0.4, 0.9, form="threshold") == pytest.approx(-3.6)
    shaping = CalibrationShaping(method="ppo_c")
    seen = view(YES.model_copy(update={"confidence": 0.9}), conditions=_state({"ppo_c:total": 0.4}))
    assert shaping.shape(1, seen) == 1, "the verifier's confidence is not the response's"
    for stated, worth in ((0.9, 1.48), (0.1, 0.52), (0.5, 1.0)):
        said = seen._replace(said={"own": scored(stated)})
        assert CalibrationShaping(method="ppo_c", confidence="own").shape(1, said) == pytest.approx(worth)
    assert CalibrationShaping(method="ppo_c", confidence="own").shape(1, seen) == 1
    assert shaping.learn(0.4, [1.0, 2.0]) == pytest.approx(0.1 * 1.5 + 0.9 * 0.4)
    assert shaping.learn(0.0, [1e9]) == pytest.approx(1.0)


def _state(averages: dict[str, float]) -> Conditions:
    return Conditions(state=State(averages=averages))


def test_confidence_is_a_gate_or_a_weight() -> None:
    sure, doubtful = (YES.model_copy(update={"confidence": value}) for value in (0.9, 0.3))
    gate, weight = Confidence(method="confidence"), Confidence(method="confidence", use="weight")
    assert (gate.shape(1, view(sure)), gate.shape(1, view(doubtful))) == (1, 0)
    assert weight.shape(2, view(doubtful)) == pytest.approx(0.6)
    assert agreement([1, 1, 1], 1.0) == 1
    assert agreement([0, 2], 1.0) == pytest.approx(math.exp(-1))
    assert vote_share([3, 1]) == 0.75
    assert margin([0.2, 0.7, 0.1]) == pytest.approx(0.5)
    votes = Confidence(method="confidence", use="weight", source="votes", evidence="votes")
    assert votes.shape(1, view(scored(1, votes=[3, 1]))) == 0.75


def test_the_pattern_of_reasoning_helps_where_the_model_doubts() -> None:
    assert raise_score(0.30, 0.35) == pytest.approx(0.335)
    assert raise_score(0.60, 0.35) == 0.60


def test_unlikely_right_answers_are_worth_more() -> None:
    shaped = unlikely([1, 0, 1, 1], [-0.1, -0.2, -0.9, -0.4], [True, False, True, True], 0.25)
    assert shaped == pytest.approx([0.8125, 0.0, 1.0, 0.9375])
    assert unlikely([1, 1], [-1, -1], [True, True]) == [1, 1]
    assert unlikely([1, 1, -1, -1], [-1, -9, -1, -9], [True, True, False, False]) == [0.875, 1, -1, -1]


def test_min_form_weighs_the_worst_step() -> None:
    assert min_form([0.8, -0.6, 0.2]) == pytest.approx([6.65e-7, -0.599798, 6.71e-5], abs=1e-6)
    assert sum(min_form([0.5, 0.4, 0.9])) == pytest.approx(0.429213, abs=1e-6)
    seen = view(scored(0.0, step_scores=[0.5, 0.4, 0.9]))
    assert MinForm(method="min_form").shape(0, seen) == pytest.approx(0.429213, abs=1e-6)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=10))
def test_min_form_lies_between_the_worst_and_the_mean(steps: list[float]) -> None:
    assert sum(min_form(steps, 1e-4)) == pytest.approx(min(steps), abs=1e-3)
    assert sum(min_form(steps, 1e6)) == pytest.approx(sum(steps) / len(steps), abs=1e-4)
    assert min(steps) - 1e-9 <= sum(min_form(steps, 0.3)) <= sum(steps) / len(steps) + 1e-9


@given(st.lists(st.none() | small, min_size=1, max_size=12))
def test_standing_leaves_missing_scores_out(values: list[float | None]) -> None:
    views = [view()] * len(values)
    for shaping in (ZScore(method="z_score"), RankShaping(method="rank"), MinMax(method="min_max")):
        shaped = shaping.shape_group(values, views)
        assert [new is None for new in shaped] == [value is None for value in values]
        there = [pair for pair in zip(values, shaped, strict=True) if None not in pair]
        for value, new in there:
            for other, other_new in there:
                assert value is not None
                assert new is not None
                assert other is not None
                assert other_new is not None
                assert value > other or new <= other_new


def test_ranks_share_ties() -> None:
    assert ranks([3, 1, 1]) == [1.0, 0.25, 0.25]
    assert ranks([3]) == [0.5]


def test_tests_that_many_pass_weigh_less() -> None:
    weights = weights_of_tests([1, 1, 0.25], 1, 0.1, 0)
    assert weights == pytest.approx([0.183940, 0.183940, 0.778801], abs=1e-6)
    assert weights[2] > weights[0] + weights[1]
    assert pass_rates([[1, 0], [1, 1]]) == [1.0, 0.5]
    assert move_rates((1.0, 0.5), [0.0, 0.5]) == pytest.approx((0.9, 0.5))
    assert move_rates((1.0,), [0.0, 0.5]) == (0.0, 0.5)


def test_clip_and_delta_telescopes_and_pays_repeated_steps_nothing() -> None:
    steps = [0.9, 0.6, 0.8, 1.0]
    assert clip_and_delta(steps, None) == pytest.approx([0.3, -0.2, 0.8, 0])
    assert clip_and_delta(steps, 0.7) == pytest.approx([0.1, -0.1, 0, 0])
    repeated = [0.9, *[0.6] * 5, 0.8, 1.0]
    assert math.fsum(clip_and_delta(repeated, 0.7)) == pytest.approx(math.fsum(clip_and_delta(steps, 0.7)))
    assert clip_and_delta([0.4], 0.7) == [0.0]


def test_rewards_of_steps_and_tokens_stand_beside_the_reward() -> None:
    said = scored(0.5, step_scores=[0.9, 0.6, 0.8], token_scores=[0.1, -0.2])
    plain, clipped = Steps(method="steps"), ClipAndDelta(method="clip_and_delta", threshold=0.7)
    assert plain.step_rewards(view(said)) == [0.9, 0.6, 0.8]
    assert plain.shape(0.5, view(said)) == 0.5
    assert clipped.step_rewards(view(said)) == pytest.approx([0.1, -0.1, 0.0])
    assert clipped.shape(0.5, view(said)) == pytest.approx(0), "the verifier's score is replaced"
    assert TokensShaping(method="tokens").token_rewards(view(said)) == [0.1, -0.2]
    made = recipe(terms=[{"name": "math", "verifier": "math"}], shaping=["steps", "tokens"], range=[0, 1])
    reward = priced(made, math=said)
    assert (reward.reward, reward.step_rewards, reward.token_rewards) == (0.5, [0.9, 0.6, 0.8], [0.1, -0.2])
    assert (reward.step_spans, reward.token_spans) == (None, None)
    placed = said.model_copy(
        update={"evidence": {**said.evidence, "step_spans": [[0, 2], [3, 4], [4, 9]], "token_spans": [[0, 2], [2, -1]]}}
    )
    reward = priced(made, math=placed)
    assert (reward.step_spans, reward.token_spans) == ([(0, 2), (3, 4), (4, 9)], None)
    for wrong in ([[0, 2]], [[0, 2]] * 2, "0", [[0, 1.5]] * 3, [[0, 1, 2]] * 3):
        odd = said.model_copy(update={"evidence": {**said.evidence, "step_spans": wrong}})
        assert priced(made, math=odd).step_spans is None
    with pytest.raises(Unshapeable, match="step_scores"):
        Steps(method="steps").shape(0.5, view(scored(0.5)))
