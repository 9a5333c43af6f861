"""Losses: worked numbers, the definitions written out token by token, and what must hold of every one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from tests.trainer.tensors import SETTINGS, batch, slope, some, tensor
from trueward_trainer.batch import Batch
from trueward_trainer.losses import EXPERIMENTAL, LOSSES, LossConfig, find, gspo, needs_whole_groups

NAMES = LOSSES.names()
WITH_KL = SETTINGS.model_copy(update={"kl": 0.2})


def one_token(ratio: float, gain: float) -> tuple[Tensor, Batch]:
    """A response of one token; its log-probability is not 0, and so shows where a loss multiplies by it."""
    return tensor([[math.log(ratio) - 2]]), batch([[-2.0]], [[gain]])


# Worked numbers


def test_the_dual_clip_bounds_what_a_bad_response_can_cost() -> None:
    at = one_token(5.0, -1.0)
    assert slope(LOSSES.get("ppo"), *at, LossConfig())[0] == pytest.approx(5)
    assert slope(LOSSES.get("ppo"), *at, LossConfig(dual_clip=3))[0] == pytest.approx(3)
    assert slope(LOSSES.get("ppo"), *one_token(5.0, 1.0), LossConfig(dual_clip=3))[0] == pytest.approx(-1.2)
    assert slope(LOSSES.get("ppo"), *one_token(1.1, -1.0), LossConfig(dual_clip=3))[0] == pytest.approx(1.1)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("ppo", 0.8, 1.2), ("grpo", 0.8, 1.2), ("dapo", 0.8, 1.28), ("gspo", 1 - 3e-4, 1 + 4e-4), ("dr_grpo", 0.8, 1.2)],
)
def test_where_a_loss_clips_unless_it_is_told(name: str, low: float, high: float) -> None:
    config = LossConfig(max_length=1)
    assert slope(LOSSES.get(name), *one_token(3.0, 1.0), config)[0] == pytest.approx(-high)
    assert slope(LOSSES.get(name), *one_token(0.1, -1.0), config)[0] == pytest.approx(low)


def test_the_ratio_of_gspo_is_that_of_the_mean() -> None:
    sampled = batch([[-1.0, -1.0, 9.0]], [[1.0, 1.0, 9.0]], mask=[[1, 1, 0]])
    ratios = gspo.ratio(tensor([[-0.9, -0.7, 3.0]]), sampled)
    assert ratios[0, :2].tolist() == pytest.approx([1.221403, 1.221403], abs=5e-7)


@pytest.mark.parametrize(
    ("config", "ratio", "held"),
    [
        (LossConfig(cispo_clamp="cap"), 6.0, 5.0),
        (LossConfig(cispo_clamp="window"), 6.0, 1.2),
        (LossConfig(cispo_clamp="cap"), 0.1, 0.1),
        (LossConfig(cispo_clamp="window"), 0.1, 0.8),
    ],
)
def test_cispo_clamps_as_it_is_told(config: LossConfig, ratio: float, held: float) -> None:
    logp, sampled = one_token(ratio, 0.5)
    value, gradient = slope(LOSSES.get("cispo"), logp, sampled, config)
    assert value == pytest.approx(-held * 0.5 * float(logp))
    assert float(gradient) == pytest.approx(-held * 0.5), (
        "the clamped ratio is a weight, and a clipped token still learns"
    )


def test_cispo_must_be_told() -> None:
    with pytest.raises(ValueError, match="cispo_clamp"):
        slope(LOSSES.get("cispo"), *some(), LossConfig())


@pytest.mark.parametrize(
    ("ratio", "gain", "held"), [(0.5, 1.0, 0.8), (0.5, -1.0, 0.5), (20.0, 1.0, 11.0), (200.0, -1.0, 101.0)]
)
def test_the_window_of_dispo_depends_on_the_sign(ratio: float, gain: float, held: float) -> None:
    assert float(slope(LOSSES.get("dispo"), *one_token(ratio, gain), LossConfig())[1]) == pytest.approx(-held * gain)


def test_the_gate_of_sapo() -> None:
    assert slope(LOSSES.get("sapo"), *one_token(1.2, 1.0), LossConfig())[0] == pytest.approx(-2.199336, abs=5e-7)
    expected = 4 / 1.05 / (1 + math.exp(-1.05 * 0.2))
    assert slope(LOSSES.get("sapo"), *one_token(1.2, -1.0), LossConfig())[0] == pytest.approx(expected)
    assert float(slope(LOSSES.get("sapo"), *one_token(1.0, 0.7), LossConfig())[1]) == pytest.approx(-0.7)


@pytest.mark.parametrize(
    ("means", "gains", "expected"),
    [
        ([0.0, 0.0, 0.0], [1, -1, -1], math.log(2) + math.log(3)),
        ([0.1, -0.2, 0.05], [1, -1, -1], 1.618967),
        ([0.1, -0.2], [1, 1], math.log(1 + math.exp(-0.2) + math.exp(0.4))),
        ([0.1, -0.2], [-1, 0], math.log(1 + math.exp(0.2))),
        ([0.1, -0.2], [0, 0], 0.0),
    ],
)
def test_real_by_its_worked_numbers(means: list[float], gains: list[float], expected: float) -> None:
    """Two tokens a response, whose log-ratios have the mean that is given."""
    old = [[-1.0, -2.0] for _ in means]
    logp = tensor([[-1.0 + 2 * mean, -2.0] for mean in means])
    value, gradient = slope(LOSSES.get("real"), logp, batch(old, [[gain, gain] for gain in gains]), LossConfig())
    assert value == pytest.approx(expected, abs=1e-6)
    assert gradient.abs().sum(-1).max() <= 1 / 0.5


def test_verifree_learns_the_reasoning_by_its_advantage_and_the_reference_by_its_probability() -> None:
    logp = tensor([[9.0, -1.0, -0.5, -0.25], [9.0, -2.0, -1.5, -1.0]])
    sampled = batch(
        logp.tolist(),
        [[9, 0.4, 0.4, 0.5], [9, -0.4, -0.4, 0.1]],
        mask=[[0, 1, 1, 1]] * 2,
        answer_mask=[[0, 0, 0, 1]] * 2,
    )
    value, gradient = slope(LOSSES.get("verifree"), logp, sampled, LossConfig())
    assert (-2 * gradient).tolist() == [pytest.approx([0, 0.4, 0.4, 0.5]), pytest.approx([0, -0.4, -0.4, 0.1])]
    assert value == pytest.approx((-0.4 * 2 + 0.5 * 0.25 + 0.4 * 2 + 0.1 * 1.0) / 2)


def test_verifree_does_not_clip_the_reference_which_nobody_sampled() -> None:
    sampled = batch([[-5.0, -5.0]], [[1.0, 0.3]], answer_mask=[[0, 1]])
    _, gradient = slope(LOSSES.get("verifree"), tensor([[-1.0, -1.0]]), sampled, LossConfig())
    assert gradient.tolist() == [[0.0, pytest.approx(-0.3)]]
    with pytest.raises(ValueError, match="answer_mask"):
        slope(LOSSES.get("verifree"), tensor([[-1.0]]), batch([[-1.0]], [[1.0]]), LossConfig())


# Definitions, written out with plain numbers; gradients by finite differences of them


def plain(old: float, gain: float, logp: float, low: float = 0.2, high: float = 0.28) -> float:
    ratio = math.exp(logp - old)
    return -min(ratio * gain, min(max(ratio, 1 - low), 1 + high) * gain)


def frozen(old: float, gain: float, logp: float, at: float, low: float, high: float) -> float:
    """``at`` is where the ratio stands still while ``logp`` moves."""
    return -min(max(math.exp(at - old), low), high) * gain * logp


def gated(old: float, gain: float, logp: float) -> float:
    sharpness = 1.0 if gain > 0 else 1.05
    return -gain * 4 / sharpness / (1 + math.exp(-sharpness * (math.exp(logp - old) - 1)))


Rows = list[list[tuple[float, float, float, float, bool]]]
"""Of each response its tokens: old, gain, log-probability, the same where it was before it moved, of the reference."""


def by_tokens(one: Callable[..., float], reduce: Callable[[list[list[float]]], float]) -> Callable[[Rows], float]:
    return lambda rows: reduce([[one(*token) for token in row] for row in rows])


def token_mean(rows: list[list[float]]) -> float:
    return sum(map(sum, rows)) / sum(map(len, rows))


def sequence_mean(rows: list[list[float]]) -> float:
    return sum(sum(row) / len(row) for row in rows) / len(rows)


def gspo_by_hand(rows: Rows) -> float:
    """With one advantage for all tokens of a response the paper's token form has the gradient of its first form."""
    total = 0.0
    for row in rows:
        mean = sum(logp - old for old, _, logp, _, _ in row) / len(row)
        total += plain(0.0, row[0][1], mean)
    return total / len(rows)


DEFINITIONS: dict[str, Callable[[Rows], float]] = {
    "ppo": by_tokens(lambda old, gain, logp, at, ref: plain(old, gain, logp), token_mean),
    "dapo": by_tokens(lambda old, gain, logp, at, ref: plain(old, gain, logp), token_mean),
    "grpo": by_tokens(lambda old, gain, logp, at, ref: plain(old, gain, logp), sequence_mean),
    "dr_grpo": by_tokens(
        lambda old, gain, logp, at, ref: plain(old, gain, logp), lambda rows: sum(map(sum, rows)) / (len(rows) * 16)
    ),
    "gspo": gspo_by_hand,
    "cispo": by_tokens(lambda old, gain, logp, at, ref: frozen(old, gain, logp, at, 0.8, 1.28), token_mean),
    "dispo": by_tokens(
        lambda old, gain, logp, at, ref: frozen(old, gain, logp, at, *((0.8, 11) if gain > 0 else (0, 101))), token_mean
    ),
    "reinforce": by_tokens(lambda old, gain, logp, at, ref: -gain * logp, token_mean),
    "sapo": by_tokens(lambda old, gain, logp, at, ref: gated(old, gain, logp), sequence_mean),
    "verifree": by_tokens(
        lambda old, gain, logp, at, ref: -gain * logp if ref else plain(old, gain, logp),
        lambda rows: sum(map(sum, rows)) / len(rows),
    ),
}  # fmt: skip


def rows_of(logp: Tensor, sampled: Batch, before: Tensor) -> Rows:
    assert sampled.answer_mask is not None
    return [
        [
            (float(sampled.logp_old[r, t]), float(sampled.advantages[r, t]), float(logp[r, t]), float(before[r, t]),
             bool(sampled.answer_mask[r, t]))
            for t in range(logp.shape[1]) if sampled.mask[r, t]
        ]
        for r in range(logp.shape[0])
    ]  # fmt: skip


@pytest.mark.parametrize("name", DEFINITIONS)
def test_value_and_gradient_are_those_of_the_definition(name: str) -> None:
    logp, sampled = some(1)
    if name == "gspo":
        sampled = replace(sampled, advantages=sampled.advantages[:, 2:3].expand(6, 9))
    define = DEFINITIONS[name]
    value, gradient = slope(LOSSES.get(name), logp, sampled)
    assert value == pytest.approx(define(rows_of(logp, sampled, logp)))
    for place in sampled.mask.nonzero().tolist():
        ends = []
        for step in (1e-6, -1e-6):
            moved = logp.clone()
            moved[tuple(place)] += step
            ends.append(define(rows_of(moved, sampled, logp)))
        assert float(gradient[tuple(place)]) == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-6), place
    assert not gradient[sampled.mask == 0].any()


def test_every_loss_has_a_definition_here_or_worked_numbers() -> None:
    assert set(DEFINITIONS) | {"real"} == set(LOSSES.names())


# What must hold of every loss


@pytest.mark.parametrize("config", [SETTINGS, WITH_KL], ids=["plain", "kl"])
@pytest.mark.parametrize("name", NAMES)
def test_parts_of_an_update_add_up_to_it(name: str, config: LossConfig) -> None:
    logp, sampled = some(2)
    whole = LOSSES.get(name)(logp, sampled, config)
    _, gradient = slope(LOSSES.get(name), logp, sampled, config)
    gathered = torch.zeros_like(logp)
    metrics = dict.fromkeys(whole.metrics, 0.0)
    for rows, part in sampled.split(2, whole_groups=needs_whole_groups(name)):
        gathered[rows] += slope(LOSSES.get(name), logp[rows], part, config)[1]
        found = LOSSES.get(name)(logp[rows], part, config).metrics
        metrics = {key: metrics[key] + found[key] for key in metrics}
    torch.testing.assert_close(gathered, gradient)
    assert metrics == pytest.approx(whole.metrics)


@pytest.mark.parametrize("name", NAMES)
def test_more_padding_and_another_order_change_nothing(name: str) -> None:
    logp, sampled = some(4)
    value, gradient = slope(LOSSES.get(name), logp, sampled, WITH_KL)

    def padded(values: Tensor) -> Tensor:
        more = torch.full((6, 3), float("nan"), dtype=torch.float64)
        return torch.cat([values, more], dim=1)

    assert sampled.logp_ref is not None
    assert sampled.answer_mask is not None
    wider = replace(
        sampled,
        mask=padded(sampled.mask).nan_to_num(0.0),
        answer_mask=padded(sampled.answer_mask).nan_to_num(0.0),
        logp_old=padded(sampled.logp_old),
        logp_ref=padded(sampled.logp_ref),
        advantages=padded(sampled.advantages),
    )
    other, wide = slope(LOSSES.get(name), padded(logp), wider, WITH_KL)
    assert other == pytest.approx(value)
    torch.testing.assert_close(wide[:, :9], gradient)
    order = torch.tensor([4, 0, 5, 2, 1, 3])
    other, turned = slope(LOSSES.get(name), logp[order], replace(sampled.rows(order), whole=None), WITH_KL)
    assert other == pytest.approx(value)
    torch.testing.assert_close(turned, gradient[order])


@pytest.mark.parametrize("name", NAMES)
def test_a_response_without_tokens_that_learn_is_as_if_it_were_not_there(name: str) -> None:
    logp, sampled = some(5)
    mask = sampled.mask.clone()
    mask[1] = 0
    rest = torch.tensor([0, 2, 3, 4, 5])
    value, gradient = slope(LOSSES.get(name), logp, replace(sampled, mask=mask), WITH_KL)
    without, fewer = slope(LOSSES.get(name), logp[rest], replace(sampled.rows(rest), whole=None), WITH_KL)
    assert value == pytest.approx(without)
    torch.testing.assert_close(gradient[rest], fewer)
    assert not gradient[1].any()


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_mask_gives_nothing_and_no_nan(name: str) -> None:
    logp, sampled = some(empty=True)
    value, gradient = slope(LOSSES.get(name), logp, sampled, WITH_KL)
    assert value == 0
    assert not gradient.any()


@pytest.mark.parametrize("name", NAMES)
def test_policies_that_have_nothing_in_common_give_finite_gradients(name: str) -> None:
    logp, sampled = some(6, apart=200.0)
    value, gradient = slope(LOSSES.get(name), logp.float(), sampled, WITH_KL)
    assert math.isfinite(value)
    assert gradient.isfinite().all()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_goes_in_is_changed(name: str) -> None:
    logp, sampled = some(7)
    before = [logp.clone(), sampled.mask.clone(), sampled.logp_old.clone(), sampled.advantages.clone()]
    LOSSES.get(name)(logp, sampled, WITH_KL)
    for kept, now in zip(before, [logp, sampled.mask, sampled.logp_old, sampled.advantages], strict=True):
        torch.testing.assert_close(kept, now, equal_nan=True, rtol=0, atol=0)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"real", "verifree"}))
def test_on_the_policy_that_sampled_every_loss_follows_the_policy_gradient(name: str) -> None:
    """Up to what they divide by, and GSPO's sharing out: here all responses have the same length."""
    old = [[-1.0, -0.5, -2.0], [-0.3, -1.5, -1.0]]
    gains = [[0.7] * 3, [-0.4] * 3]
    _, gradient = slope(LOSSES.get(name), tensor(old), batch(old, gains), LossConfig(max_length=3, cispo_clamp="cap"))
    torch.testing.assert_close(gradient, -tensor(gains) / 6)


def test_clipped_shares_are_logged() -> None:
    sampled = batch([[-2.0] * 4], [[1.0, 1.0, -1.0, -1.0]])
    metrics = LOSSES.get("ppo")(tensor([[-1.0, -2.0, -3.0, -1.0]]), sampled, LossConfig()).metrics
    assert metrics["clipped_low"] == metrics["clipped_high"] == 0.25


def test_kl_is_logged_where_there_is_a_reference_policy_and_paid_where_it_has_a_coefficient() -> None:
    logp, sampled = some()
    free, paid = (LOSSES.get("dapo")(logp, sampled, LossConfig(kl=kl)) for kl in (0.0, 0.5))
    assert free.metrics == paid.metrics
    assert float(paid.loss) == pytest.approx(float(free.loss) + 0.5 * free.metrics["kl"])


def test_dr_grpo_needs_its_constant() -> None:
    with pytest.raises(ValueError, match="max_length"):
        slope(LOSSES.get("dr_grpo"), *some(), LossConfig())


def test_losses_are_found_by_name() -> None:
    assert find("gspo") is LOSSES.get("gspo")
    with pytest.raises(ValueError, match=r"no loss 'nope'; there are cispo, dapo"):
        find("nope")
    assert set(LOSSES.names()) >= EXPERIMENTAL


@pytest.mark.parametrize("name", sorted(EXPERIMENTAL))
def test_what_is_experimental_says_so(name: str) -> None:
    module = __import__(f"trueward_trainer.losses.{name}", fromlist=["loss"])
    assert "experimental" in str(module.__doc__)
