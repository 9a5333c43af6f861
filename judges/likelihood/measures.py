"""What published methods make of log-probabilities, as pure functions of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise


def subtract_bias(with_reasoning: float, without: float) -> float:
    """What the reasoning added, ``clip(f(y*|x,z) - f(y*|x), 0, 1)``: RLPR, arXiv 2506.18254."""
    return min(max(with_reasoning - without, 0.0), 1.0)


def reasoning_perplexity(mean_log_probability: float, reasoning_tokens: int) -> float:
    """``exp(NLL / N)`` with ``N = max(1, 1 + log10(tokens of the reasoning))``: NOVER, arXiv 2505.16022."""
    share = max(1.0, 1.0 + math.log10(reasoning_tokens)) if reasoning_tokens > 0 else 1.0
    return math.exp(-mean_log_probability / share)


def self_aligned(mean_with_question: float, mean_without: float) -> float:
    """How much the question lowers the perplexity of the response, relative, in [-1, 1).

    ``max((ppl(a) - ppl(a|q)) / (ppl(a) + 1e-9), -1)``: Self-Aligned Reward, as in its authors' code.
    """
    with_question, without = math.exp(-mean_with_question), math.exp(-mean_without)
    return max((without - with_question) / (without + 1e-9), -1.0)


def last_token_reward(log_probability: float, constant: float, beta: float) -> float:
    """``beta x (log p(z) - c)`` of an unused token after the answer: LaSeR, arXiv 2510.14943."""
    return beta * (log_probability - constant)


def progress(beliefs: Sequence[float]) -> list[float]:
    """What each step added to the belief in the reference, ``C_k - C_(k-1)``: one fewer than beliefs."""
    return [later - earlier for earlier, later in pairwise(beliefs)]


def follow_up(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Mean over the follow-ups that show content, less that over those that show discontent; an empty side is 0."""
    return _mean(positive) - _mean(negative)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
