"""What the signals look at: the windows of a run, what they are compared with, and how sure a look must be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.watch.strata import add_strata
from app.watch.stream import RecordStream, together
from app.watch.ticks import Ticks, ticks
from app.watch.windows import MOST, RecordWindow, windows
from audits.statistics.arrays import Bools, Floats
from audits.statistics.clusters import estimate_rate
from audits.statistics.sequential import Crossing, StratumCounts
from trueward.wire.watch import Looking, SignalName

OF_WINDOWS = 0.2
"""Of the chance of a false alarm the part that signals over windows share; the tests after each step share the rest."""
SEQUENTIAL: tuple[SignalName, ...] = (
    "invalid",
    "missing",
    "false_positives",
    "false_negatives",
    "wrong_references",
    "score_drift",
    "length_drift",
    "distinct_answers",
    "shared_answer",
    "zero_variance",
)
"""Signals that are tested after each step."""
Counted = tuple[float, float]
"""Hits and trials, worth that many independent ones."""


@dataclass(frozen=True, slots=True)
class RecipeKind:
    """What is known of the recipe: the range of its rewards (None: that of the stream), and whether it needs labels."""

    range: tuple[float, float] | None = None
    unsupervised: bool = False


@dataclass(frozen=True, slots=True)
class WatchedWindows:
    """``windows`` are looked at, in order; ``before`` are the run's own windows that come ahead of them.

    ``base`` is another run's stream (``named``), or that of ``before``. ``chance`` is how probable a false alarm may
    be at one look at a window. ``ticks`` are the steps after which a test is made, ``first`` is the first one behind
    the base, ``each`` the chance of a false alarm of one sequential signal over the whole run. ``canaries`` are
    samples that are known to be wrong; nothing else holds any. ``sources`` are the names of the strata.
    """

    stream: RecordStream
    base: RecordStream
    named: bool
    before: Sequence[RecordWindow]
    windows: Sequence[RecordWindow]
    canaries: RecordStream
    kind: RecipeKind
    chance: float
    ticks: Ticks
    first: int
    each: float
    sources: Sequence[str]

    @property
    def level(self) -> float:
        """The confidence of a two-sided interval one of whose ends decides."""
        return 1 - 2 * self.chance

    @property
    def range(self) -> tuple[float, float]:
        """What rewards lie in, at least those that were given."""
        paid = np.concatenate([self.base.reward, self.stream.reward])
        paid = paid[~np.isnan(paid)]
        low, high = self.kind.range or ((paid.min(), paid.max()) if len(paid) else (0.0, 1.0))
        if len(paid):
            low, high = min(low, float(paid.min())), max(high, float(paid.max()))
        return (low, high) if low < high else (low, low + 1.0)

    def base_totals(self, hits: Bools, trials: Bools) -> Floats:
        """Of a named base's records, what :class:`StratumCounts` has of one step, by stratum."""
        return ticks(self.base).counts(hits, trials, len(self.sources)).totals()

    def counts(self, hits: Bools, trials: Bools) -> StratumCounts:
        """Of the run's records, those of ``hits`` among ``trials``."""
        return self.ticks.counts(hits, trials, len(self.sources))

    def where(self, crossing: Crossing, *, lessons: bool = False) -> str:
        """The data source that shows it by itself, as the end of a sentence; ``lessons``: its strata are those."""
        if crossing.stratum is None or len(self.sources) == 1:
            return ""
        source = crossing.stratum
        if lessons:
            source = int(self.stream.stratum[np.argmax(self.stream.lesson == source)])
        return f", in records of the data source {self.sources[source]!r}"

    def until(self, place: int) -> RecordStream:
        """The run from its first window that is looked at to the end of that at ``place``."""
        return self.stream.part(slice(self.windows[0].start, self.windows[place].end))

    def preceding(self, place: int) -> RecordStream:
        """As many windows ahead of that at ``place`` as the base has; the base where there are none."""
        known = [*self.before, *self.windows[:place]][-max(len(self.before), 1) :]
        return together([one.part for one in known]) if known else self.base


@dataclass(frozen=True, slots=True)
class Flag:
    """A window (by its place; None: the run as a whole) in which a signal found something."""

    signal: SignalName
    cause: str
    place: int | None
    value: float
    limit: float | None
    detail: str
    crossing: Crossing | None = None
    """Of a sequential test, which looks at ticks: then ``place`` is None."""


def make_watched(
    stream: RecordStream, looking: Looking, kind: RecipeKind, base: RecordStream | None = None
) -> WatchedWindows:
    """The chance of a false alarm is divided by what shares it: the signals that are tested after each step; windows
    that there can be, and series that are looked at in each."""
    canaries, plain = stream.part(stream.canary), stream.part(~stream.canary)
    plain, compared, sources = add_strata(plain, None if base is None else base.part(~base.canary))
    all_windows = windows(plain, looking.window)
    own = 0 if base is not None else looking.base_windows
    before, later = all_windows[:own], all_windows[own:]
    causes = len({cause for cause in plain.cause if cause is not None})
    series = causes + max(len(plain.scores), 1) + 6
    looked_after = ticks(plain)
    start = looked_after.find_after(before[-1].end) if before else len(looked_after)
    on = sum(getattr(looking.signals, name) is not None for name in SEQUENTIAL)
    return WatchedWindows(
        stream=plain,
        base=plain.part(slice(0, before[-1].end if before else 0)) if compared is None else compared,
        named=base is not None,
        before=before,
        windows=later,
        canaries=canaries,
        kind=kind,
        chance=OF_WINDOWS * looking.false_alarms / (MOST * series),
        ticks=looked_after,
        first=start if base is None else 0,
        each=(1 - OF_WINDOWS) * looking.false_alarms / max(on, 1),
        sources=sources,
    )


def count_hits(hits: Bools, stream: RecordStream) -> Counted:
    """Hits and trials, each divided by what sharing prompts costs (the design effect; at least 1)."""
    if not len(hits):
        return 0.0, 0.0
    effect = design_effect(hits, stream)
    return float(hits.sum()) / effect, len(hits) / effect


def design_effect(hits: Bools, stream: RecordStream) -> float:
    """How many records are worth one, for answers to one prompt are alike; at least 1."""
    return max(estimate_rate(hits, stream.group, replicates=1).design_effect or 1.0, 1.0)


def of_range(rewards: Floats, low: float, high: float) -> Floats:
    """Rewards as shares of their range; those that are missing are left out."""
    scaled: Floats = (rewards[~np.isnan(rewards)] - low) / (high - low)
    return scaled
