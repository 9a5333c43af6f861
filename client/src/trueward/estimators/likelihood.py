"""Advantages from the likelihoods of one group's references: JEPO and NOVER.

Each function takes one number a response; None where it is missing takes no part and has advantage 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trueward.estimators.scores import Scores, drop_missing

MOST = 50.0
"""The most that one response can be ahead of all the others together, in log-probability."""


def jepo_advantages(log_probabilities: Scores) -> list[float]:
    """``L_G - L_(G without i)`` with ``L_S = log mean over S of p_j``: JEPO, arXiv 2503.19618.

    0 for a response that is alone. A log-probability of minus infinity is a response that does not say the reference
    at all; where no other one does either, what it adds is 0.
    """
    there = drop_missing(log_probabilities)
    whole = _log_mean(there)
    order = iter(range(len(there)))
    return [
        0.0 if one is None or len(there) < 2 else _less(whole, _log_mean([*there[:k], *there[k + 1 :]]))
        for one, k in ((one, -1 if one is None else next(order)) for one in log_probabilities)
    ]


def jepo_answer_weights(log_probabilities: Scores) -> list[float]:
    """``p_i / sum of p``: the weight of each response's reference tokens in the gradient; 0 where it is missing."""
    there = [one for one in drop_missing(log_probabilities) if one > -math.inf]
    if not there:
        return [0.0] * len(log_probabilities)
    top = max(there)
    total = math.fsum(math.exp(one - top) for one in there)
    return [0.0 if one is None else math.exp(one - top) / total for one in log_probabilities]


def nover_rewards(perplexities: Scores, lengths: Sequence[float]) -> list[float]:
    """Reasoning and efficiency rewards added, in [0, 2]: NOVER, arXiv 2505.16022.

    ``(V - k)/V`` by rank ``k`` of the perplexity among the ``V`` that have one, plus the share of the others that are
    both longer and more perplexed. 0 without a perplexity (a response of a wrong form). Equal perplexities keep the
    order in which they came.
    """
    valid = [place for place, one in enumerate(perplexities) if one is not None]
    count = len(valid)
    key = {place: perplexities[place] or 0.0 for place in valid}
    rank = {place: k for k, place in enumerate(sorted(valid, key=lambda place: key[place]))}
    found = [0.0] * len(perplexities)
    for place in valid:
        beaten = sum(lengths[place] < lengths[other] and key[place] < key[other] for other in valid)
        found[place] = (count - rank[place]) / count + (beaten / (count - 1) if count > 1 else 0.0)
    return found


def _log_mean(values: Sequence[float]) -> float:
    top = max(values, default=-math.inf)
    if top == -math.inf:
        return -math.inf
    return top + math.log(math.fsum(math.exp(one - top) for one in values) / len(values))


def _less(whole: float, rest: float) -> float:
    """The difference; bounded, for nobody else may say the reference at all."""
    if whole == -math.inf:
        return 0.0
    return whole - max(rest, whole - MOST)
