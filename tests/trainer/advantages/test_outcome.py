"""Advantages of whole responses: worked numbers, groups in any order, missing rewards, what a method refuses."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome
from trueward_trainer.advantages import (
    ESTIMATORS,
    AdvantageConfig,
    Scored,
    advantages,
    advice,
    compares_groups,
    is_mixed,
    rates_differ,
)

COMPARING = ["grpo", "dr_grpo", "rloo", "gpg", "gpg_verl"]
TENSORS = {
    "pure": ("token_rewards", "step_ends"),
    "prime": ("token_rewards",),
    "verifree": ("answer_mask",),
    "capo": ("token_rewards",),
    "renorm": ("token_rewards",),
    "vps": ("token_rewards",),
}
READ_OUTCOMES = ["capo", "debiased", "labels", "nsr", "psr", "w_reinforce"]


def scored(
    rewards: Sequence[float | None],
    groups: Sequence[int] | None = None,
    *,
    right: Sequence[bool | None] | None = None,
    weights: Sequence[float | None] | None = None,
    lengths: Sequence[int] | None = None,
) -> Scored:
    """Responses of one group, of one token each, where nothing else is said."""
    sizes = lengths or [1] * len(rewards)
    mask = (torch.arange(max([*sizes, 1]))[None] < torch.tensor(sizes)[:, None]).float()
    tensors = {name: torch.zeros_like(mask) for name in ("token_rewards", "step_ends", "answer_mask")}
    return Scored(rewards, groups or [0] * len(rewards), mask, right, weights, **tensors)


def firsts(name: str, given_: Scored, config: AdvantageConfig | None = None) -> list[float]:
    """The advantage of each response's first token."""
    found: list[float] = advantages(name, given_, config).values[:, 0].tolist()
    return found


EXACT = AdvantageConfig(ddof=0, epsilon=0)


@pytest.mark.parametrize(
    ("name", "config", "expected"),
    [
        ("grpo", None, [1.499997, -0.499999, -0.499999, -0.499999]),
        ("grpo", EXACT, [1.732051, -0.577350, -0.577350, -0.577350]),
        ("dr_grpo", None, [0.75, -0.25, -0.25, -0.25]),
        ("dr_grpo", AdvantageConfig(scale=0.5), [1.5, -0.5, -0.5, -0.5]),
        ("rloo", None, [1.0, -1 / 3, -1 / 3, -1 / 3]),
        ("gpg", None, [0.75, -0.25, -0.25, -0.25]),
        ("gpg_verl", None, [3.0, -1.0, -1.0, -1.0]),
        ("raw", None, [1.0, 0.0, 0.0, 0.0]),
        ("pass_at_k", None, [1.0, 0.0, 0.0, 0.0]),
        ("psr", None, [1.0, 0.0, 0.0, 0.0]),
        ("nsr", None, [0.0, -1.0, -1.0, -1.0]),
        ("w_reinforce", None, [0.1, -1.0, -1.0, -1.0]),
        ("labels", None, [1.0, -1.0, -1.0, -1.0]),
    ],
)
def test_the_worked_group_of_four(name: str, config: AdvantageConfig | None, expected: list[float]) -> None:
    assert firsts(name, scored([1, 0, 0, 0]), config) == pytest.approx(expected, abs=1e-6)


def test_the_baseline_of_opo_weighs_by_length() -> None:
    assert firsts("opo", scored([1, 0, 1, 1], [7, 7, 8, 8], lengths=[10, 30, 3, 4])) == [0.75, -0.25, 0, 0]


def test_the_factor_of_gpg_is_that_of_the_update() -> None:
    """Four of the six that are there are in groups with spread, two have a reward that is not 0; one is missing."""
    given_ = scored([1, 0, 0.5, 0, 0, 0, None], [1, 1, 2, 2, 3, 3, 3])
    assert firsts("gpg", given_) == pytest.approx([0.75, -0.75, 0.375, -0.375, 0, 0, 0])
    assert firsts("gpg_verl", given_) == pytest.approx([1.5, -1.5, 0.75, -0.75, 0, 0, 0])


def test_the_factor_of_gpg_does_not_depend_on_what_a_wrong_answer_costs() -> None:
    """All right, one of four right, all wrong: four of twelve are in a group that teaches."""
    groups = [0] * 4 + [1] * 4 + [2] * 4
    for wrong in (0.0, -1.0, 0.5):
        rewards = [1.0] * 5 + [wrong] * 7
        assert firsts("gpg", scored(rewards, groups))[4] == pytest.approx(3 * 0.75 * (1 - wrong))


def test_ties_for_the_best_earn_nothing() -> None:
    assert firsts("pass_at_k", scored([1, 1, 0])) == [0, 0, 0]
    assert firsts("pass_at_k", scored([0.9, 0.2, 0.5])) == pytest.approx([0.4, 0, 0])


def test_a_forward_correction_learns_from_its_weights() -> None:
    weights = [0.2, -0.8, None]
    assert firsts("forward", scored([1, 0, None], weights=weights)) == pytest.approx([0.2, -0.8, 0])
    with pytest.raises(ValueError, match="no weight"):
        advantages("forward", scored([1, 0], weights=[0.2, None]))
    with pytest.raises(ValueError, match="no weight"):
        advantages("forward", scored([1, 0]))


def test_the_debiased_group() -> None:
    config = AdvantageConfig(false_positive=0.1, false_negative=0.2)
    found = firsts("debiased", scored([1, 1, 1, 0]), config)
    # the clipped rate, .875, and its variance make the spread; the corrected rewards are centred at their own mean
    assert found == pytest.approx([0.733728] * 3 + [-2.201183], abs=1e-5)
    free = AdvantageConfig(false_positive=0.0, false_negative=0.0)
    assert firsts("debiased", scored([1, 1, 0, 0]), free) == firsts("grpo", scored([1, 1, 0, 0]), EXACT)


def test_a_z_score_removes_a_backward_correction_and_a_leave_one_out_keeps_its_scale() -> None:
    raw, corrected = [1.0, 1.0, 0.0, 0.0], [1.285714285714, 1.285714285714, -0.142857142857, -0.142857142857]
    exact = AdvantageConfig(epsilon=0)
    expected = pytest.approx([0.866025, 0.866025, -0.866025, -0.866025], abs=1e-6)
    assert firsts("grpo", scored(raw), exact) == expected
    assert firsts("grpo", scored(corrected), exact) == expected
    assert firsts("rloo", scored(corrected)) == pytest.approx([one / 0.7 for one in firsts("rloo", scored(raw))])


def test_what_is_right_counts_not_the_shaped_reward() -> None:
    shaped = scored([0.8, 0.3, 0.6, None], right=[True, False, None, None])
    assert firsts("w_reinforce", shaped) == pytest.approx([0.1, -1, 0, 0])
    with pytest.raises(ValueError, match="0 or 1"):
        advantages("w_reinforce", scored([0.8, 0.3]))


def test_dropped_and_missing_responses_do_not_learn() -> None:
    four = scored([1, 0, None, 1])
    assert advantages("psr", four).learns.tolist() == [True, False, False, True]
    assert advantages("nsr", four).learns.tolist() == [False, True, False, False]
    assert advantages("w_reinforce", four).learns.tolist() == [True, True, False, True]
    assert advantages("grpo", scored([1, 1, None])).learns.tolist() == [True, True, False]


rewards_and_groups = st.lists(st.tuples(st.none() | st.floats(-100, 100), st.integers(0, 3)), min_size=2, max_size=16)


@pytest.mark.parametrize("name", COMPARING)
@settings(max_examples=60, deadline=None)
@given(rows=rewards_and_groups)
def test_advantages_of_a_group_sum_to_nothing(name: str, rows: list[tuple[float | None, int]]) -> None:
    rewards, groups = [row[0] for row in rows], [row[1] for row in rows]
    if max(map(groups.count, groups)) < 2:
        return
    found = firsts(name, scored(rewards, groups))
    for group in set(groups):
        assert sum(a for a, of in zip(found, groups, strict=True) if of == group) == pytest.approx(0, abs=1e-3)
    assert all(a == 0 for a, reward in zip(found, rewards, strict=True) if reward is None)


@pytest.mark.parametrize("name", ESTIMATORS.names())
def test_a_missing_reward_gives_nothing_and_changes_nothing_for_the_others(name: str) -> None:
    with_it = scored([1, 0, None, 0, 1], [0, 0, 0, 1, 1], weights=[0.1, 0.2, None, 0.3, 0.4])
    without = scored([1, 0, 0, 1], [0, 0, 1, 1], weights=[0.1, 0.2, 0.3, 0.4])
    found = firsts(name, with_it)
    assert found.pop(2) == 0
    assert found == pytest.approx(firsts(name, without))


@pytest.mark.parametrize("name", ESTIMATORS.names())
def test_the_order_of_the_responses_means_nothing(name: str) -> None:
    order = [3, 0, 5, 1, 4, 2]
    rewards, groups, lengths = [1, 0, 0, 1, 1, None], [4, 4, 4, 9, 9, 9], [3, 1, 2, 2, 4, 1]
    weights = [0.1, -0.2, 0.3, 0.4, 0.5, None]
    found = advantages(name, scored(rewards, groups, weights=weights, lengths=lengths)).values
    turned = scored(
        [rewards[row] for row in order],
        [groups[row] for row in order],
        weights=[weights[row] for row in order],
        lengths=[lengths[row] for row in order],
    )
    torch.testing.assert_close(advantages(name, turned).values, found[order])


@pytest.mark.parametrize("name", ESTIMATORS.names())
def test_all_missing_and_all_empty_are_zeros_in_float32(name: str) -> None:
    for given_ in (scored([None, None]), scored([1, 0], weights=[0.2, -0.8], lengths=[0, 0])):
        found = advantages(name, given_).values
        assert found.dtype == torch.float32
        assert not found.any()


@pytest.mark.parametrize("name", [name for name in ESTIMATORS.names() if compares_groups(name) and name != "verifree"])
@pytest.mark.parametrize("value", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("rates", [(0.0, 0.0), (0.1, 0.2), (0.4, 0.05)])
def test_a_group_without_spread_has_advantage_0_in_every_estimator(
    name: str, value: float, rates: tuple[float, float]
) -> None:
    config = AdvantageConfig(false_positive=rates[0], false_negative=rates[1])
    right = [value == 1.0] * 4
    alike = scored([value] * 4, right=right, lengths=[1, 2, 3, 4])
    assert not advantages(name, alike, config).values.any()


@settings(max_examples=80, deadline=None)
@given(
    said=st.lists(st.sampled_from([True, False, None]), min_size=2, max_size=12),
    rates=st.tuples(st.floats(0, 0.45), st.floats(0, 0.45)),
)
def test_debiased_advantages_of_a_group_sum_to_nothing(said: list[bool | None], rates: tuple[float, float]) -> None:
    config = AdvantageConfig(false_positive=rates[0], false_negative=rates[1])
    found = advantages("debiased", scored([0.5] * len(said), right=said), config)
    assert float(found.values.sum()) == pytest.approx(0, abs=1e-4)
    assert found.learns.tolist() == [one is not None for one in said]
    accepted = [a for a, one in zip(found.values[:, 0].tolist(), said, strict=True) if one]
    assert all(a >= 0 for a in accepted), "an accepted response is never pushed down"


@pytest.mark.parametrize("name", READ_OUTCOMES)
def test_a_response_that_was_only_measured_dilutes_no_mean(name: str) -> None:
    """Of the loss's tokens it is none, as little as one without a reward."""
    measured = advantages(name, scored([1, 0, 0.5, 0.5], right=[True, False, None, False]))
    missing = advantages(name, scored([1, 0, None, 0.5], right=[True, False, None, False]))
    assert measured.learns.tolist() == missing.learns.tolist()
    assert not measured.learns[2]
    torch.testing.assert_close(measured.values, missing.values)


@pytest.mark.parametrize("name", ["grpo", "rloo", "pure", "prime", "verifree", "reinforce_pp_baseline", "debiased"])
def test_groups_of_one_are_refused_where_groups_are_compared(name: str) -> None:
    with pytest.raises(ValueError, match="every group has one response"):
        advantages(name, scored([1, 0], [0, 1]))


def test_one_response_that_is_alone_beside_real_groups_gets_nothing() -> None:
    for name in [*COMPARING, "reinforce_pp_baseline", "opo"]:
        assert firsts(name, scored([1, 0, 1, 1], [0, 0, 0, 5]))[3] == 0


@pytest.mark.parametrize(("name", "needed"), [(name, one) for name, all_ in TENSORS.items() for one in all_])
def test_what_a_method_needs_and_lacks_is_named(name: str, needed: str) -> None:
    tensors = {one: torch.zeros(2, 1) for one in TENSORS[name] if one != needed}
    with pytest.raises(ValueError, match=f"{name} need {needed}"):
        advantages(name, Scored([1, 0], [0, 0], torch.ones(2, 1), **tensors))


def test_wrong_names_and_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="no advantage estimator 'nope'"):
        advantages("nope", scored([1, 0]))
    with pytest.raises(ValueError, match="not finite"):
        scored([1, float("nan")])
    with pytest.raises(ValueError, match="2 responses"):
        Scored([1, 0, 1], [0, 0, 0], torch.ones(2, 1))


def test_dynamic_sampling_keeps_groups_with_right_and_wrong_answers() -> None:
    right, wrong = reward(0.5, Outcome.CORRECT), reward(0.5, Outcome.PARTIAL)
    assert is_mixed([right, wrong, reward(None, Outcome.ERROR)])
    apart = [reward(None, Outcome.ERROR), reward(0.5, Outcome.SCORED), reward(0.5, Outcome.INCORRECT, kept=False)]
    assert not any(is_mixed([one, *apart]) for one in (right, reward(None, Outcome.CORRECT)))
    assert not is_mixed([right, right])
    assert not is_mixed([wrong, wrong])


def reward(value: float | None, outcome: Outcome, **rest: float | bool | str | None) -> Reward:
    return Reward.model_validate({"reward": value, "outcome": outcome, "components": {}, **rest})


def test_what_the_service_says_becomes_rewards_and_right_answers() -> None:
    said = [
        reward(1.2, Outcome.CORRECT, weight=0.2),
        reward(0.4, Outcome.PARTIAL, weight=-0.8),
        reward(0.0, Outcome.INVALID),
        reward(0.7, Outcome.SCORED),
        reward(None, Outcome.TIMEOUT),
        reward(1.0, Outcome.CORRECT, kept=False),
        reward(0.3, Outcome.ERROR),
    ]
    found = Scored.of(said, [0] * 7, torch.ones(7, 2))
    assert found.rewards == [1.2, 0.4, 0.0, 0.7, None, None, 0.3]
    assert found.right == [True, False, False, None, None, None, None]
    assert found.weights == [0.2, -0.8, None, None, None, None, None]
    assert found.outcomes == [1, 0, 0, None, None, None, None]


def test_an_estimator_that_cancels_a_correction_is_warned_of() -> None:
    corrected = [reward(1.28, Outcome.CORRECT, corrected=1.28)]
    for name in ("grpo", "reinforce_pp", "reinforce_pp_baseline"):
        assert "removes a backward correction" in advice(name, corrected)[0]
        assert advice(name, corrected, rates_differ_within_group=True) == []
    for name in ("rloo", "dr_grpo", "raw"):
        assert advice(name, corrected) == []
    assert "read which answers are right" in advice("psr", corrected)[0]
    assert "no corrected reward is 0" in advice("gpg_verl", corrected)[0]
    assert advice("gpg", corrected) == []
    assert "use forward" in advice("rloo", [reward(1.0, Outcome.CORRECT, weight=0.2)])[0]
    assert advice("forward", [reward(1.0, Outcome.CORRECT, weight=0.2)]) == []
    assert advice("grpo", [reward(1.0, Outcome.CORRECT)]) == []


def test_rates_differ_where_a_group_names_several_estimates() -> None:
    one, other = (reward(1.0, Outcome.CORRECT, estimate=f"audit:a[{form}]") for form in ("boxed", "prose"))
    nothing = reward(None, Outcome.ERROR)
    assert not rates_differ([[one, one, nothing], [other, other]])
    assert rates_differ([[one, one], [other, one, nothing]])


def test_a_forward_correction_follows_the_clean_gradient_in_expectation() -> None:
    """Over both outcomes of the verifier: weights are 0 given a right answer and -J given a wrong one."""
    false_positive, false_negative = 0.1, 0.2
    accepted, rejected = firsts("forward", scored([1, 0], weights=[false_negative, false_negative - 1]))
    assert (1 - false_negative) * accepted + false_negative * rejected == pytest.approx(0, abs=1e-7)
    assert false_positive * accepted + (1 - false_positive) * rejected == pytest.approx(-0.7)
