"""What one sequence of token log-probabilities is worth, four ways. Pure.

A mean of log-probabilities is the form that works for short and for long references; probabilities vanish on long ones
(Likelihood-Based Reward Designs for General LLM Reasoning, arXiv 2602.03979).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

FLOOR = -50.0
"""A token's least log-probability: one impossible token must not make a mean infinite."""

LONG = 30
"""Tokens beyond which a product, or a mean, of probabilities says little."""


def floor_logprobs(logprobs: Sequence[float]) -> list[float]:
    return [max(one, FLOOR) for one in logprobs]


def log_probability(logprobs: Sequence[float]) -> float:
    """``sum log p``: of the whole reference, at most 0."""
    return math.fsum(floor_logprobs(logprobs))


def mean_log_probability(logprobs: Sequence[float]) -> float:
    """``(1/n) sum log p``: per token, at most 0. Raises ValueError for no tokens."""
    if not logprobs:
        raise ValueError("no tokens have no mean")
    return log_probability(logprobs) / len(logprobs)


def probability(logprobs: Sequence[float]) -> float:
    """``prod p``, in [0, 1]."""
    return math.exp(log_probability(logprobs))


def mean_probability(logprobs: Sequence[float]) -> float:
    """``(1/n) sum p``, in [0, 1]: RLPR's (arXiv 2506.18254). Raises ValueError for no tokens."""
    if not logprobs:
        raise ValueError("no tokens have no mean")
    return math.fsum(math.exp(one) for one in floor_logprobs(logprobs)) / len(logprobs)


Form = Callable[[Sequence[float]], float]
FORMS: Mapping[str, Form] = {
    "mean_log_probability": mean_log_probability,
    "mean_probability": mean_probability,
    "probability": probability,
    "log_probability": log_probability,
}
