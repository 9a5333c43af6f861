"""The reward of generated unit tests: ``r = valid * correct * (a * coverage + (1 - a) * kill)``."""

from __future__ import annotations


def suite_score(*, valid: bool, correct: bool, coverage: float, kill: float, a: float) -> float:
    """In [0, 1], as ``coverage``, ``kill`` and the weight ``a`` of coverage are; ``a = 0``: the kill rate alone."""
    return valid * correct * (a * coverage + (1 - a) * kill)
