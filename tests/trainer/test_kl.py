"""KL estimators: the worked number, values and gradients by their formulas, and the clamps."""

from __future__ import annotations

import math

import pytest
import torch

from tests.trainer.tensors import batch, some
from trueward_trainer.kl import Estimator, estimate, in_loss, penalties

ALL: list[Estimator] = ["k1", "k2", "k3", "k3+"]


def value_and_gradient(estimator: Estimator, logp: float, logp_ref: float) -> tuple[float, float]:
    leaf = torch.tensor(logp, dtype=torch.float64, requires_grad=True)
    value = estimate(estimator, leaf, torch.tensor(logp_ref, dtype=torch.float64))
    value.backward()
    assert leaf.grad is not None
    return float(value.detach()), float(leaf.grad)


def test_the_worked_number_of_k3() -> None:
    assert value_and_gradient("k3", -1.1, -1.0)[0] == pytest.approx(0.005171, abs=5e-7)


@pytest.mark.parametrize("k1", [-0.7, -0.1, 0.0, 0.4])
def test_values_and_gradients_by_their_formulas(k1: float) -> None:
    k3 = math.exp(-k1) + k1 - 1
    expected = {"k1": (k1, 1.0), "k2": (k1**2 / 2, k1), "k3": (k3, 1 - math.exp(-k1)), "k3+": (k3, k1)}
    found = {name: value_and_gradient(name, k1 - 2, -2.0) for name in ALL}
    assert found == {name: pytest.approx(pair, abs=1e-12) for name, pair in expected.items()}


def test_k3_is_bounded() -> None:
    assert value_and_gradient("k3", -100.0, -1.0) == (10.0, 0.0)
    assert value_and_gradient("k3", -1.0, -200.0) == (10.0, 0.0)
    assert math.isfinite(value_and_gradient("k3+", -100.0, -1.0)[0])


def test_of_two_outcomes_k1_and_k3_have_the_mean_of_kl_and_k2_its_gradient() -> None:
    """By summing over a distribution of two, whose KL and gradient are known."""
    at = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    p = torch.stack([torch.sigmoid(at), torch.sigmoid(-at)])
    ref = torch.tensor([0.8, 0.2], dtype=torch.float64)
    true = (p * (p / ref).log()).sum()
    (slope,) = torch.autograd.grad(true, at, retain_graph=True)
    unbiased: list[Estimator] = ["k1", "k3"]
    for name in unbiased:
        mean = (p.detach() * estimate(name, p.detach().log(), ref.log())).sum()
        assert float(mean) == pytest.approx(float(true.detach()))
    slopes: list[tuple[Estimator, bool]] = [("k2", True), ("k3+", True), ("k3", False)]
    for name, right in slopes:
        mean = (p.detach() * estimate(name, p.log(), ref.log())).sum()
        (found,) = torch.autograd.grad(mean, at, retain_graph=True)
        assert (abs(float(found - slope)) < 1e-12) == right, name


def test_by_the_ratio_k3_has_the_gradient_of_kl_off_policy_too() -> None:
    """By summing over a distribution of two that another one sampled."""
    at = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    p = torch.stack([torch.sigmoid(at), torch.sigmoid(-at)])
    old, ref = torch.tensor([[0.6, 0.4], [0.8, 0.2]], dtype=torch.float64)
    (slope,) = torch.autograd.grad((p * (p / ref).log()).sum(), at, retain_graph=True)
    sampled = batch([old.log().tolist()], [[0.0, 0.0]], logp_ref=[ref.log().tolist()])
    for by_ratio in (True, False):
        kl = in_loss(1.0, "k3", p.log()[None], sampled, by_ratio=by_ratio)
        assert kl is not None
        (found,) = torch.autograd.grad((old * kl[0]).sum(), at, retain_graph=True)
        assert (abs(float(found - slope)) < 1e-12) == by_ratio


@pytest.mark.parametrize("estimator", ALL)
def test_what_lies_outside_the_mask_is_not_read(estimator: Estimator) -> None:
    logp, sampled = some()
    assert sampled.logp_ref is not None
    found = penalties(estimator, logp, sampled.logp_ref, sampled.mask)
    assert torch.equal(found[sampled.mask == 0], torch.zeros(int((sampled.mask == 0).sum()), dtype=torch.float64))
    assert found.isfinite().all()
    assert found[sampled.mask > 0].abs().min() > 0


def test_a_coefficient_needs_a_reference_policy() -> None:
    logp, sampled = some()
    alone = type(sampled)(sampled.ids, sampled.mask, sampled.logp_old, sampled.advantages, sampled.group)
    assert in_loss(0.0, "k3", logp, alone, by_ratio=False) is None
    with pytest.raises(ValueError, match="logp_ref"):
        in_loss(0.1, "k3", logp, alone, by_ratio=False)
