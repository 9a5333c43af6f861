"""``reasoning_pattern``: a weak reward model is helped where it is doubtful by how the reasoning is laid out.

Source: The Climb Carves Wisdom Deeper Than the Summit, arXiv 2505.22653, whose score of the reasoning counts distinct
cue phrases. The verifier ``reasoning_pattern`` gives that score.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rewards.schema import Name
from rewards.shaping.base import OneShaping
from rewards.view import Unshapeable, View


def raise_score(score: float, pattern: float, below: float = 0.5, share: float = 0.1) -> float:
    """``min(1, r + share x pattern)`` where ``r`` is below ``below``, else ``r``."""
    return min(1.0, score + share * pattern) if score < below else score


class ReasoningPattern(OneShaping):
    """Helps a score in [0, 1] by that of the term ``by``."""

    method: Literal["reasoning_pattern"]
    by: Name
    below: float = 0.5
    share: float = Field(0.1, ge=0)

    def shape(self, value: float, view: View) -> float:
        pattern = view.score(self.by)
        if pattern is None:
            raise Unshapeable("no_score", f"the term {self.by!r} has no score to help with")
        return raise_score(value, pattern, self.below, self.share)
