"""Advantages that differ from token to token, against their definitions written out with plain numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from trueward_trainer.advantages import AdvantageConfig, Scored, advantages


def whitened(values: list[float], ddof: int = 1) -> list[float]:
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - ddof)
    return [(value - mean) / math.sqrt(variance + 1e-8) for value in values]


def tensor(rows: Sequence[Sequence[float]]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float32)


def flat(values: Tensor, mask: Tensor) -> list[float]:
    found: list[float] = values[mask > 0].tolist()
    return found


# REINFORCE++


def test_the_worked_groups_of_the_baseline_form() -> None:
    given = Scored([1, 0, 1, 1], [0, 0, 1, 1], torch.ones(4, 1))
    by_n = advantages("reinforce_pp_baseline", given, AdvantageConfig(ddof=0)).values[:, 0].tolist()
    assert by_n == pytest.approx([1.414214, -1.414214, 0, 0], abs=1e-6)
    by_less = advantages("reinforce_pp_baseline", given).values[:, 0].tolist()
    assert by_less == pytest.approx([1.224745, -1.224745, 0, 0], abs=1e-6)


@pytest.mark.parametrize("ddof", [0, 1])
def test_reinforce_pp_whitens_returns_of_token_rewards(ddof: int) -> None:
    """Two responses, the second with a hole; prompt and padding are absurd."""
    mask = tensor([[0, 1, 1, 1], [0, 1, 0, 1]])
    penalty = tensor([[9, 0.1, 0.2, 0.3], [9, 0.4, 9, 0.5]])
    given = Scored([1.0, 0.5], [0, 1], mask, penalties=penalty)
    found = advantages("reinforce_pp", given, AdvantageConfig(ddof=1 if ddof else 0, token_kl=0.5)).values
    returns = [1 - 0.3, 1 - 0.25, 1 - 0.15, 0.5 - 0.45, 0.5 - 0.25]
    assert flat(found, mask) == pytest.approx(whitened(returns, ddof), rel=1e-5)
    assert not found[mask == 0].any()


def test_reinforce_pp_adds_token_rewards_and_leaves_missing_responses_out() -> None:
    mask = tensor([[1, 1], [1, 1], [1, 1]])
    own = tensor([[0.1, 0.2], [50, 50], [0.0, -0.3]])
    found = advantages("reinforce_pp", Scored([1, None, 0], [0, 0, 0], mask, token_rewards=own)).values
    assert flat(found[[0, 2]], mask[[0, 2]]) == pytest.approx(whitened([1.3, 1.2, -0.3, -0.3]), rel=1e-5)
    assert found[1].tolist() == [0, 0]


def test_a_kl_coefficient_needs_penalties() -> None:
    with pytest.raises(ValueError, match="penalties"):
        advantages("reinforce_pp", Scored([1, 0], [0, 0], torch.ones(2, 1)), AdvantageConfig(token_kl=0.1))


# PURE


MIN_FORM = [6.65e-7, -0.599798, 6.71e-5]
"""Of step scores .8, -.6 and .2 at temperature .1."""


def pure(baseline: str, right: Sequence[bool | None] | None = None, **more: float) -> tuple[Tensor, Tensor]:
    """Three steps of 2, 1 and 3 tokens beside one step of 4 tokens and a token after it; first a prompt's token."""
    mask = tensor([[0, 1, 1, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 0]])
    ends = tensor([[0, 0, 1, 1, 0, 0, 1], [0, 0, 0, 0, 1, 0, 0]])
    rewards = tensor([[9, 9, MIN_FORM[0], MIN_FORM[1], 9, 9, MIN_FORM[2]], [9, 9, 9, 9, 0.5, 9, 9]])
    rewards = torch.where(ends > 0, rewards, torch.zeros(()))
    given = Scored([0.0, 0.0], [0, 0], mask, right, token_rewards=rewards, step_ends=ends)
    config = AdvantageConfig.model_validate({"pure_baseline": baseline, **more})
    return advantages("pure", given, config).values, mask


def test_pure_takes_off_what_the_others_earn_a_token() -> None:
    found, _ = pure("token")
    by_token = 0.5 / 5
    steps = [MIN_FORM[0] - 2 * by_token, MIN_FORM[1] - by_token, MIN_FORM[2] - 3 * by_token]
    expected = [sum(steps)] * 2 + [sum(steps[1:])] + [steps[2]] * 3
    assert found[0].tolist() == pytest.approx([0, *expected], abs=1e-6)
    other = sum(MIN_FORM) / 6
    assert found[1].tolist() == pytest.approx([0, *[0.5 - 4 * other] * 4, 0, 0], abs=1e-6)
    assert sum(MIN_FORM) == pytest.approx(-0.599731, abs=1e-6)


def test_pure_takes_off_what_the_others_earn_a_step() -> None:
    found, _ = pure("step")
    steps = [one - 0.5 for one in MIN_FORM]
    expected = [sum(steps)] * 2 + [sum(steps[1:])] + [steps[2]] * 3
    assert found[0].tolist() == pytest.approx([0, *expected], abs=1e-6)
    assert found[1].tolist() == pytest.approx([0, *[0.5 - sum(MIN_FORM) / 3] * 4, 0, 0], abs=1e-6)


def test_pure_adds_the_answer_on_every_token() -> None:
    steps, mask = pure("token")
    both, _ = pure("token", [True, False], outcome_weight=0.5, process_weight=2.0)
    expected = 2 * steps + 0.5 * mask * tensor([[1], [-1]])
    torch.testing.assert_close(both, expected)


def test_pure_of_a_group_with_missing_and_lone_responses() -> None:
    mask, ends = torch.ones(4, 2), tensor([[0, 1]] * 4)
    rewards = tensor([[0, 0.4], [0, 99], [0, 0.2], [0, 0.7]])
    given = Scored([1, None, 0, 1], [0, 0, 0, 1], mask, token_rewards=rewards, step_ends=ends)
    found = advantages("pure", given).values
    assert found[:, 0].tolist() == pytest.approx([0.2, 0, -0.2, 0])


# PRIME


def test_prime_adds_the_returns_of_both_and_whitens_them() -> None:
    mask = tensor([[0, 1, 1], [0, 1, 1], [0, 1, 0]])
    scores = [[0.3, -0.1], [0.2, 0.6], [-0.4]]
    rewards = tensor([[9, 0.3, -0.1], [9, 0.2, 0.6], [9, -0.4, 9]])
    given = Scored([1, 0, 0], [0, 0, 0], mask, [True, False, False], token_rewards=rewards)
    found = advantages("prime", given).values

    scaled = [[5 * one / 0.8 for one in row] for row in scores]  # .8 = .2 + .6 is the largest return
    total = sum(sum(row) / len(row) for row in scaled)
    centred = [[1.5 * one - total / 2 for one in row] for row in scaled]
    answers = [1.0, -0.5, -0.5]
    returns = [
        sum(row[place:]) + answer for row, answer in zip(centred, answers, strict=True) for place in range(len(row))
    ]
    assert flat(found, mask) == pytest.approx(whitened(returns), rel=1e-5)
    assert not found[mask == 0].any()


def test_the_scale_of_the_process_model_cancels_in_prime() -> None:
    mask, rewards = torch.ones(3, 2), tensor([[0.3, -0.1], [0.2, 0.6], [-0.4, 0.1]])
    one, other = (
        advantages(
            "prime", Scored([1, 0, 0], [0] * 3, mask, [True, False, False], token_rewards=scale * rewards)
        ).values
        for scale in (1.0, 0.05)
    )
    torch.testing.assert_close(one, other)


def test_prime_leaves_missing_and_lone_responses_out() -> None:
    mask, rewards = torch.ones(4, 2), tensor([[0.3, -0.1], [50, 50], [-0.4, 0.1], [7, 7]])
    given = Scored([1, None, 0, 1], [0, 0, 0, 1], mask, [True, None, False, True], token_rewards=rewards)
    found = advantages("prime", given).values
    assert found[1].tolist() == found[3].tolist() == [0, 0]
    alone = Scored([1, 0], [0, 0], mask[:2], [True, False], token_rewards=rewards[[0, 2]])
    torch.testing.assert_close(found[[0, 2]], advantages("prime", alone).values)


# VeriFree


@pytest.mark.parametrize(
    ("weight", "expected"), [("reward", [0.5, 0.1]), ("advantage", [0.4, -0.4]), ("one", [1.0, 1.0])]
)
def test_verifree_by_its_worked_numbers(weight: str, expected: list[float]) -> None:
    mask = tensor([[0, 1, 1, 1], [0, 1, 1, 0]])
    answer = tensor([[0, 0, 0, 1], [0, 0, 1, 0]])
    config = AdvantageConfig.model_validate({"answer_weight": weight})
    found = advantages("verifree", Scored([0.5, 0.1], [0, 0], mask, answer_mask=answer), config).values
    rows = [[0, 0.4, 0.4, expected[0]], [0, -0.4, expected[1], 0]]
    assert found.tolist() == [pytest.approx(row) for row in rows]


def test_verifree_learns_nothing_from_a_missing_reward() -> None:
    mask, answer = torch.ones(3, 2), tensor([[0, 1]] * 3)
    config = AdvantageConfig(answer_weight="one")
    found = advantages("verifree", Scored([0.5, None, 0.1], [0] * 3, mask, answer_mask=answer), config).values
    assert found.tolist() == [pytest.approx([0.4, 1]), [0, 0], pytest.approx([-0.4, 1])]
