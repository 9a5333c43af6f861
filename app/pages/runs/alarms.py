"""A run's alarms: where their samples are, which steps they mark in the figures, since when the reward is another."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.pages.runs.plots.figure import MarkedRange
from app.pages.runs.samples import sample_path, samples_of_finding
from app.pages.runs.views import AlarmRow, Jump
from app.runs.series import Series
from app.verdicts.filters import Kind
from trueward.wire.watch import Alarm

MOST_RANGES = 8
_FALSE_ALARMS = 0.01


def alarm_rows(run: str, alarms: Sequence[Alarm], series: Series | None) -> list[AlarmRow]:
    points = [] if series is None else series.points
    kind: Kind = "verdict" if series is not None and not series.priced else "reward"
    return [
        AlarmRow(
            alarm=alarm,
            samples=samples_of_finding(run, kind, alarm.finding, points),
            sample=sample_path(alarm.finding.record),
        )
        for alarm in alarms
    ]


def ranges(alarms: Sequence[Alarm]) -> list[MarkedRange]:
    """Of the open ones, the newest first."""
    found = []
    for alarm in alarms:
        finding = alarm.finding
        if alarm.state == "open" and finding.first_step is not None:
            last = finding.first_step if finding.last_step is None else finding.last_step
            text = f"alarm {finding.signal}: {finding.detail}"
            found.append(MarkedRange(low=finding.first_step, high=last, text=text))
    return found[:MOST_RANGES]


async def jump_of(series: Series | None) -> Jump | None:
    """Where the mean reward changed most; None where it never did by more than chance explains."""
    known = [] if series is None else [(point.first_step, point.score) for point in series.points]
    steps = [step for step, score in known if step is not None and score is not None]
    scores = [score for step, score in known if step is not None and score is not None]
    return await asyncio.to_thread(_jump, steps, scores)


def _jump(steps: Sequence[int], scores: Sequence[float]) -> Jump | None:
    from audits.statistics.change_point import change_points

    found = change_points(scores, false_alarms=_FALSE_ALARMS) if scores else []
    largest = max(found, key=lambda change: abs(change.after - change.before), default=None)
    if largest is None:
        return None
    steady = _steady(scores, largest.start)
    means = {"before": largest.before, "after": largest.after, "p_value": largest.p_value}
    return Jump(step=steps[largest.start], steady=steady, **means)


def _steady(scores: Sequence[float], start: int) -> bool:
    """Whether a straight line is closer to the series than one level before the change and another one after it."""
    import numpy as np

    values, at = np.asarray(scores), np.arange(len(scores))
    line = np.polyval(np.polyfit(at, values, 1), at)
    levels = np.where(at < start, values[:start].mean(), values[start:].mean())
    return bool(np.sum((values - line) ** 2) < np.sum((values - levels) ** 2))


def propose_since(alarms: Sequence[Alarm], jump: Jump | None) -> int | None:
    """The step that one would compare responses at: where the reward jumped, else where the first open alarm is, else
    in the middle of a trend."""
    steps = [
        alarm.finding.first_step for alarm in alarms if alarm.state == "open" and alarm.finding.first_step is not None
    ]
    if jump is not None and not (jump.steady and steps):
        return jump.step
    return min(steps, default=None)
