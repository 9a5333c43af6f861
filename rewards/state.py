"""What moves with a run: a value that :func:`rewards.learning.learn` takes and returns, and nobody changes.

The application stores it per run and records with each reward the ``version`` that priced it, so that a replay
computes the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

from rewards.noise.appeals import AppealState
from rewards.schema import Strict

TESTS_KEPT = 2000
"""Prompts whose tests' running pass rates are kept, the latest ones."""


class State(Strict):
    """``averages`` are moving averages by name, ``appeals`` by term, ``tests`` pass rates by group."""

    version: int = 0
    averages: Mapping[str, float] = {}
    appeals: Mapping[str, AppealState] = {}
    tests: Mapping[str, tuple[float, ...]] = {}
