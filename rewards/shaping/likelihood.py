"""What a group's likelihoods are made into: ``jepo`` and ``nover``, for a term of the verifier ``likelihood``.

An ``invalid`` response has no likelihood: it counts as one that does not say the reference at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from rewards.shaping.base import GroupShaping, Values
from rewards.view import Unshapeable, View, is_number
from trueward.estimators.likelihood import jepo_advantages, nover_rewards
from trueward.wire.verdict import Outcome


class Jepo(GroupShaping):
    """``L_G - L_(G without i)`` of the log-probabilities: what this response adds to the group's bound."""

    method: Literal["jepo"]

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        said = [
            value if value is None or not _invalid(view) else -math.inf
            for value, view in zip(values, views, strict=True)
        ]
        shaped = jepo_advantages(said)
        return [None if value is None else new for value, new in zip(values, shaped, strict=True)]


class Nover(GroupShaping):
    """Rank by reasoning perplexity, and how many longer ones it beats, from the verdict's evidence."""

    method: Literal["nover"]

    def needs(self, view: View) -> None:
        if not _invalid(view):
            _number(view, "perplexity")

    def shape_group(self, values: Values, views: Sequence[View]) -> list[float | None]:
        there = [value is not None and not _invalid(view) for value, view in zip(values, views, strict=True)]
        perplexities = [_number(view, "perplexity") if has else None for has, view in zip(there, views, strict=True)]
        lengths = [_number(view, "reasoning_tokens") if has else 0.0 for has, view in zip(there, views, strict=True)]
        shaped = nover_rewards(perplexities, lengths)
        return [None if value is None else new for value, new in zip(values, shaped, strict=True)]


def _invalid(view: View) -> bool:
    return view.verdict.outcome is Outcome.INVALID


def _number(view: View, name: str) -> float:
    found = view.verdict.evidence.get(name)
    if not is_number(found):
        raise Unshapeable("no_evidence", f"the recipe needs the number {name!r} in the verdict's evidence")
    assert isinstance(found, int | float)
    return float(found)
