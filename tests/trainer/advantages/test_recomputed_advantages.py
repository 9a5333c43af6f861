"""All advantages computed a second time, with numpy, from their papers' formulas: greatest difference 1e-6.

Random updates: groups of several sizes, missing rewards, answers that were only measured, holes in the masks. The
formulas share no code with the trainer, and loop where it has tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from trueward_trainer.advantages import ESTIMATORS, AdvantageConfig, Scored, advantages

Array = NDArray[np.float64]
CLOSE = 1e-6
SEEDS = range(20)


@dataclass
class Update:
    """``reward`` is NaN where it is missing, ``right`` where nobody judged; ``tokens`` and what follows: ``[B, T]``."""

    reward: Array
    right: Array
    group: NDArray[np.int64]
    mask: Array
    tokens: Array
    ends: Array
    separators: Array
    penalties: Array
    answer: Array
    weight: Array

    @classmethod
    def draw(cls, seed: int) -> Update:
        rng = np.random.default_rng(seed)
        sizes = [2, 3, 4, 5]
        group = np.repeat(np.arange(4), sizes)
        count, width = len(group), 12
        right = (rng.random(count) < rng.choice([0.0, 0.5, 0.5, 1.0], 4)[group]).astype(float)
        reward = np.where(rng.random(4)[group] < 0.5, right, np.round(rng.normal(size=count), 1))
        mask = np.zeros((count, width))
        ends, separators = np.zeros_like(mask), np.zeros_like(mask)
        for row in range(count):
            start, length = rng.integers(0, 3), rng.integers(1, 10)
            mask[row, start : start + length] = 1
            ends[row, start + length - 1] = 1
            ends[row] = np.maximum(ends[row], mask[row] * (rng.random(width) < 0.3))
            after = np.roll(ends[row], 1) * mask[row] * (1 - ends[row])
            after[: start + 1] = 0
            separators[row] = after * (rng.random(width) < 0.5)
        missing = rng.random(count) < 0.15
        measured = rng.random(count) < 0.15
        return cls(
            reward=np.where(missing, np.nan, reward),
            right=np.where(missing | measured, np.nan, right),
            group=group,
            mask=mask,
            tokens=rng.normal(size=mask.shape) * mask,
            ends=ends,
            separators=separators,
            penalties=rng.normal(size=mask.shape) * mask,
            answer=mask * (np.arange(width) >= 6),
            weight=np.where(missing, np.nan, rng.normal(size=count)),
        )

    def scored(self) -> Scored:
        def optional(values: Array) -> list[float | None]:
            return [None if math.isnan(one) else float(one) for one in values]

        def tensor(values: Array) -> torch.Tensor:
            return torch.tensor(values, dtype=torch.float64)

        return Scored(
            optional(self.reward),
            self.group.tolist(),
            tensor(self.mask),
            [None if math.isnan(one) else bool(one) for one in self.right],
            optional(self.weight),
            token_rewards=tensor(self.tokens),
            step_ends=tensor(self.ends),
            penalties=tensor(self.penalties),
            answer_mask=tensor(self.answer),
            separators=tensor(self.separators),
        )

    def groups(self, values: Array) -> Iterator[tuple[NDArray[np.intp], Array]]:
        """The rows of each group that have a value, and these."""
        for name in np.unique(self.group):
            rows = np.flatnonzero((self.group == name) & ~np.isnan(values))
            yield rows, values[rows]

    def whole(self, values: Array) -> Array:
        """One number a response on all of its tokens; none where there is no number."""
        return np.nan_to_num(values)[:, None] * self.mask


def per_group(update: Update, values: Array, formula: Callable[[Array, NDArray[np.intp]], Array | float]) -> Array:
    out = np.zeros(len(values))
    for rows, there in update.groups(values):
        if len(rows) > 1:
            out[rows] = formula(there, rows)
    return out


def loo(values: Array, rows: object = None) -> Array:
    return np.array([one - np.delete(values, place).mean() for place, one in enumerate(values)])


def z(values: Array, rows: object = None) -> Array:
    return np.zeros(len(values)) if np.ptp(values) == 0 else (values - values.mean()) / (values.std(ddof=1) + 1e-6)


def to_go(values: Array) -> Array:
    return np.array([[row[place:].sum() for place in range(len(row))] for row in values])


def white(values: Array, mask: Array) -> Array:
    chosen = values[mask > 0]
    if len(chosen) < 2 or np.ptp(chosen) == 0:
        return np.zeros_like(values)
    return np.where(mask > 0, (values - chosen.mean()) / np.sqrt(chosen.var(ddof=1) + 1e-8), 0)


def present(update: Update) -> Array:
    return update.mask * ~np.isnan(update.reward)[:, None]


def compared(update: Update) -> Array:
    """Without responses that have nobody to be compared with."""
    others = np.array([np.sum((update.group == name) & ~np.isnan(update.reward)) for name in update.group])
    return present(update) * (others > 1)[:, None]


def opo(update: Update) -> Array:
    length = update.mask.sum(1)
    found = per_group(update, update.reward, lambda r, rows: r - (length[rows] @ r) / length[rows].sum())
    return update.whole(found)


def gpg(update: Update) -> Array:
    """The paper's alpha: B / (B - M), M the responses of groups without a gradient."""
    idle = sum(len(rows) for rows, r in update.groups(update.reward) if len(rows) and not np.ptp(r))
    total = int((~np.isnan(update.reward)).sum())
    return total / (total - idle or 1) * update.whole(per_group(update, update.reward, lambda r, _: r - r.mean()))


def gpg_verl(update: Update) -> Array:
    there = update.reward[~np.isnan(update.reward)]
    alpha = len(there) / (int(np.count_nonzero(there)) or 1)
    return alpha * update.whole(per_group(update, update.reward, lambda r, _: r - r.mean()))


def pass_at_k(r: Array, rows: object) -> Array:
    second, first = np.sort(r)[-2:]
    return np.where(r == first, first - second, 0.0)


def debiased(update: Update, positive: float, negative: float) -> Array:
    index = 1 - positive - negative

    def formula(accepted: Array, rows: object) -> Array:
        if np.ptp(accepted) == 0:
            return np.zeros(len(accepted))
        corrected = (accepted - positive) / index
        p = np.clip(corrected.mean(), 1 / (2 * len(accepted)), 1 - 1 / (2 * len(accepted)))
        plugged_in = corrected.var(ddof=1) / len(accepted)
        return np.asarray((corrected - corrected.mean()) / np.sqrt(min(p * (1 - p) + plugged_in, 0.25)))

    return update.whole(per_group(update, update.right, formula))


def by_outcome(update: Update, right: float, wrong: float) -> Array:
    return update.whole(np.where(update.right == 1, right, np.where(update.right == 0, wrong, 0)))


def answer(update: Update) -> Array:
    """The leave-one-out advantage of the answer being right, on every token."""
    return update.whole(per_group(update, update.right, loo))


def reinforce_pp(update: Update, coefficient: float) -> Array:
    mask = present(update)
    rewards = (update.tokens - coefficient * update.penalties) * mask
    for row in np.flatnonzero(mask.any(1)):
        rewards[row, np.flatnonzero(mask[row])[-1]] += update.reward[row]
    return white(to_go(rewards) * mask, mask)


def steps_of(mask: Array, ends: Array) -> list[list[int]]:
    """The tokens of each step: those after the end before, up to its own end."""
    found, now = [], []
    for place in np.flatnonzero(mask):
        now.append(int(place))
        if ends[place]:
            found.append(now)
            now = []
    return found


def pure(update: Update, baseline: str) -> Array:
    """The authors' code: on each step's end its reward less what the others earn a token, times its tokens (or a step);
    tokens that part steps are in no step."""
    mask = compared(update)
    learns = mask * (1 - update.separators)
    out = np.zeros_like(mask)
    for row in np.flatnonzero(mask.any(1)):
        others = [o for o in np.flatnonzero(mask.any(1)) if update.group[o] == update.group[row] and o != row]
        earned = np.array([(update.tokens[o] * mask[o]).sum() for o in others])
        if baseline == "token":
            rate = earned.sum() / sum(mask[o].sum() for o in others)
        else:
            rate = np.mean([e / (update.ends[o] * mask[o]).sum() for e, o in zip(earned, others, strict=True)])
        rewards = update.tokens[row] * mask[row]
        for step in steps_of(mask[row], update.ends[row]):
            size = sum(1 - update.separators[row, place] for place in step) if baseline == "token" else 1
            rewards[step[-1]] -= rate * size
        out[row] = [rewards[place:].sum() for place in range(len(rewards))]
    return np.where(learns > 0, out * mask + answer(update) * mask, 0)


def prime(update: Update) -> Array:
    mask = compared(update)
    rewards = update.tokens * mask
    rewards = 5 * rewards / np.abs(to_go(rewards) * mask).max()
    out = np.zeros_like(mask)
    for row in np.flatnonzero(mask.any(1)):
        members = [o for o in np.flatnonzero(mask.any(1)) if update.group[o] == update.group[row]]
        n = len(members)
        means = sum(rewards[o].sum() / mask[o].sum() for o in members)
        out[row] = (n / (n - 1) * rewards[row] - means / (n - 1)) * mask[row]
    return white(to_go(out) * mask + answer(update) * mask, mask)


def capo(update: Update) -> Array:
    """``2 r_v - 1[in a wrong step]``, standardised over all tokens of a group."""
    out = np.zeros_like(update.mask)
    for rows, right in update.groups(update.right):
        mask = update.mask[rows]
        earned = 2 * right[:, None] + update.tokens[rows]
        chosen = earned[mask > 0]
        if len(rows) > 1 and np.ptp(chosen) > 0:
            out[rows] = mask * (earned - chosen.mean()) / (chosen.std(ddof=1) + 1e-6)
    return out


def renorm(update: Update) -> Array:
    mask = present(update)
    return white(to_go(update.tokens * mask) * mask, mask)


def verifree(update: Update) -> Array:
    reasoning, reference = update.whole(per_group(update, update.reward, loo)), update.whole(update.reward)
    return np.where(update.answer > 0, reference, reasoning)


FORMULAS: dict[str, list[tuple[Mapping[str, object], Callable[[Update], Array]]]] = {
    "capo": [({}, capo)],
    "debiased": [
        ({}, lambda u: debiased(u, 0, 0)),
        ({"false_positive": 0.1, "false_negative": 0.2}, lambda u: debiased(u, 0.1, 0.2)),
    ],
    "dr_grpo": [({}, lambda u: u.whole(per_group(u, u.reward, lambda r, _: r - r.mean())))],
    "forward": [({}, lambda u: u.whole(u.weight))],
    "gpg": [({}, gpg)],
    "gpg_verl": [({}, gpg_verl)],
    "grpo": [
        ({}, lambda u: u.whole(per_group(u, u.reward, z))),
        ({"scale": 4}, lambda u: u.whole(per_group(u, u.reward, z)) / 4),
    ],
    "labels": [({}, lambda u: by_outcome(u, 1, -1))],
    "nsr": [({}, lambda u: by_outcome(u, 0, -1))],
    "opo": [({}, opo)],
    "pass_at_k": [({}, lambda u: u.whole(per_group(u, u.reward, pass_at_k)))],
    "prime": [({}, prime)],
    "psr": [({}, lambda u: by_outcome(u, 1, 0))],
    "pure": [({}, lambda u: pure(u, "token")), ({"pure_baseline": "step"}, lambda u: pure(u, "step"))],
    "raw": [({}, lambda u: u.whole(u.reward))],
    "reinforce_pp": [({"token_kl": 0.3}, lambda u: reinforce_pp(u, 0.3))],
    "reinforce_pp_baseline": [
        ({}, lambda u: white(u.whole(per_group(u, u.reward, lambda r, _: r - r.mean())), compared(u)))
    ],
    "renorm": [({}, renorm)],
    "rloo": [({}, lambda u: u.whole(per_group(u, u.reward, loo)))],
    "verifree": [({}, verifree)],
    "vps": [({"process_weight": 0.7}, lambda u: u.whole(per_group(u, u.reward, z)) + 0.7 * u.tokens * present(u))],
    "w_reinforce": [({}, lambda u: by_outcome(u, 0.1, -1))],
}


def test_no_advantages_are_left_out() -> None:
    assert sorted(FORMULAS) == ESTIMATORS.names()


@pytest.mark.parametrize("name", ESTIMATORS.names())
def test_advantages_are_their_formula(name: str) -> None:
    worst = 0.0
    for settings, formula in FORMULAS[name]:
        for seed in SEEDS:
            update = Update.draw(seed)
            found = advantages(name, update.scored(), AdvantageConfig.model_validate(settings))
            worst = max(worst, float(np.abs(found.values.double().numpy() - formula(update)).max()))
    assert worst < CLOSE
