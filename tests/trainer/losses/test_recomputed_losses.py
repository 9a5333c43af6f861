"""All losses computed a second time, with numpy, from their papers' formulas: greatest difference 1e-6.

So is the slope, by central differences. A formula takes log-probabilities twice: those that a gradient passes through,
and those that it does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.trainer.tensors import slope, some
from trueward_trainer import correction, kl
from trueward_trainer.batch import Batch
from trueward_trainer.config import SamplerCorrection
from trueward_trainer.losses import LOSSES, LossConfig

Array = NDArray[np.float64]
CLOSE = 1e-6
SEEDS = range(8)


def test_no_loss_is_left_out() -> None:
    assert sorted(TERMS) == LOSSES.names()


@dataclass
class Tokens:
    """One update as arrays, 0 where the mask is."""

    old: Array
    gain: Array
    reference: Array
    answer: Array
    mask: Array
    group: NDArray[np.int64]

    @classmethod
    def of(cls, batch: Batch) -> Tokens:
        def array(values: torch.Tensor | None) -> Array:
            assert values is not None
            return np.where(batch.mask.numpy() > 0, values.numpy(), 0.0)

        return cls(
            array(batch.logp_old),
            array(batch.advantages),
            array(batch.logp_ref),
            array(batch.answer_mask),
            batch.mask.numpy(),
            batch.group.numpy(),
        )

    @property
    def lengths(self) -> Array:
        return np.asarray(self.mask.sum(1))


Form = Callable[[Tokens, Array, Array], Array]
Sum = Callable[[Tokens, Array], float]


def token_mean(at: Tokens, losses: Array) -> float:
    return float((losses * at.mask).sum() / at.mask.sum())


def response_mean(at: Tokens, losses: Array) -> float:
    return float(np.mean([(row * mask).sum() / mask.sum() for row, mask in zip(losses, at.mask, strict=True)]))


def response_sum(at: Tokens, losses: Array) -> float:
    return float((losses * at.mask).sum() / len(losses))


def by_constant(at: Tokens, losses: Array) -> float:
    return response_sum(at, losses) / 16


def clip_of(low: float, high: float, dual: float | None = None) -> Form:
    def formula(at: Tokens, logp: Array, held: Array) -> Array:
        ratio = np.exp(logp - at.old)
        found = -np.minimum(ratio * at.gain, np.clip(ratio, 1 - low, 1 + high) * at.gain)
        return found if dual is None else np.where(at.gain < 0, np.minimum(-dual * at.gain, found), found)

    return formula


def gspo(at: Tokens, logp: Array, held: Array) -> Array:
    """The response's ratio, and each token's own gradient through it."""
    whole = np.exp(((held - at.old) * at.mask).sum(1) / at.lengths)[:, None]
    ratio = whole * np.exp(logp - held)
    return np.asarray(-np.minimum(ratio * at.gain, np.clip(ratio, 0.8, 1.28) * at.gain))


def cispo(low: float, high: float) -> Form:
    return lambda at, logp, held: -np.clip(np.exp(held - at.old), low, high) * at.gain * logp


def dispo(at: Tokens, logp: Array, held: Array) -> Array:
    ratio = np.exp(held - at.old)
    weight = np.where(at.gain > 0, np.clip(ratio, 0.8, 11), np.clip(ratio, 0, 101))
    return np.asarray(-weight * at.gain * logp)


def sapo(at: Tokens, logp: Array, held: Array) -> Array:
    tau = np.where(at.gain > 0, 1.0, 1.05)
    return np.asarray(-at.gain * (4 / tau) / (1 + np.exp(-tau * (np.exp(logp - at.old) - 1))))


def free(at: Tokens, logp: Array, held: Array) -> Array:
    """``-A log p`` of the reference's tokens; those of the reasoning as in PPO."""
    return np.where(at.answer > 0, -at.gain * logp, clip_of(0.2, 0.28)(at, logp, held))


def reinforce(at: Tokens, logp: Array, held: Array) -> Array:
    return -at.gain * logp


TERMS: dict[str, list[tuple[Mapping[str, object], Form, Sum]]] = {
    "ppo": [
        ({}, clip_of(0.2, 0.28), token_mean),
        ({"dual_clip": 1.1}, clip_of(0.2, 0.28, 1.1), token_mean),
        ({"clip_low": None, "clip_high": None}, clip_of(0.2, 0.2), token_mean),
    ],
    "grpo": [({}, clip_of(0.2, 0.28), response_mean)],
    "dapo": [({"clip_low": None, "clip_high": None}, clip_of(0.2, 0.28), token_mean)],
    "dr_grpo": [({"max_length": 16}, clip_of(0.2, 0.28), by_constant)],
    "gspo": [({}, gspo, response_mean)],
    "cispo": [
        ({"cispo_clamp": "window"}, cispo(0.8, 1.28), token_mean),
        ({"cispo_clamp": "cap", "cispo_cap": 1.1}, cispo(0, 1.1), token_mean),
    ],
    "reinforce": [({}, reinforce, token_mean)],
    "sapo": [({}, sapo, response_mean)],
    "verifree": [({}, free, response_sum)],
    "dispo": [({}, dispo, token_mean)],
    "real": [],
}
"""``real`` is no sum over tokens: it is below."""


def differences(formula: Callable[[Array], float], at: Array, mask: Array) -> Array:
    """Central differences of a formula at each of the mask's places."""
    found = np.zeros_like(at)
    for place in zip(*np.nonzero(mask), strict=True):
        step = np.zeros_like(at)
        step[place] = 1e-5
        found[place] = (formula(at + step) - formula(at - step)) / 2e-5
    return found


def compare(name: str, config: LossConfig, seed: int, formula: Callable[[Tokens, Array, Array], float]) -> float:
    """The greatest difference of value and slope."""
    logp, sampled = some(seed)
    at = Tokens.of(sampled)
    now = np.where(at.mask > 0, logp.numpy(), 0.0)
    value, gradient = slope(LOSSES.get(name), logp, sampled, config)
    expected = differences(lambda moved: formula(at, moved, now), now, at.mask)
    apart = np.abs(np.where(at.mask > 0, gradient.numpy() - expected, 0.0)).max()
    return max(abs(value - formula(at, now, now)), float(apart))


CLIPS = {"clip_low": 0.2, "clip_high": 0.28}


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, some in TERMS.items() for place in range(len(some))]
)
def test_losses_and_their_slopes_are_their_formula(name: str, place: int) -> None:
    settings, form, total = TERMS[name][place]
    config = LossConfig.model_validate({**CLIPS, **settings})
    assert max(compare(name, config, seed, lambda at, p, held: total(at, form(at, p, held))) for seed in SEEDS) < CLOSE


def test_real_is_its_formula() -> None:
    def formula(at: Tokens, logp: Array, held: Array) -> float:
        mean = ((logp - at.old) * at.mask).sum(1) / at.lengths / 0.5
        label = np.sign(at.gain.sum(1))
        per = [
            math.log1p(np.exp(-mean[(at.group == g) & (label > 0)]).sum())
            + math.log1p(np.exp(mean[(at.group == g) & (label < 0)]).sum())
            for g in np.unique(at.group)
        ]
        return float(np.mean(per))

    assert max(compare("real", LossConfig(), seed, formula) for seed in SEEDS) < CLOSE


def estimates(estimator: kl.Estimator, logp: Array, held: Array, reference: Array) -> Array:
    """Schulman's k1 to k3; k3+ has the value of k3 and the slope of k2."""
    k1 = logp - reference
    k3 = np.exp(reference - logp) - (reference - logp) - 1
    frozen = np.exp(reference - held) - (reference - held) - 1 - (held - reference) ** 2 / 2
    return {"k1": k1, "k2": k1**2 / 2, "k3": k3, "k3+": k1**2 / 2 + frozen}[estimator]


@pytest.mark.parametrize("by_ratio", [False, True])
@pytest.mark.parametrize("estimator", ["k1", "k2", "k3", "k3+"])
def test_the_kl_in_the_loss_is_its_formula(estimator: kl.Estimator, by_ratio: bool) -> None:
    def formula(at: Tokens, logp: Array, held: Array) -> float:
        term = estimates(estimator, logp, held, at.reference) * (np.exp(logp - at.old) if by_ratio else 1)
        return response_mean(at, clip_of(0.2, 0.2)(at, logp, held)) + 0.3 * response_mean(at, term)

    config = LossConfig(kl=0.3, kl_estimator=estimator, kl_by_ratio=by_ratio)
    assert max(compare("grpo", config, seed, formula) for seed in SEEDS) < CLOSE


@pytest.mark.parametrize("kind", ["truncate", "mask"])
def test_the_weight_of_tokens_of_another_sampler_is_its_formula(kind: str) -> None:
    how = SamplerCorrection.model_validate({"kind": kind, "cap": 1.5})
    for seed in SEEDS:
        logp, sampled = some(seed, apart=0.6)
        found = correction.weights(sampled.logp_old, logp, sampled.mask, how)[0].numpy()
        ratio = np.exp(Tokens.of(sampled).old - np.where(sampled.mask > 0, logp, 0))
        inside = (ratio >= 1 / 1.5) & (ratio <= 1.5)
        expected = np.minimum(ratio, 1.5) if kind == "truncate" else np.where(inside, ratio, 0)
        assert np.abs(found - np.where(sampled.mask > 0, expected, 1)).max() < CLOSE
