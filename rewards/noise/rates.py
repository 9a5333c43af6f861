"""Error rates of a verifier, by response slice, and which of them a response is corrected with.

A slice is what a *response* looks like, never what was decided on it: the answer's form, the rule that extracted
it, its length band, the class of an exploit, or any other entry of a verdict's evidence. Its key reads
``form=decimal,rule=boxed``, features in the order of ``by``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field, JsonValue, model_validator

from rewards.noise.form import answer_form
from rewards.schema import Share, Strict
from trueward.types import Sample, Verdict

Interval = tuple[Share, Share]

LENGTH_EDGES = (500, 2000, 8000)
"""Characters of the response at which a length band ends, by default."""


class Rate(Strict):
    """The two error rates of one slice, with their confidence intervals and counts where they were measured.

    ``right`` and ``wrong`` count the truly right and wrong responses behind them. Where no response was truly right
    there is no false-negative rate to speak of: it counts as 0.
    """

    false_positive: Share
    false_negative: Share
    false_positive_interval: Interval | None = None
    false_negative_interval: Interval | None = None
    right: int | None = Field(default=None, ge=0)
    wrong: int | None = Field(default=None, ge=0)

    @property
    def missed(self) -> float:
        """The false-negative rate to correct with."""
        return 0.0 if self.right == 0 else self.false_negative

    @property
    def index(self) -> float:
        """Youden's J, in [-1, 1]; at 0 and below the verifier says nothing of the truth."""
        return 1 - self.false_positive - self.missed

    @property
    def lowest_index(self) -> float:
        """J where both rates are at the upper ends of their intervals."""
        positive = self.false_positive_interval[1] if self.false_positive_interval else self.false_positive
        if self.right == 0:
            return 1 - positive
        negative = self.false_negative_interval[1] if self.false_negative_interval else self.false_negative
        return 1 - positive - negative

    @property
    def widest(self) -> float:
        """Width of the wider interval, 0 for a constant."""
        negative = None if self.right == 0 else self.false_negative_interval
        return max((high - low for low, high in filter(None, (self.false_positive_interval, negative))), default=0.0)


class Rates(Strict):
    """What is known of a verifier's errors: where from, as a whole (``pooled``), and by slice.

    ``source`` names the estimate: ``constant``, ``audit:<id>``, or ``appeals`` with the version of the state.
    """

    source: str
    pooled: Rate
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
    return named(value)


def named(value: JsonValue) -> str:
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


def _meet(one: Rate, other: Rate) -> bool:
    pairs = [_range_of(rate.false_positive, rate.false_positive_interval) for rate in (one, other)]
    if not _overlap(pairs):
        return False
    if 0 in (one.right, other.right):
        return True
    return _overlap([_range_of(rate.false_negative, rate.false_negative_interval) for rate in (one, other)])


def _range_of(rate: float, interval: Interval | None) -> Interval:
    return interval or (rate, rate)


def _overlap(ranges: Sequence[Interval]) -> bool:
    return max(low for low, _ in ranges) <= min(high for _, high in ranges)
