"""Lengths in tokens, priced one response at a time: ``overlong`` and ``cosine``.

Sources: the soft overlong punishment of DAPO (Yu et al., arXiv 2503.14476); the cosine length reward of Yeo et al.,
arXiv 2502.03373, here in its style: the constants are yours.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from rewards.shaping.base import OneShaping
from rewards.view import View


def overlong(tokens: int, limit: int, cache: int) -> float:
    """0 up to ``limit - cache`` tokens, then linearly down to -1 at ``limit`` and beyond."""
    return -min(max(tokens - (limit - cache), 0) / cache, 1.0)


def cosine(progress: float, start: float, end: float) -> float:
    """From ``start`` at progress 0 to ``end`` at 1 along half a cosine; progress is cut to [0, 1]."""
    return end + (start - end) * (1 + math.cos(math.pi * min(max(progress, 0.0), 1.0))) / 2


class Overlong(OneShaping):
    """Adds ``factor`` times the overlong penalty."""

    method: Literal["overlong"]
    limit: int = Field(20_480, gt=0)
    cache: int = Field(4_096, gt=0)
    factor: float = Field(1.0, ge=0)

    @model_validator(mode="after")
    def _cache_fits(self) -> Self:
        if self.cache > self.limit:
            raise ValueError(f"cache {self.cache} must not exceed limit {self.limit}")
        return self

    @property
    def reads(self) -> tuple[str, ...]:
        return ("tokens",)

    def shape(self, value: float, view: View) -> float:
        return value + self.factor * overlong(view.tokens, self.limit, self.cache)


class Cosine(OneShaping):
    """Replaces the reward: right answers are worth less the longer, wrong ones less the shorter."""

    method: Literal["cosine"]
    limit: int = Field(gt=0, description="tokens at which the half cosine ends")
    right: tuple[float, float] = Field((1.0, 0.5), description="worth of a right answer at no tokens and at the limit")
    wrong: tuple[float, float] = Field((-1.0, -0.5), description="the same of a wrong answer")
    exceeded: float = Field(-1.0, description="worth of a response beyond the limit")
    bounded: ClassVar[bool] = True

    @property
    def reads(self) -> tuple[str, ...]:
        return ("tokens",)

    def shape(self, value: float, view: View) -> float:
        if view.tokens > self.limit:
            return self.exceeded
        return cosine(view.tokens / self.limit, *(self.right if view.correct else self.wrong))
