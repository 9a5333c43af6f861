"""The points of a run's series, counted from its records: pure, so it runs in a thread beside the event loop."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from trueward.wire.verdict import Outcome

BINS = 10
"""Rows of the histogram where the rewards are more than so many different numbers."""
Ends = tuple[float, float]
Components = dict[str, tuple[list[float | None], list[int]]]
"""The numbers of each, with the places of the records that have them."""


class RecordRow(NamedTuple):
    """A record of the ledger. ``named`` are a reward's components, or the verifier of a verdict."""

    place: int
    record: str
    sample: str
    step: int | None
    member: str | None
    prompt: str | None
    outcome: str
    reason_code: str
    policy: str | None
    source: str | None
    length: int | None
    split: str
    score: float | None
    named: Mapping[str, float | None] | str

    @property
    def cluster(self) -> Hashable:
        """Records of one prompt resemble each other; one without a prompt is of its group, or alone."""
        return self.prompt or (self.step, self.member or self.record)


def training(rows: Sequence[RecordRow]) -> Sequence[RecordRow]:
    """The rows that the policy learnt from, without those of evaluations; all where it learnt from none."""
    return [row for row in rows if row.split != "eval"] or rows


@dataclass(slots=True)
class RunPoint:
    """Records in a row. ``score`` is the mean reward (or score), ``causes`` how many had each cause of ``invalid`` and
    of a missing score; ``groups`` are those with a name and several members here, ``flat`` those of equal rewards.

    ``ends`` are 95% intervals by the names of the components, and those of ``score``, ``missing`` and ``flat`` beside
    them. ``outcomes`` counts each outcome with its reason code, ``histogram`` the scores of each bin of the series.
    """

    place: int
    first_step: int | None
    last_step: int | None
    first_record: str
    last_record: str
    records: int
    missing: int
    score: float | None
    policies: int
    policy: str | None
    components: dict[str, float | None]
    causes: dict[str, int]
    outcomes: dict[str, int]
    groups: int
    flat: int
    length: float | None
    lengths: dict[str, float]
    sources: dict[str, SourceScore]
    histogram: list[int]
    score_ends: Ends | None = None
    missing_ends: Ends | None = None
    flat_ends: Ends | None = None
    component_ends: dict[str, Ends] = field(default_factory=dict)


class SourceScore(NamedTuple):
    """Records of one data source, and their mean score."""

    records: int
    score: float | None


class ScoreBin(NamedTuple):
    """Scores from ``low`` to ``high``, both included where they are equal; of the last one ``high`` is, too."""

    low: float
    high: float


def bins_of(scores: Iterable[float | None]) -> list[ScoreBin]:
    """One a number where there are few different ones, else as wide as each other."""
    known = sorted({score for score in scores if score is not None})
    if len(known) <= BINS:
        return [ScoreBin(score, score) for score in known]
    low, width = known[0], known[-1] / BINS - known[0] / BINS
    edges = [*(low + width * number for number in range(BINS)), known[-1]]
    return [ScoreBin(low, high) for low, high in pairwise(edges)]


def points_of(rows: Sequence[RecordRow], bins: Sequence[ScoreBin]) -> list[RunPoint]:
    """One a place, in order."""
    placed: defaultdict[int, list[RecordRow]] = defaultdict(list)
    for row in rows:
        placed[row.place].append(row)
    components = {place: _components(there) for place, there in placed.items()}
    limits = _limits(components.values())
    return [_point(place, placed[place], components[place], bins, limits) for place in sorted(placed)]


def _point(
    place: int, rows: Sequence[RecordRow], components: Components, bins: Sequence[ScoreBin], limits: Mapping[str, Ends]
) -> RunPoint:
    steps = [row.step for row in rows if row.step is not None]
    said = [row.score for row in rows]
    scores = [score for score in said if score is not None]
    policies = {row.policy for row in rows if row.policy is not None}
    records = [row.record for row in rows]
    outcomes = Counter([(row.outcome, row.reason_code) for row in rows]).most_common()
    lengths = [row.length for row in rows if row.length is not None]
    spread = _spread(rows)
    point = RunPoint(
        place=place,
        first_step=min(steps, default=None),
        last_step=max(steps, default=None),
        first_record=min(records),
        last_record=max(records),
        records=len(rows),
        missing=len(rows) - len(scores),
        score=_mean(scores),
        policies=len(policies),
        policy=max(policies, default=None),
        components={name: _mean(values) for name, (values, _) in components.items()},
        causes=_causes(outcomes),
        outcomes={f"{outcome}: {code}": count for (outcome, code), count in outcomes},
        groups=len(spread),
        flat=sum(spread),
        length=_mean(lengths),
        lengths=_lengths(rows),
        sources=_sources(rows),
        histogram=_histogram(scores, bins),
    )
    clusters = [row.cluster for row in rows]
    if bins:
        point.score_ends = _ends(said, clusters, (bins[0].low, bins[-1].high))
    point.missing_ends = _ends([float(score is None) for score in said], clusters, (0.0, 1.0))
    for name, (values, places) in components.items():
        if (ends := _ends(values, [clusters[place] for place in places], limits[name])) is not None:
            point.component_ends[name] = ends
    point.flat_ends = _share_ends(sum(spread), len(spread))
    return point


def _share_ends(count: int, of: int) -> Ends | None:
    # imported by the first run that is looked at: the service starts without what only statistics compute with
    from audits.statistics.proportion import wilson

    if not of:
        return None
    low, high = wilson(count, of)
    return low, high


def _limits(components: Iterable[Components]) -> dict[str, Ends]:
    """The lowest and the highest number of each component in the run."""
    known: defaultdict[str, list[float]] = defaultdict(list)
    for there in components:
        for name, (values, _) in there.items():
            seen = [value for value in values if value is not None]
            known[name] += (min(seen), max(seen)) if seen else ()
    return {name: (min(seen, default=0.0), max(seen, default=0.0)) for name, seen in known.items()}


def _ends(said: Sequence[float | None], clusters: Sequence[Hashable], limits: Ends) -> Ends | None:
    """The interval of the mean, cut where no mean of the run can lie. Of equal numbers there is none."""
    from audits.statistics.clustered_mean import mean_interval

    if len({*said} - {None}) < 2:
        return None
    totals: dict[Hashable, tuple[float, int]] = {}
    for value, cluster in zip(said, clusters, strict=True):
        if value is not None:
            total, count = totals.get(cluster, (0.0, 0))
            totals[cluster] = (total + value, count + 1)
    found = mean_interval(list(totals.values()))
    return None if found is None else (max(found.low, limits[0]), min(found.high, limits[1]))


def _mean(said: Sequence[float | None]) -> float | None:
    known = [value for value in said if value is not None]
    return sum(known) / len(known) if known else None


def _components(rows: Sequence[RecordRow]) -> Components:
    found: Components = {}
    for place, row in enumerate(rows):
        named = {row.named: row.score} if isinstance(row.named, str) else row.named
        for name, value in named.items():
            values, places = found.setdefault(name, ([], []))
            values.append(value)
            places.append(place)
    return found


def _causes(outcomes: Sequence[tuple[tuple[str, str], int]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for (name, code), count in outcomes:
        outcome = Outcome(name)
        if outcome.missing or outcome is Outcome.INVALID:
            found[f"{'missing' if outcome.missing else 'invalid'}: {code}"] += count
    return dict(found)


def _spread(rows: Sequence[RecordRow]) -> list[bool]:
    """Of each group with a name and several scores here, whether these are equal."""
    groups: defaultdict[tuple[int | None, str], list[float]] = defaultdict(list)
    for row in rows:
        if row.member is not None and row.score is not None:
            groups[row.step, row.member].append(row.score)
    return [min(scores) == max(scores) for scores in groups.values() if len(scores) > 1]


def _lengths(rows: Sequence[RecordRow]) -> dict[str, float]:
    """The mean length of the responses of each outcome."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        if row.length is not None:
            found[row.outcome].append(row.length)
    return {outcome: sum(lengths) / len(lengths) for outcome, lengths in found.items()}


def _sources(rows: Sequence[RecordRow]) -> dict[str, SourceScore]:
    found: defaultdict[str, list[float | None]] = defaultdict(list)
    for row in rows:
        if row.source is not None:
            found[row.source].append(row.score)
    return {name: SourceScore(len(scores), _mean(scores)) for name, scores in found.items()}


def _histogram(scores: Sequence[float], bins: Sequence[ScoreBin]) -> list[int]:
    counts = [0] * len(bins)
    lows = [one.low for one in bins]
    for score in scores:
        counts[bisect_right(lows, score) - 1] += 1
    return counts
