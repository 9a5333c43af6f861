"""What was asked of models, in numbers that add up exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Self

from rewards.budget import Budget
from trueward.wire.model import Price
from trueward.wire.run import Spending

_UNIT = 10**9
_MILLION = 10**6


@dataclass(frozen=True, slots=True)
class Amount:
    """``cost`` is in billionths of the prices' currency, and rounded up."""

    cost: int = 0
    tokens: int = 0
    calls: int = 0

    def __iter__(self) -> Iterator[int]:
        yield self.cost
        yield self.tokens
        yield self.calls

    def __add__(self, other: Self) -> Self:
        return type(self)(self.cost + other.cost, self.tokens + other.tokens, self.calls + other.calls)

    def __sub__(self, other: Self) -> Self:
        return type(self)(self.cost - other.cost, self.tokens - other.tokens, self.calls - other.calls)

    def __mul__(self, times: int) -> Self:
        return type(self)(self.cost * times, self.tokens * times, self.calls * times)

    @property
    def spent(self) -> Spending:
        """The amount as the API shows it."""
        return Spending(cost=self.cost / _UNIT, tokens=self.tokens, calls=self.calls)


NOTHING = Amount()

Limits = tuple[int | None, int | None, int | None]
"""Most of each part of an amount; None: as much as there is."""


def limits_of(budget: Budget | None) -> Limits:
    if budget is None:
        return (None, None, None)
    cost = None if budget.cost is None else math.floor(_exactly(budget.cost) * _UNIT)
    return (cost, budget.tokens, budget.calls)


def price_tokens(price: Price | None, read: int, written: int, calls: int = 1, cached: int = 0) -> Amount:
    """What it costs that a model reads and writes so many tokens, ``cached`` of those read from its server's cache."""
    cost = 0
    if price is not None:
        known = 0 if price.cached is None else min(cached, read)
        total = _exactly(price.read) * (read - known) + _exactly(price.written) * written
        total += _exactly(price.cached or 0.0) * known
        cost = math.ceil(total * _UNIT / _MILLION)
    return Amount(cost, read + written, calls)


@lru_cache(256)
def _exactly(number: float) -> Fraction:
    """The decimal number as it was written: 0.1 is exactly a tenth."""
    return Fraction(repr(number))
