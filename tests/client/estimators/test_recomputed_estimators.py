"""Estimators for a loop of one's own, computed a second time, with numpy, from their papers' formulas."""

from __future__ import annotations

import math

import numpy as np

from trueward.estimators.likelihood import jepo_answer_weights
from trueward.estimators.noise import true_rate
from trueward.estimators.objectives import whiten
from trueward.estimators.turns import turn_advantages

CLOSE = 1e-6


def test_the_other_estimators_are_their_formula() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        turns = [rng.normal(size=rng.integers(1, 5)) for _ in range(8)]
        for normalise in (False, True):
            found = turn_advantages([one.tolist() for one in turns], normalise=normalise)
            for turn in range(4):
                held = np.array([one[turn] for one in turns if len(one) > turn])
                scale = held.std(ddof=1) if normalise and len(held) > 1 else 1
                for one, own in zip(turns, found, strict=True):
                    if len(one) > turn:
                        expected = (one[turn] - held.mean()) / scale if len(held) > 4 else 0
                        assert abs(own[turn] - expected) < CLOSE
        logs = -rng.exponential(2, 5)
        assert np.abs(np.array(jepo_answer_weights(logs.tolist())) - np.exp(logs) / np.exp(logs).sum()).max() < CLOSE
        batch = [rng.normal(size=3).tolist() for _ in range(4)]
        flat = np.concatenate(batch)
        expected = (flat - flat.mean()) / np.sqrt(flat.var(ddof=1) + 1e-8)
        assert np.abs(np.concatenate(whiten(batch)) - expected).max() < CLOSE
        accepted = (rng.random(7) < 0.5).astype(float)
        corrected = (accepted - 0.1) / 0.7
        p = float(np.clip(corrected.mean(), 1 / 14, 13 / 14))
        spread = math.sqrt(min(p * (1 - p) + corrected.var(ddof=1) / 7, 1 / 4))
        truth = true_rate(accepted.tolist(), 0.1, 0.2)
        assert truth is not None
        assert np.abs(np.array(truth) - [p, spread]).max() < CLOSE
