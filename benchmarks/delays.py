"""How soon a watch finds each fault of a run of 64 records a step, beside the optimal CUSUM, and how often it alarms
on healthy runs. A run names one policy throughout. Delays count the fault's first step: 1 is at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from app.watch.analysis import look
from app.watch.signal_input import Kind
from app.watch.stream import Stream
from benchmarks import cusum
from benchmarks.cusum import Told
from benchmarks.policies import FAULTS, Columns, clean
from trueward.wire.watch import Finding, Looking

STEPS, START = 200, 80
LOOKING = Looking()
NAME = "qwen-rl"
COARSE = 8
EARLY = 30
"""Steps after a fault's beginning over which the CUSUM's rate after the change is taken."""
OF_FAULT: Mapping[str, tuple[Callable[..., Told], ...]] = {
    "sudden exploit, 40%": (partial(cusum.of_rate, cusum.labelled(0.0)),),
    "the same, no labels": (partial(cusum.of_mean, cusum.rewards),),
    "gradual exploit, to 50% in 60 steps": (partial(cusum.of_rate, cusum.labelled(0.0)),),
    "small exploit, 10%": (partial(cusum.of_rate, cusum.labelled(0.0)),),
    "stricter verifier, rejects 25%": (
        partial(cusum.of_rate, cusum.labelled(1.0)),
        partial(cusum.of_mean, cusum.rewards),
    ),
    "2% of verdicts missing": (
        partial(cusum.of_rate, cusum.caused("missing")),
        partial(cusum.of_rate, cusum.caused("missing", groups=True)),
    ),
    "one step without any verdict": (partial(cusum.of_rate, cusum.caused("missing", groups=True)),),
    "10% hang the verifier": (partial(cusum.of_rate, cusum.caused("invalid: resource")),),
    "8% of prompts with a wrong reference": (
        partial(cusum.of_rate, cusum.rejected_groups),
        partial(cusum.of_rate, cusum.labelled(1.0)),
    ),
    "a constant answer grows to 33%": (partial(cusum.of_rate, cusum.saying("there is no solution")),),
    "70% of a group's answers become one": (partial(cusum.of_mean, cusum.distinct),),
    "lengths jump 1.6 times": (partial(cusum.of_mean, cusum.log_lengths),),
    "lengths grow 2.5 times in 60 steps": (partial(cusum.of_mean, cusum.log_lengths),),
}


@dataclass(frozen=True, slots=True)
class Delay:
    """Medians of steps, of a run that is not found its length; ``found`` of ``runs``, ``early`` before the fault."""

    fault: str
    runs: int
    found: int
    early: int
    watch: float
    cusum: float
    signals: dict[str, int]

    @property
    def ratio(self) -> float:
        return self.watch / self.cusum


@dataclass(frozen=True, slots=True)
class Quiet:
    """Clean runs, looked at every ``every`` steps, in which anything was found at any look."""

    runs: int
    alarmed: int
    every: int
    findings: list[str]


def stream(run: Columns, steps: int) -> Stream:
    """What a service would have recorded of the first steps."""
    kept = run.step < steps
    cause = run.cause[kept]
    missing, invalid = (
        np.array([one is not None and one.startswith(kind) for one in cause]) for kind in ("missing", "invalid")
    )
    accepted = np.where(missing, np.nan, np.where(invalid, 0.0, run.accepted[kept]))
    return Stream.of(
        accepted,
        step=run.step[kept].tolist(),
        policy=[NAME] * int(kept.sum()),
        source=None if run.source is None else run.source[kept].tolist(),
        group=run.group[kept],
        prompt=None if run.prompt is None else run.prompt[kept],
        accepted=accepted,
        cause=cause.tolist(),
        length=run.length[kept],
        answer=run.answer[kept].tolist(),
        right=np.where(run.labelled, run.right, np.nan)[kept],
        scores={"math": accepted, "varied": run.component[kept]},
    )


def found(run: Columns, steps: int) -> list[Finding]:
    return look("run", stream(run, steps), LOOKING, Kind((0.0, 1.0))).findings


def quiet(seeds: Sequence[int], every: int) -> Quiet:
    said = []
    for seed in seeds:
        run = clean(seed, STEPS)
        shown = [one for steps in range(every, STEPS + 1, every) for one in found(run, steps)]
        said += [f"{seed}: {shown[0].signal} {shown[0].cause}: {shown[0].detail}"] if shown else []
    return Quiet(len(seeds), len(said), every, said)


def delays(faults: Sequence[str], seeds: Sequence[int], healthy: int) -> list[Delay]:
    """``healthy`` clean runs give the CUSUM its threshold; none of the seeds of the faulty runs is among them."""
    quiet_runs = [clean(10_000 + seed, STEPS) for seed in range(healthy)]
    return [delay(name, OF_FAULT[name], quiet_runs, [_spoilt(name, seed) for seed in seeds]) for name in faults]


def _spoilt(name: str, seed: int) -> Columns:
    run = clean(seed, STEPS)
    FAULTS[name](run, START)
    return run


def delay(
    name: str, makers: Sequence[Callable[..., Told]], healthy: Sequence[Columns], runs: Sequence[Columns]
) -> Delay:
    """``makers``: of the CUSUMs, of which the soonest counts."""
    best = min((make(healthy, runs, START, EARLY).delays(LOOKING.false_alarms) for make in makers), key=_mean)
    ours = [first_alarm(run) for run in runs]
    signals: dict[str, int] = {}
    for _, signal in ours:
        if signal is not None:
            signals[signal] = signals.get(signal, 0) + 1
    steps = [step for step, _ in ours]
    return Delay(
        fault=name,
        runs=len(runs),
        found=sum(START <= step < STEPS for step in steps),
        early=sum(step < START for step in steps),
        watch=float(median(max(step - START + 1, 1) for step in steps)),
        cusum=float(median(best)),
        signals=signals,
    )


def first_alarm(run: Columns) -> tuple[int, str | None]:
    """The step at whose end a look finds something, and by which signal; as a growing run is looked at.

    A look at the whole run says when each test crossed first. That is tried, with a look at so much of the run, then
    later ones; where no test of single steps crossed, a look every ``COARSE`` steps.
    """
    whole = found(run, STEPS)
    if not whole:
        return STEPS, None
    crossed = [one.found_step for one in whole if one.found_step is not None]
    early = range(min(crossed), min(crossed) + COARSE) if crossed else range(0)
    for step in (*early, *range(min(crossed, default=START) + COARSE - 1, STEPS, COARSE)):
        shown = found(run, min(step + 1, STEPS))
        if shown:
            return step, shown[0].signal
    return STEPS - 1, whole[0].signal


def _mean(values: Sequence[int]) -> float:
    return float(np.mean(values))
