"""Advantages within one group: one float a response, 0 where the score is missing.

Shapes: G values in, G advantages out. ``ddof`` and ``epsilon`` are always explicit, because libraries differ:
verl, TRL and OpenRLHF all use n - 1, with 1e-6, 1e-4 and 1e-9. A group of one, and a group without spread, has
advantage 0 everywhere: verl would give the reward itself there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trueward.estimators.scores import Scores, drop_missing, mean, std
from trueward.former_names import former_names


def centre(values: Scores) -> list[float]:
    """``r - mean``: Dr. GRPO (Liu et al., arXiv 2503.20783). Sums to 0."""
    middle = mean(values)
    if middle is None or len(drop_missing(values)) < 2:
        return [0.0] * len(values)
    return [0.0 if value is None else value - middle for value in values]


def leave_one_out(values: Scores) -> list[float]:
    """``r - mean of the others``: RLOO (Ahmadian et al., arXiv 2402.14740). Sums to 0; 0 where nobody else scored."""
    there = drop_missing(values)
    if len(there) < 2:
        return [0.0] * len(values)
    stretch = len(there) / (len(there) - 1)
    return [stretch * advantage for advantage in centre(values)]


def standardise(values: Scores, *, ddof: int = 1, epsilon: float = 1e-6) -> list[float]:
    """``(r - mean) / (std + epsilon)``: GRPO (Shao et al., arXiv 2402.03300). Sums to 0; 0 without spread."""
    spread = std(values, ddof)
    if not spread:
        return [0.0] * len(values)
    return [advantage / (spread + epsilon) for advantage in centre(values)]


def length_weighted(values: Scores, lengths: Sequence[float]) -> list[float]:
    """``r - sum(length x r) / sum(length)``: OPO (arXiv 2505.23585). ``lengths`` in tokens, positive."""
    pairs = [(value, length) for value, length in zip(values, lengths, strict=True) if value is not None]
    total = math.fsum(length for _, length in pairs)
    if len(pairs) < 2 or total <= 0:
        return [0.0] * len(values)
    baseline = math.fsum(length * value for value, length in pairs) / total
    return [0.0 if value is None else value - baseline for value in values]


def best_only(values: Scores) -> list[float]:
    """The best response gets its lead over the second best, the others 0, and so does a tie: Pass@k GRPO."""
    there = sorted(drop_missing(values), reverse=True)
    if len(there) < 2 or there[0] == there[1]:
        return [0.0] * len(values)
    return [there[0] - there[1] if value == there[0] else 0.0 for value in values]


def positive_only(values: Scores) -> list[float]:
    """The reward, on right responses alone: PSR (Zhu et al., arXiv 2506.01347). Rewards must be 0 or 1."""
    return weigh_outcomes(values, right=1.0, wrong=0.0)


def negative_only(values: Scores) -> list[float]:
    """-1 on wrong responses, 0 on right ones: NSR (arXiv 2506.01347). Rewards must be 0 or 1."""
    return weigh_outcomes(values, right=0.0, wrong=-1.0)


def weigh_outcomes(values: Scores, *, right: float = 0.1, wrong: float = -1.0) -> list[float]:
    """Weighted REINFORCE (arXiv 2506.01347, right 0.1). Raises ValueError for a reward that is neither 0 nor 1."""
    if any(value not in (0.0, 1.0) for value in drop_missing(values)):
        raise ValueError("signed advantages need rewards of 0 or 1: use the outcome, not the shaped reward")
    return [0.0 if value is None else (right if value == 1.0 else wrong) for value in values]


__getattr__ = former_names(__name__, {"centred": "centre", "signed": "weigh_outcomes", "standardised": "standardise"})
