"""The overview of what was counted: now, and over the last minutes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise

from app.kit.clock import now
from app.pages.overview.counts import QUEUES, Buckets, ServiceCounts, percentile, since, together
from app.pages.overview.views import (
    CauseRow,
    LatencyRow,
    OutcomeRow,
    OverviewView,
    Percentiles,
    PulsePoint,
    QueueRow,
)
from trueward.authoring.verifier import describe
from trueward.errors import UnknownVerifier
from trueward.wire.verdict import Outcome
from trueward.wire.watch import Alarm
from verifiers import registry

_RATE_S = 10.0
_MOST_CAUSES = 30
_WAITING = ("trueward_waiting_samples", "")


def view_overview(history: Sequence[ServiceCounts], alarms: list[Alarm] | None, watching: str) -> OverviewView:
    """Of counts in the order of time, at least one; the last is now."""
    last = history[-1]
    short = next(one for one in history if one is last or last.moment - one.moment <= _RATE_S)
    taken_s = max(last.moment - short.moment, 1e-9)
    first = history[0]
    return OverviewView(
        at=now(),
        started_at=now() - timedelta(seconds=last.moment),
        verdicts=int(last.all_verdicts),
        answers=int(last.answers),
        missing=int(last.all_missing),
        verdicts_per_s=(last.all_verdicts - short.all_verdicts) / taken_s,
        answers_per_s=(last.answers - short.answers) / taken_s,
        recent_verdicts=int(last.all_verdicts - first.all_verdicts),
        recent_missing=int(last.all_missing - first.all_missing),
        waiting=last.queues.get(_WAITING, 0.0),
        outcomes=_outcomes(last),
        latencies=_latencies(last, first),
        queues=[
            QueueRow(metric=name, text=f"{QUEUES[name]} ({device})" if device else QUEUES[name], value=value)
            for (name, device), value in sorted(last.queues.items(), key=lambda named: list(QUEUES).index(named[0][0]))
        ],
        causes=_causes(last),
        alarms=alarms,
        watching=watching,
        points=_points(history),
    )


def _points(history: Sequence[ServiceCounts]) -> list[PulsePoint]:
    began = now() - timedelta(seconds=history[-1].moment)
    return [
        _point(before, after, began + timedelta(seconds=after.moment))
        for before, after in pairwise(history)
        if after.moment > before.moment
    ]


def _point(before: ServiceCounts, after: ServiceCounts, at: datetime) -> PulsePoint:
    taken_s = after.moment - before.moment
    verdicts = after.all_verdicts - before.all_verdicts
    return PulsePoint(
        at=at,
        verdicts=verdicts / taken_s,
        answers=(after.answers - before.answers) / taken_s,
        missing=(after.all_missing - before.all_missing) / verdicts if verdicts else None,
        waiting=after.queues.get(_WAITING, 0.0),
    )


def _outcomes(last: ServiceCounts) -> list[OutcomeRow]:
    rows: dict[str, dict[str, int]] = {}
    for (verifier, outcome), count in last.verdicts.items():
        rows.setdefault(verifier, {})[outcome] = int(count)
    names = [outcome.value for outcome in Outcome]
    return [
        OutcomeRow(
            verifier=verifier,
            lane=_lane(verifier),
            counts={name: rows[verifier].get(name, 0) for name in names},
            total=sum(rows[verifier].values()),
            cached=int(last.cached.get(verifier, 0)),
        )
        for verifier in sorted(rows)
    ]


def _latencies(last: ServiceCounts, first: ServiceCounts) -> list[LatencyRow]:
    """Lanes, then verifiers."""
    recent = {name: since(buckets, first.work.get(name, {})) for name, buckets in last.work.items()}
    lanes = sorted({lane for name in last.work if (lane := _lane(name)) is not None})
    rows = [
        LatencyRow(
            verifier=None,
            lane=lane,
            recent=_percentiles(together([recent[name] for name in recent if _lane(name) == lane])),
            since_start=_percentiles(together([last.work[name] for name in last.work if _lane(name) == lane])),
        )
        for lane in lanes
    ]
    return rows + [
        LatencyRow(
            verifier=name,
            lane=_lane(name),
            recent=_percentiles(recent[name]),
            since_start=_percentiles(last.work[name]),
        )
        for name in sorted(last.work)
    ]


def _percentiles(buckets: Buckets) -> Percentiles:
    p50, p90, p99 = (percentile(buckets, share) for share in (0.5, 0.9, 0.99))
    return Percentiles(count=int(max(buckets.values(), default=0)), p50=p50, p90=p90, p99=p99)


def _causes(last: ServiceCounts) -> list[CauseRow]:
    most = sorted(last.missing.items(), key=lambda named: (-named[1], named[0]))[:_MOST_CAUSES]
    return [CauseRow(cause=cause, count=int(count), share=count / last.all_verdicts) for cause, count in most if count]


@cache
def _lane(verifier: str) -> str | None:
    """None for a name that no verifier at hand has."""
    try:
        return describe(registry.get(verifier)).lane
    except UnknownVerifier:
        return None
