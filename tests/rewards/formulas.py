"""Shapings from their papers' formulas, with numpy: the other side of ``test_recomputed_shapings``.

Nothing here is the code under test, or calls it. Each formula takes a whole group as arrays, with NaN where a score is
missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from trueward.wire.reward import Reward

Array = NDArray[np.float64]
Params = Mapping[str, JsonValue]
CLOSE = 1e-6
"""The greatest difference between a formula and the code that is allowed."""

SEEDS = range(25)


@dataclass
class Group:
    """Random responses to one prompt; ``x`` is the score that is shaped."""

    x: Array
    right: NDArray[np.bool_]
    there: NDArray[np.bool_]
    tokens: Array
    logprobs: list[Array]
    baselines: Array
    steps: list[Array]
    heads: Array
    doubts: Array
    tests: Array
    sure: Array
    perplexity: Array
    stated: Array
    turns: list[int]

    @classmethod
    def draw(cls, seed: int) -> Group:
        rng = np.random.default_rng(seed)
        size = int(rng.integers(2, 8))
        right = rng.random(size) < 0.5
        there = rng.random(size) < 0.85
        tests = (rng.random((size, 4)) < rng.random(4)).astype(float)
        tests[right] = 1.0
        x = np.round(rng.random(size), 1 if seed % 2 else 6)  # ties in every other group
        return cls(
            x=np.where(there, x, np.nan),
            right=right,
            there=there,
            tokens=np.round(rng.integers(1, 60, size) / (1 + 9 * (seed % 3 == 0))).astype(float),
            logprobs=[-rng.exponential(1, rng.integers(1, 9)) for _ in range(size)],
            baselines=rng.normal(size=(size, 3)),
            steps=[rng.random(rng.integers(1, 6)) for _ in range(size)],
            heads=rng.normal(size=(size, 5)),
            doubts=rng.random((size, 5)),
            tests=tests,
            sure=rng.random(size),
            perplexity=1 + rng.exponential(1, size),
            stated=rng.random(size),
            turns=[int(one) for one in rng.integers(1, 4, size)],
        )

    @property
    def size(self) -> int:
        return len(self.x)


def over(group: Group, formula: Callable[[NDArray[np.intp]], Array]) -> Array:
    """A formula of those that have a score; the others have none afterwards."""
    out = np.full(group.size, np.nan)
    at = np.flatnonzero(group.there)
    if len(at):
        out[at] = formula(at)
    return out


def logistic(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


# One formula a shaping


def ppo_c(group: Group, weight: float, running: float, form: str) -> Array:
    r = np.clip(group.x, -0.6, 0.6)
    if form == "difference":
        return np.asarray(r + weight * (r - running) * (group.stated - 0.5))
    return np.asarray(r + np.where(r >= running, 1, -1) * weight * np.abs(r) * (group.stated - 0.5))


def cosine(group: Group, limit: float) -> Array:
    """``eta_min + (eta_max - eta_min)(1 + cos(pi t / T)) / 2`` (arXiv 2502.03373), with the two ends of each branch."""
    start, end = np.where(group.right, 1.0, -1.0), np.where(group.right, 0.5, -0.5)
    along = end + 0.5 * (start - end) * (1 + np.cos(np.pi * group.tokens / limit))
    return np.where(group.there, np.where(group.tokens > limit, -1.0, along), np.nan)


def overlong(group: Group, limit: float, cache: float) -> Array:
    """DAPO's three cases."""
    expected = limit - cache
    inside = (expected - group.tokens) / cache
    penalty = np.where(group.tokens <= expected, 0, np.where(group.tokens <= limit, inside, -1))
    return np.asarray(group.x + penalty)


def kimi(group: Group) -> Array:
    def formula(at: NDArray[np.intp]) -> Array:
        length = group.tokens[at]
        if np.ptp(length) == 0:
            return group.x[at]
        lam = 0.5 - (length - length.min()) / np.ptp(length)
        return np.asarray(group.x[at] + np.where(group.right[at], lam, np.minimum(0, lam)))

    return over(group, formula)


def o1_pruner(group: Group) -> Array:
    return over(
        group,
        lambda at: np.asarray(
            group.x[at]
            - np.clip((group.tokens[at] - group.tokens[at].mean()) / np.maximum(group.tokens[at], 1e-300), -1, 1)
            * (group.tokens[at] > 0)
        ),
    )


def efficient(group: Group) -> Array:
    def formula(at: NDArray[np.intp]) -> Array:
        length, right = group.tokens[at], group.right[at]
        if right.sum() < 2:
            return group.x[at]
        z = (length - length[right].mean()) / (length[right].std() + 1e-5)
        return np.asarray(group.x[at] - np.where(right, 2 * logistic(z) - 1, 0))

    return over(group, formula)


def genrm_length(group: Group, bonus: float) -> Array:
    """NeMo Gym: centred shortness; the shortest gets the bonus where it is as good as the best fifth."""

    def formula(at: NDArray[np.intp]) -> Array:
        length, x = group.tokens[at], group.x[at]
        weight = np.zeros(len(at)) if np.ptp(length) == 0 else 1 - (length - length.min()) / np.ptp(length)
        out = x + weight - weight.mean()
        fifth = max(1, int(0.2 * len(at)))
        if len(at) > 1 and (length == length.min()).sum() == 1 and x[length.argmin()] >= np.sort(x)[::-1][fifth - 1]:
            out[length.argmin()] += bonus
        return np.asarray(out)

    return over(group, formula)


def unlikeliness(group: Group, penalty: float) -> Array:
    """``r (1 - beta k / G)`` of right ones, k the rank of the mean log-probability from below (arXiv 2506.02355)."""

    def formula(at: NDArray[np.intp]) -> Array:
        mean = np.array([group.logprobs[one].mean() for one in at])
        rank = (mean[None, :] < mean[:, None]).sum(1)
        return np.asarray(group.x[at] * np.where(group.right[at], 1 - penalty * rank / len(at), 1))

    return over(group, formula)


def jepo(group: Group) -> Array:
    def formula(at: NDArray[np.intp]) -> Array:
        if len(at) < 2:
            return np.zeros(len(at))
        p = np.exp(group.x[at])
        return np.asarray(np.log(p.mean()) - np.log((p.sum() - p) / (len(at) - 1)))

    return over(group, formula)


def nover(group: Group) -> Array:
    def formula(at: NDArray[np.intp]) -> Array:
        ppl, length, count = group.perplexity[at], group.tokens[at], len(at)
        rank = ppl.argsort().argsort()
        beaten = ((length[:, None] < length[None, :]) & (ppl[:, None] < ppl[None, :])).sum(1)
        return np.asarray((count - rank) / count + (beaten / (count - 1) if count > 1 else 0))

    return over(group, formula)


def verpo(group: Group, *, normalise: bool, alpha: float, sigma: float, share: float) -> Array:
    def formula(at: NDArray[np.intp]) -> Array:
        passed = group.tests[at]
        rho = passed.mean(0)
        density = np.exp(-((rho[:, None] - rho[None, :]) ** 2) / (2 * sigma**2)).sum(1)
        w = np.exp(-alpha * rho) / (density + 1e-6)
        turn = passed @ w / (w.sum() if normalise else 1)
        return np.asarray(passed.all(1) + share * turn)

    return over(group, formula)


def z_score(group: Group, ddof: int) -> Array:
    def formula(at: NDArray[np.intp]) -> Array:
        x = group.x[at]
        if len(x) <= ddof or np.ptp(x) == 0:
            return np.zeros(len(x))
        return np.asarray((x - x.mean()) / (x.std(ddof=ddof) + 1e-6))

    return over(group, formula)


def rank(group: Group) -> Array:
    def formula(at: NDArray[np.intp]) -> Array:
        x = group.x[at]
        if len(x) < 2:
            return np.full(len(x), 0.5)
        beats = (x[:, None] > x[None, :]).sum(1) + 0.5 * ((x[:, None] == x[None, :]).sum(1) - 1)
        return np.asarray(beats / (len(x) - 1))

    return over(group, formula)


def min_max(group: Group) -> Array:
    return over(
        group,
        lambda at: np.asarray(
            (group.x[at] - group.x[at].min()) / np.ptp(group.x[at]) if np.ptp(group.x[at]) > 0 else np.zeros(len(at))
        ),
    )


def ensemble(group: Group, form: str, params: Params) -> Array:
    heads = group.heads
    if "means" in params:
        heads = (heads - np.array(params["means"])) / np.array(params["stds"])
    ddof = 1 if params.get("ddof") == 1 else 0
    surest = heads[np.arange(group.size), group.doubts.argmin(1)]
    nominal = surest if params.get("nominal") == "surest" else heads.mean(1)
    found = {
        "mean": heads.mean(1),
        "wco": heads.min(1),
        "uwo": heads.mean(1) - 0.5 * heads.var(1, ddof=ddof),
        "robust": 0.6 * nominal + 0.4 * heads.min(1),
    }[form]
    return np.where(group.there, found, np.nan)


def confidence(group: Group, source: str) -> Array:
    votes = np.abs(group.heads)
    ordered = np.sort(votes, 1)
    found = {
        "verdict": group.sure,
        "spread": np.exp(-group.heads.std(1) / 2),
        "votes": votes.max(1) / votes.sum(1),
        "margin": np.clip(ordered[:, -1] - ordered[:, -2], 0, 1),
    }[source]
    return np.asarray(found)


def sums(group: Group, steps: Sequence[Array]) -> Array:
    return np.where(group.there, [one.sum() for one in steps], np.nan)


def softmin(steps: Array, temperature: float) -> Array:
    weight = np.exp(-steps / temperature)
    return np.asarray(weight / weight.sum() * steps)


def clip_delta(steps: Array, threshold: float | None) -> Array:
    """The last is the answer's step: ``min(r - eta, 0)``, then ``r_k - r_(k+1)``, the one before the answer its own."""
    r = steps[:-1] if threshold is None else np.minimum(steps[:-1] - threshold, 0)
    return np.concatenate([r - np.concatenate([r[1:], [0.0]]), [0.0]]) if len(r) else np.zeros(1)


def numbers(found: Sequence[Reward]) -> Array:
    return np.array([np.nan if one.reward is None else one.reward for one in found])
