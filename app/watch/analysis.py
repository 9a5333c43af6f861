"""What a run's stream shows: its windows, what the signals find in them, and since when series changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from app.watch.changes import changes
from app.watch.power import power
from app.watch.signal_input import Flag, RecipeKind, WatchedWindows, make_watched
from app.watch.signals import SIGNALS
from app.watch.signals.collapse import mean_entropy
from app.watch.signals.zero_variance import flat_groups
from app.watch.stream import NO_STEP, RecordStream
from app.watch.windows import RecordWindow, step_of
from audits.statistics.sequential import Crossing
from trueward.wire.watch import Finding, Looking, WatchReport, WatchWindow


def look(
    run: str, stream: RecordStream, looking: Looking, kind: RecipeKind | None = None, base: RecordStream | None = None
) -> WatchReport:
    """``base`` is the stream of the run that ``looking`` names."""
    seen = make_watched(stream, looking, kind or RecipeKind(), base)
    own = [_window(one, base=True) for one in seen.before]
    shown = [*own, *(_window(one, base=False) for one in seen.windows)]
    return WatchReport(
        run=run,
        base=looking.base,
        recipe=None,
        records=len(stream),
        left_out=0,
        last_step=step_of(seen.stream.step[-1]) if len(seen.stream) else None,
        canaries=len(seen.canaries),
        windows=shown,
        findings=findings(seen, looking),
        changes=changes(seen, looking.false_alarms),
        power=power(seen, looking.signals),
        notes=_notes(seen, looking),
    )


def findings(seen: WatchedWindows, looking: Looking) -> list[Finding]:
    """One for each signal and cause, with the flag of its latest window."""
    flags: dict[tuple[str, str], list[Flag]] = {}
    for signal in SIGNALS:
        for flag in signal(seen, looking.signals):
            flags.setdefault((flag.signal, flag.cause), []).append(flag)
    return [_finding(seen, of_one) for of_one in flags.values()]


def _finding(seen: WatchedWindows, flags: Sequence[Flag]) -> Finding:
    if all(flag.crossing is not None for flag in flags):
        return _of_ticks(seen, flags[0], cast(Crossing, flags[0].crossing))
    last = max(flags, key=lambda flag: -1 if flag.place is None else flag.place)
    windows = [seen.windows[flag.place] for flag in flags if flag.place is not None]
    whole = seen.canaries if last.signal == "canary" else seen.stream
    steps = whole.step[whole.step != NO_STEP]
    # a test may have found it within a window before the first that shows it
    since = [windows[0].first_step if windows else int(steps.min()) if len(steps) else None]
    since += [step_of(seen.ticks.first_step[flag.crossing.since]) for flag in flags if flag.crossing is not None]
    return Finding(
        signal=last.signal,
        cause=last.cause,
        detail=last.detail,
        value=last.value,
        limit=last.limit,
        first_step=min((step for step in since if step is not None), default=None),
        last_step=windows[-1].last_step if windows else int(steps.max()) if len(steps) else None,
        windows=len(windows),
        record=windows[-1].record if windows else str(max(whole.record)),
        found_step=next((_step_of_crossing(seen, flag.crossing) for flag in flags if flag.crossing is not None), None),
    )


def _step_of_crossing(seen: WatchedWindows, crossing: Crossing) -> int | None:
    return step_of(seen.ticks.last_step[crossing.found])


def _of_ticks(seen: WatchedWindows, flag: Flag, crossing: Crossing) -> Finding:
    ticks = seen.ticks
    shown = slice(int(ticks.starts[crossing.since]), int(ticks.starts[crossing.last + 1]))
    return Finding(
        signal=flag.signal,
        cause=flag.cause,
        detail=flag.detail,
        value=flag.value,
        limit=flag.limit,
        first_step=step_of(ticks.first_step[crossing.since]),
        last_step=step_of(ticks.last_step[crossing.last]),
        windows=crossing.last - crossing.since + 1,
        record=str(max(seen.stream.record[shown])),
        found_step=_step_of_crossing(seen, crossing),
    )


def _window(window: RecordWindow, *, base: bool) -> WatchWindow:
    part = window.part
    named = [cause for cause in part.cause if cause is not None]
    flat, groups = flat_groups(part)
    labels = part.right[part.labelled]
    return WatchWindow(
        first_step=window.first_step,
        last_step=window.last_step,
        records=len(part),
        base=base,
        reward=_mean(part.reward),
        length=_mean(part.length),
        causes={cause: named.count(cause) / len(part) for cause in sorted(set(named))},
        zero_variance=flat / groups if groups else None,
        accepted=_mean(part.accepted),
        entropy=mean_entropy(part),
        labels=len(labels),
        accuracy=_mean(labels),
    )


def _notes(seen: WatchedWindows, looking: Looking) -> list[str]:
    notes = []
    if not seen.windows:
        needed = (looking.base_windows + 1 if not seen.named else 1) * looking.window
        notes.append(
            f"windows were not looked at: {len(seen.stream):,} records make none yet, about {needed:,} are needed"
        )
    if not len(seen.base):
        notes.append("there is no base to compare with")
    if not seen.stream.labelled.any():
        notes.append("no record has a label: error rates, accuracy and correlation were not looked at")
    return notes


def _mean(values: np.typing.NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
