"""A term's noise: how its verifier's errors are corrected, and where its rates come from.

Exactly one source: constants (``false_positive`` and ``false_negative``, with ``slices`` where they differ by
response), an ``audit``, or ``appeals``. Constants that leave no information are refused with the recipe; measured
ones give ``abstained: uncorrectable``.

``version`` says by which rules a correction is made, so that what was priced under older rules replays. 1: a slice
without a right response pays 0 however few its labels are, and one with a wide interval nothing; forward correction
has no smallest J. 2: slices are used as partial pooling leaves them, 0 is paid only where the upper bound of the right
share is small, and forward refuses what backward refuses. 3: appeals estimate a ratio of averages with an interval,
and what they cannot say yet is what the recipe states, or refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal, Self

from pydantic import Field, model_validator

from rewards.noise.appeals import Appeals, AppealState, residual
from rewards.noise.rates import LENGTH_EDGES, Rate, Rates
from rewards.schema import Share, Strict

LATEST = 3
"""The version of noise that does not name one."""


class Noise(Strict):
    """``threshold`` makes a graded score a yes or no; without it a graded verdict stays uncorrected.

    The defaults of ``smallest_index``, ``lowest_index`` and ``widest_interval`` are of ``benchmarks.slice_rates``.
    """

    version: Literal[1, 2, 3] = Field(
        1, description="rules of the correction; a recipe that does not say takes the latest"
    )
    method: Literal["backward", "forward"] = "backward"
    false_positive: Share | None = None
    false_negative: Share | None = None
    audit: str | None = Field(None, min_length=1, max_length=128)
    appeals: Appeals | None = None
    by: tuple[str, ...] = Field((), description="features of the response that the rates are keyed by")
    slices: Mapping[str, Rate] = {}
    length_edges: tuple[int, ...] = Field(LENGTH_EDGES, description="characters at which a length band ends")
    threshold: float | None = None
    smallest_index: float = Field(0.1, gt=0.0, lt=1.0, description="smallest Youden's J that is corrected with")
    lowest_index: float = Field(0.0, ge=0.0, lt=1.0, description="J at the intervals' worse ends must be above this")
    widest_interval: Share = Field(0.5, description="widest interval of a measured rate that is corrected with")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        constants = (self.false_positive, self.false_negative)
        if self.audit is not None:
            if self.appeals or self.slices or constants != (None, None):
                raise ValueError("an audit replaces constant rates, slices and appeals: give one source")
        elif self.appeals is None and self.false_negative is None:
            raise ValueError("noise needs false_positive and false_negative, or an audit, or appeals")
        elif self.appeals is None and self.method == "backward" and self.false_positive is None:
            raise ValueError("backward correction needs both false_positive and false_negative")
        return self

    @model_validator(mode="after")
    def _slices_are_of_one_kind(self) -> Self:
        if self.method == "forward" and (self.by or self.slices):
            raise ValueError(
                "forward correction needs rates that all responses of a prompt share: with slices the direction "
                "turns; use method backward"
            )
        if self.slices and self.appeals:
            raise ValueError("appeals estimate one rate for all responses: leave slices out")
        if self.by and not self.slices and self.audit is None:
            raise ValueError("by needs slices with the rates of each, or an audit that was keyed alike")
        if self.slices:
            _ = self.constant  # whose slices must name their features
        return self

    @model_validator(mode="after")
    def _constants_say_something(self) -> Self:
        if self.audit is None:
            for name, rate in (("", self.constant.pooled), *self.slices.items()):
                refused = self.refusal(rate)
                if refused is not None:
                    raise ValueError(f"slice {name!r}: {refused}" if name else refused)
        return self

    @cached_property
    def constant(self) -> Rates:
        """The rates that stand in the recipe; for appeals those that they start from."""
        pooled = Rate(false_positive=self.false_positive or 0.0, false_negative=self.false_negative or 0.0)
        return Rates(source="constant", pooled=pooled, by=self.by, slices=self.slices, length_edges=self.length_edges)

    def rates(self, given: Rates | None, state: AppealState | None, version: int) -> Rates | None:
        """The rates to correct with: constant, ``given`` by an audit, or by the appeals' state. None: not known."""
        if self.audit is not None:
            return given if self.version > 1 or given is None else given.by_version_1
        if self.appeals is None:
            return self.constant
        return self._appealed(self.appeals, state, version)

    def _appealed(self, appeals: Appeals, state: AppealState | None, version: int) -> Rates:
        source = f"appeals@{version}"
        positive, negative = self.false_positive or 0.0, self.false_negative or 0.0
        interval = None
        if self.version < 3:
            negative = state.false_negative if state is not None else negative
        else:
            low, high = (state.interval if state is not None else None) or (0.0, 1.0)
            if self.false_negative is None or high - low <= self.widest_interval:
                negative = state.false_negative if state is not None else 0.0
                interval = (low, high)
            elif state is not None:
                source += ": false_negative as stated"
        if appeals.overturn:
            ends = [residual(positive, end, appeals)[1] for end in interval] if interval is not None else None
            interval = (ends[0], ends[1]) if ends is not None else None
            positive, negative = residual(positive, negative, appeals)
        pooled = Rate(false_positive=min(positive, 1.0), false_negative=negative, false_negative_interval=interval)
        return Rates(source=source, pooled=pooled)

    def refusal(self, rate: Rate) -> str | None:
        """Why this rate cannot be corrected with; None where it can."""
        return self.says_nothing(rate) or self.uncertain(rate)

    def says_nothing(self, rate: Rate) -> str | None:
        """Why verdicts with these error rates are worth too little."""
        shown = _describe_rates(rate)
        if not rate.index > 0:
            return f"{shown} sum to 1 or more: the verifier says nothing of the truth, and no correction can mend it"
        if (self.method == "backward" or self.version > 1) and rate.index < self.smallest_index:
            return (
                f"{shown} leave J = {rate.index:g}, below smallest_index {self.smallest_index:g}: the variance would "
                "grow by 1/J²; use a better verifier"
            )
        return None

    def uncertain(self, rate: Rate) -> str | None:
        """Why too little is known of these error rates."""
        shown = _describe_rates(rate)
        remedy = "label more responses"
        if self.appeals is not None:
            remedy = "too few appeals are answered yet: state a false_negative to start from"
        if not rate.lowest_index > self.lowest_index:
            return (
                f"{shown}: their intervals reach J = {rate.lowest_index:g}, and lowest_index is "
                f"{self.lowest_index:g}, so nothing is certain; {remedy}"
            )
        if rate.widest > self.widest_interval:
            return f"{shown}: an interval is {rate.widest:g} wide, above {self.widest_interval:g}; {remedy}"
        return None


def _describe_rates(rate: Rate) -> str:
    return f"false_positive {rate.false_positive:g} and false_negative {rate.missed:g}"
