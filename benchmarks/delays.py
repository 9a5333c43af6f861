"""How soon a watch finds each fault of a run of 64 records a step, beside the optimal CUSUM, and how often it alarms
on healthy runs. A run names one policy throughout. Delays count the fault's first step: 1 is at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from app.watch.analysis import look
from app.watch.signal_input import RecipeKind
from app.watch.stream import RecordStream
from benchmarks import cusum
from benchmarks.cusum import Cusum, Read
from benchmarks.pieces import find_by_seed
from benchmarks.policies import FAULTS, Columns, clean
from benchmarks.report import Call
from trueward.wire.watch import Finding, Looking

STEPS, START = 200, 80
LOOKING = Looking()
NAME = "qwen-rl"
COARSE = 8
EARLY = 30
"""Steps after a fault's beginning over which the CUSUM's rate after the change is taken."""
OF_FAULT: Mapping[str, tuple[Cusum, ...]] = {
    "sudden exploit, 40%": (cusum.of_rate(cusum.labelled(0.0)),),
    "the same, no labels": (cusum.of_mean(cusum.rewards),),
    "gradual exploit, to 50% in 60 steps": (cusum.of_rate(cusum.labelled(0.0)),),
    "small exploit, 10%": (cusum.of_rate(cusum.labelled(0.0)),),
    "stricter verifier, rejects 25%": (
        cusum.of_rate(cusum.labelled(1.0)),
        cusum.of_mean(cusum.rewards),
    ),
    "2% of verdicts missing": (
        cusum.of_rate(cusum.caused("missing")),
        cusum.of_rate(cusum.caused("missing", groups=True)),
    ),
    "one step without any verdict": (cusum.of_rate(cusum.caused("missing", groups=True)),),
    "10% hang the verifier": (cusum.of_rate(cusum.caused("invalid: resource")),),
    "8% of prompts with a wrong reference": (
        cusum.of_rate(cusum.rejected_groups),
        cusum.of_rate(cusum.labelled(1.0)),
    ),
    "a constant answer grows to 33%": (cusum.of_rate(cusum.saying("there is no solution")),),
    "70% of a group's answers become one": (cusum.of_mean(cusum.distinct),),
    "lengths jump 1.6 times": (cusum.of_mean(cusum.log_lengths),),
    "lengths grow 2.5 times in 60 steps": (cusum.of_mean(cusum.log_lengths),),
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

    @classmethod
    def of(cls, said: Sequence[str | None], every: int) -> Quiet:
        findings = [one for one in said if one is not None]
        return cls(len(said), len(findings), every, findings)


def stream(run: Columns, steps: int) -> RecordStream:
    """What a service would have recorded of the first steps."""
    kept = run.step < steps
    cause = run.cause[kept]
    missing, invalid = (
        np.array([one is not None and one.startswith(kind) for one in cause]) for kind in ("missing", "invalid")
    )
    accepted = np.where(missing, np.nan, np.where(invalid, 0.0, run.accepted[kept]))
    return RecordStream.of(
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
    return look("run", stream(run, steps), LOOKING, RecipeKind((0.0, 1.0))).findings


def quiet(call: Call, seeds: Sequence[int], every: int) -> Quiet:
    [said] = find_by_seed("watch", call, quiet_runs, [(every,)], seeds)
    return Quiet.of(said, every)


def quiet_runs(every: int, seeds: Sequence[int]) -> list[str | None]:
    return [first_words(seed, clean(seed, STEPS), STEPS, every) for seed in seeds]


def first_words(seed: int, run: Columns, steps: int, every: int) -> str | None:
    """What is found first in a healthy run, as it grows; None: nothing at any look."""
    shown = [one for at in range(every, steps + 1, every) for one in found(run, at)]
    return f"{seed}: {shown[0].signal} {shown[0].cause}: {shown[0].detail}" if shown else None


def delays(call: Call, faults: Sequence[str], seeds: Sequence[int], healthy: int) -> list[Delay]:
    """``healthy`` clean runs give the CUSUM its threshold; none of the seeds of the faulty runs is among them."""
    [usual] = find_by_seed("watch", call, healthy_reads, [(faults,)], range(10_000, 10_000 + healthy))
    spoilt = find_by_seed("watch", call, faulty_runs, [(name,) for name in faults], seeds)
    return [
        delay(name, OF_FAULT[name], [one[name] for one in usual], runs)
        for name, runs in zip(faults, spoilt, strict=True)
    ]


def healthy_reads(faults: Sequence[str], seeds: Sequence[int]) -> list[dict[str, list[Read]]]:
    """What the CUSUMs of these faults read of clean runs."""
    runs = (clean(seed, STEPS) for seed in seeds)
    return [{name: [one.read(run) for one in OF_FAULT[name]] for name in faults} for run in runs]


def faulty_runs(name: str, seeds: Sequence[int]) -> list[Faulty]:
    return [Faulty.of(_spoilt(name, seed), OF_FAULT[name]) for seed in seeds]


def _spoilt(name: str, seed: int) -> Columns:
    run = clean(seed, STEPS)
    FAULTS[name](run, START)
    return run


@dataclass(frozen=True, slots=True)
class Faulty:
    """Of a run with a fault: its first alarm, and what each CUSUM reads of it."""

    step: int
    signal: str | None
    reads: list[Read]

    @classmethod
    def of(cls, run: Columns, cusums: Sequence[Cusum]) -> Faulty:
        return cls(*first_alarm(run), [one.read(run) for one in cusums])


def delay(name: str, cusums: Sequence[Cusum], healthy: Sequence[Sequence[Read]], runs: Sequence[Faulty]) -> Delay:
    """Of the CUSUMs the soonest counts; ``healthy`` is what each of them reads of each clean run."""
    told = (
        one.tell([reads[place] for reads in healthy], [run.reads[place] for run in runs], START, EARLY)
        for place, one in enumerate(cusums)
    )
    best = min((one.delays(LOOKING.false_alarms) for one in told), key=_mean)
    steps = [run.step for run in runs]
    return Delay(
        fault=name,
        runs=len(runs),
        found=sum(START <= step < STEPS for step in steps),
        early=sum(step < START for step in steps),
        watch=float(median(max(step - START + 1, 1) for step in steps)),
        cusum=float(median(best)),
        signals=dict(Counter(run.signal for run in runs if run.signal is not None)),
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
