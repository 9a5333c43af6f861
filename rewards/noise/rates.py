"""Error rates of a verifier, by response slice, and which of them a response is corrected with.

A slice is what a *response* looks like, never what was decided on it: the answer's form, the rule that extracted
it, its length band, the class of an exploit, or any other entry of a verdict's evidence. Its key reads
``form=decimal,rule=boxed``, features in the order of ``by``.

Slices that an audit measured are partially pooled: a slice with few labels is near the others, and its ``error`` says
how little is known of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Self

from pydantic import Field, JsonValue, model_validator

from rewards.noise.form import answer_form
from rewards.schema import Share, Strict
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

Interval = tuple[Share, Share]

LENGTH_EDGES = (500, 2000, 8000)
"""Characters of the response at which a length band ends, by default."""


LEAST_RIGHT = 0.1
"""Where at most this share of a slice may be right, an audit that found none there is taken at its word."""
_TAIL, _ENDS = 0.025, 2 * 1.959964


class Rate(Strict):
    """The two error rates of one slice, with their confidence intervals and counts where they were measured.

    ``right`` and ``wrong`` count the truly right and wrong responses behind them, and ``right_high`` is the upper end
    of the share of right ones. Where that is small and none was found right, the false-negative rate does not matter:
    it counts as 0. The errors are standard errors.
    """

    false_positive: Share
    false_negative: Share
    false_positive_interval: Interval | None = None
    false_negative_interval: Interval | None = None
    false_positive_error: float | None = Field(default=None, ge=0)
    false_negative_error: float | None = Field(default=None, ge=0)
    right: int | None = Field(default=None, ge=0)
    wrong: int | None = Field(default=None, ge=0)
    right_high: Share | None = None

    @property
    def none_right(self) -> bool:
        """True where no response was right, and few can be. Without ``right_high`` the bound is that of Clopper and
        Pearson for independent responses."""
        if self.right != 0:
            return False
        bound = self.right_high if self.right_high is not None else 1 - _TAIL ** (1 / max(self.wrong or 0, 1e-9))
        return bound <= LEAST_RIGHT

    @property
    def missed(self) -> float:
        """The false-negative rate to correct with."""
        return 0.0 if self.none_right else self.false_negative

    @property
    def index(self) -> float:
        """Youden's J, in [-1, 1]; at 0 and below the verifier says nothing of the truth."""
        return 1 - self.false_positive - self.missed

    @property
    def lowest_index(self) -> float:
        """J where both rates are at the upper ends of their intervals."""
        positive = self.false_positive_interval[1] if self.false_positive_interval else self.false_positive
        if self.none_right:
            return 1 - positive
        negative = self.false_negative_interval[1] if self.false_negative_interval else self.false_negative
        return 1 - positive - negative

    @property
    def widest(self) -> float:
        """Width of the wider interval, 0 for a constant."""
        negative = None if self.none_right else self.false_negative_interval
        return max((high - low for low, high in filter(None, (self.false_positive_interval, negative))), default=0.0)

    @property
    def errors(self) -> tuple[float, float] | None:
        """Standard errors of ``false_positive`` and ``missed``; from the intervals where they are not given, as of 95%.
        None for a constant."""
        ends = (self.false_positive_interval, self.false_negative_interval)
        given = (self.false_positive_error, self.false_negative_error)
        if not any(ends) and given == (None, None):
            return None
        positive, negative = (
            error if error is not None else (interval[1] - interval[0]) / _ENDS if interval else 0.0
            for error, interval in zip(given, ends, strict=True)
        )
        return positive, 0.0 if self.none_right else negative


class Rates(Strict):
    """What is known of a verifier's errors: where from, as a whole (``pooled``), and by slice.

    ``source`` names the estimate: ``constant``, ``audit:<id>``, or ``appeals`` with the version of the state.
    ``elsewhere`` is what a slice that was not measured is likely to have; None: as the whole.
    """

    source: str
    pooled: Rate
    elsewhere: Rate | None = None
    by: tuple[str, ...] = ()
    slices: Mapping[str, Rate] = {}
    length_edges: tuple[int, ...] = LENGTH_EDGES

    @model_validator(mode="after")
    def _slices_name_their_features(self) -> Self:
        for key in self.slices:
            if tuple(part.partition("=")[0] for part in key.split(",")) != self.by:
                raise ValueError(f"slice {key!r} must give each of by = {list(self.by)} in this order, as name=value")
        return self

    def slice_of(self, sample: Sample, verdict: Verdict) -> str:
        """The key of the slice that a response belongs to; empty without slices."""
        return ",".join(f"{name}={feature(name, sample, verdict, self.length_edges)}" for name in self.by)

    @cached_property
    def by_version_1(self) -> Rates:
        """As corrections of version 1 read them: one response that was not right was enough to say that none is."""
        return self.model_copy(
            update={
                "pooled": _by_version_1(self.pooled),
                "elsewhere": None,
                "slices": {key: _by_version_1(rate) for key, rate in self.slices.items()},
            }
        )

    def differ(self) -> bool:
        """True where two slices cannot share their rates: their intervals (or constants) do not meet."""
        rates = list(self.slices.values())
        return any(not _meet(one, other) for position, one in enumerate(rates) for other in rates[position + 1 :])


def feature(name: str, sample: Sample, verdict: Verdict, length_edges: Sequence[int] = LENGTH_EDGES) -> str:
    """One feature of a response: ``length`` is its band in characters, others are read from the evidence, and ``form``
    is the looks of the extracted answer where the evidence has none.

    What the evidence does not have is ``none``.
    """
    if name == "length":
        return band(len(sample.response_text), length_edges)
    value, extracted = verdict.evidence.get(name), verdict.evidence.get("extracted")
    if name == "form" and value is None and isinstance(extracted, str):
        value = answer_form(extracted)
    return format_slice_value(value)


def format_slice_value(value: JsonValue) -> str:
    """A value of the evidence as a slice's key has it."""
    if value is None:
        return "none"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text[:64].replace(",", "_").replace("=", "_")


def band(length: int, edges: Sequence[int] = LENGTH_EDGES) -> str:
    """The length band of a response of so many characters, such as ``500-2000``; the last one is ``8000-``."""
    below = 0
    for edge in sorted(edges):
        if length < edge:
            return f"{below}-{edge}"
        below = edge
    return f"{below}-"


def _by_version_1(rate: Rate) -> Rate:
    return rate.model_copy(update={"right_high": 0.0}) if rate.right == 0 else rate


def _meet(one: Rate, other: Rate) -> bool:
    pairs = [_range_of(rate.false_positive, rate.false_positive_interval) for rate in (one, other)]
    if not _overlap(pairs):
        return False
    if one.none_right or other.none_right:
        return True
    return _overlap([_range_of(rate.false_negative, rate.false_negative_interval) for rate in (one, other)])


def _range_of(rate: float, interval: Interval | None) -> Interval:
    return interval or (rate, rate)


def _overlap(ranges: Sequence[Interval]) -> bool:
    return max(low for low, _ in ranges) <= min(high for _, high in ranges)


class Fate(StrEnum):
    """Rate or fate: does learning from this verifier go the right way at all?

    With errors that depend on the truth alone, learning keeps its direction and only slows down while Youden's J is
    positive; at 0 nothing is learned, below 0 the opposite is. Source: arXiv 2601.04411. Exploitable errors, which a
    policy can choose, can make a run collapse even where J is positive: probe for them as well.
    """

    LEARNS = "learns"
    UNCERTAIN = "uncertain"
    NEUTRAL = "neutral"
    UNLEARNS = "unlearns"


def fate(rate: Rate) -> Fate:
    """``uncertain`` where J is positive but the lower end of its interval is not: not to be trained with yet."""
    if rate.index > 0:
        return Fate.LEARNS if rate.lowest_index > 0 else Fate.UNCERTAIN
    return Fate.NEUTRAL if rate.index == 0 else Fate.UNLEARNS
