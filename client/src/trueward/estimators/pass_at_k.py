"""The chance that one of k responses is right, without bias (Chen et al., arXiv 2107.03374)."""

from __future__ import annotations


def pass_at_k(responses: int, right: int, k: int) -> float:
    """``1 - C(n - c, k) / C(n, k)`` for c right ones of n, as a product that cannot overflow; ``1 <= k <= n``."""
    if not 0 <= right <= responses:
        raise ValueError(f"needs 0 <= right <= responses, got {right} of {responses}")
    if not 1 <= k <= responses:
        raise ValueError(f"k must be from 1 to the number of responses, {responses}, got {k}")
    if responses - right < k:
        return 1.0
    missed = 1.0
    for drawn in range(k):
        missed *= (responses - right - drawn) / (responses - drawn)
    return 1 - missed
