"""``tulu3``: a constant for a verified answer, else nothing (Lambert et al., arXiv 2411.15124, alpha 10).

Under an advantage that is divided by the group's spread the constant cancels, but for its trade against a KL term.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from rewards.shaping.base import OneShaping
from rewards.view import View


class Verified(OneShaping):
    """``reward`` where the answer is right, else 0."""

    method: Literal["tulu3"]
    reward: float = 10.0
    bounded: ClassVar[bool] = True

    def shape(self, value: float, view: View) -> float:
        return self.reward if view.correct else 0.0
