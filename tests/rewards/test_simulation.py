"""What noise does to a reward and to a gradient, and what correction mends: simulated, with standard errors.

The policy is a softmax over a few responses, so its true gradient is known: the derivative of the true mean reward by
logit a is ``pi_a (R_a - mean)``. Each estimate is compared with it within three to four of its own standard errors, and
differences that matter are many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from rewards.noise.correction import Corrector, weight
from rewards.noise.noise import Noise
from rewards.noise.rates import Rate, Rates
from trueward.estimators.advantage import centre, standardise
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Choice = np.ndarray[tuple[int, ...], np.dtype[np.int64]]
GRID = [(0.05, 0.05), (0.1, 0.2), (0.3, 0.1), (0.05, 0.5), (0.4, 0.3)]
GROUP = 16


@dataclass(frozen=True)
class World:
    """Responses with their probability, their truth, and the verifier's error rates on each."""

    policy: Array
    truth: Array
    positive: Array
    negative: Array

    def draw(self, chance: np.random.Generator, groups: int) -> tuple[Choice, Array]:
        """Which responses, and whether the verifier accepted: shape [groups, GROUP] each."""
        chosen = chance.choice(len(self.policy), p=self.policy, size=(groups, GROUP)).astype(np.int64)
        accepts = np.where(self.truth == 1, 1 - self.negative, self.positive)[chosen]
        return chosen, (chance.random(chosen.shape) < accepts).astype(np.float64)

    @property
    def gradient(self) -> Array:
        clean: Array = self.policy * (self.truth - self.policy @ self.truth)
        return clean

    def updates(self, chosen: Choice, advantages: Array) -> tuple[Array, Array]:
        """Mean of ``advantage x grad log pi`` with its standard error over the groups, by logit."""
        scores = np.eye(len(self.policy))[chosen] - self.policy
        per_group = (advantages[..., None] * scores).mean(axis=1)
        return per_group.mean(axis=0), per_group.std(axis=0, ddof=1) / np.sqrt(len(per_group))


def shared(positive: float, negative: float) -> World:
    """Four responses, two of them right, with one pair of rates for all."""
    policy = np.array([0.4, 0.1, 0.3, 0.2])
    return World(policy, np.array([0.0, 1.0, 1.0, 0.0]), np.full(4, positive), np.full(4, negative))


def exploited() -> World:
    """Six responses in two forms: on the second half of them the verifier accepts nearly whatever is wrong."""
    policy = np.array([0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
    truth = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    return World(policy, truth, np.repeat([0.02, 0.8], 3), np.full(6, 0.1))


def rows(estimate: Callable[[list[float]], list[float]], values: Array) -> Array:
    return np.array([estimate(row) for row in values.tolist()])


def mended(accepted: Array, positive: float, negative: float) -> Array:
    """The service's own correction of each verdict."""
    noise = Noise(false_positive=positive, false_negative=negative)
    worth = [Corrector(noise, noise.constant).correct(Sample(response="x"), verdict).value for verdict in (NO, YES)]
    assert None not in worth
    mended_worth: Array = np.array(worth, dtype=np.float64)[accepted.astype(int)]
    return mended_worth


NO, YES = Verdict.incorrect("unequal"), Verdict.correct("equal")


def cosine(one: Array, other: Array) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@pytest.mark.parametrize(("positive", "negative"), GRID)
def test_the_corrected_mean_is_unbiased_and_the_raw_one_is_not(positive: float, negative: float) -> None:
    world = shared(positive, negative)
    _, accepted = world.draw(np.random.default_rng(1), 4000)
    corrected = mended(accepted, positive, negative)
    truth = world.policy @ world.truth
    error = corrected.std(ddof=1) / np.sqrt(corrected.size)
    assert abs(corrected.mean() - truth) < 3.5 * error
    raw_error = accepted.std(ddof=1) / np.sqrt(accepted.size)
    expected = truth * (1 - negative) + (1 - truth) * positive
    assert abs(accepted.mean() - expected) < 3.5 * raw_error
    if abs(expected - truth) > 0.02:
        assert abs(accepted.mean() - truth) > 5 * raw_error


@pytest.mark.parametrize(("positive", "negative"), GRID)
def test_the_mean_given_the_truth_is_the_truth(positive: float, negative: float) -> None:
    world = shared(positive, negative)
    chosen, accepted = world.draw(np.random.default_rng(2), 4000)
    corrected, right = mended(accepted, positive, negative), world.truth[chosen]
    for truth in (0.0, 1.0):
        values = corrected[right == truth]
        assert abs(values.mean() - truth) < 3.5 * values.std(ddof=1) / np.sqrt(values.size)
        weights = np.array([weight(said, negative) for said in accepted[right == truth].tolist()])
        expected = 0.0 if truth else -(1 - positive - negative)
        assert abs(weights.mean() - expected) < 3.5 * weights.std(ddof=1) / np.sqrt(weights.size)


@pytest.mark.parametrize(("positive", "negative"), GRID)
def test_with_shared_rates_the_raw_centred_gradient_is_j_times_the_clean_one(positive: float, negative: float) -> None:
    world = shared(positive, negative)
    index = 1 - positive - negative
    chosen, accepted = world.draw(np.random.default_rng(3), 6000)
    shrink = (GROUP - 1) / GROUP  # the group's own mean holds each reward once
    raw, error = world.updates(chosen, rows(centre, accepted))
    assert np.all(np.abs(raw - shrink * index * world.gradient) < 4 * error)
    assert np.any(np.abs(raw - shrink * world.gradient) > 8 * error)
    corrected, error = world.updates(chosen, rows(centre, mended(accepted, positive, negative)))
    assert np.all(np.abs(corrected - shrink * world.gradient) < 4 * error)


@pytest.mark.parametrize(("positive", "negative"), GRID)
def test_with_shared_rates_standardised_advantages_do_not_change(positive: float, negative: float) -> None:
    _, accepted = shared(positive, negative).draw(np.random.default_rng(4), 300)

    def unscaled(values: list[float]) -> list[float]:
        return standardise(values, epsilon=0)

    raw = rows(unscaled, accepted)
    assert rows(unscaled, mended(accepted, positive, negative)) == pytest.approx(raw, abs=1e-9)
    assert np.any(raw != 0)


def test_with_shared_rates_the_forward_weight_has_the_clean_direction_scaled_by_j() -> None:
    world = shared(0.1, 0.2)
    chosen, accepted = world.draw(np.random.default_rng(5), 6000)
    weights = accepted - (1 - 0.2)
    assert weights[0, 0] in (weight(0.0, 0.2), weight(1.0, 0.2))
    update, error = world.updates(chosen, weights)
    assert np.all(np.abs(update - 0.7 * world.gradient) < 4 * error)


def test_where_rates_differ_by_form_only_slice_wise_correction_has_the_right_direction() -> None:
    world = exploited()
    chosen, accepted = world.draw(np.random.default_rng(6), 20_000)
    by_form = Rates(
        source="audit:simulated",
        pooled=Rate(false_positive=0.2, false_negative=0.1),
        by=("form",),
        slices={
            "form=plain": Rate(false_positive=0.02, false_negative=0.1),
            "form=odd": Rate(false_positive=0.8, false_negative=0.1),
        },
    )
    noise = Noise(audit="simulated", smallest_index=0.05)
    worth = np.zeros((2, 2))
    for form, shown in enumerate(("plain", "odd")):
        for said, verdict in enumerate((NO, YES)):
            seen = verdict.model_copy(update={"evidence": {"form": shown}})
            value = Corrector(noise, by_form).correct(Sample(response="x"), seen).value
            assert value is not None
            worth[form, said] = value
    corrected = worth[(chosen >= 3).astype(int), accepted.astype(int)]
    raw_update, raw_error = world.updates(chosen, rows(centre, accepted))
    update, error = world.updates(chosen, rows(centre, corrected))
    clean = (GROUP - 1) / GROUP * world.gradient
    # the wrong responses of the exploitable form should become rarer, and raw rewards make them more frequent
    assert clean[4] < 0 < raw_update[4] - 5 * raw_error[4]
    assert np.all(np.abs(update - clean) < 4 * error)
    assert cosine(raw_update, clean) < 0.9
    assert cosine(update, clean) > 0.99
