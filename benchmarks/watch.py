"""How often a watch alarms: on clean streams, where it should not, and on streams with a planted fault.

A clean stream is looked at again whenever four more steps are there, as a watch does; one alarm at any of these looks
counts. Of a planted fault the signals that should find it count, and how many steps after its beginning they did.

Then how soon: runs of 200 steps of 64 records (``benchmarks/policies.py``) beside the optimal CUSUM
(``benchmarks/cusum.py``), which is told the series, its rates and its expected path, at the same chance of a false
alarm. Last, runs whose data sources are dealt in many ways (``benchmarks/dealing.py``): whether healthy ones alarm, and
how soon a fault of one source is found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from app.watch.analysis import look
from app.watch.stream import RecordStream
from audits.statistics.proportion import wilson
from benchmarks.dealt_runs import OF_ONE_SOURCE, delays_of_one_source, quiet_dealt
from benchmarks.delays import Delay, Quiet, delays
from benchmarks.delays import quiet as silent
from benchmarks.pieces import find_by_seed
from benchmarks.policies import FAULTS
from benchmarks.report import Aim, Call, Form, called, finish, rows, show_aims
from benchmarks.streams import CLEAN, SPOILT, START, STEPS, Case
from trueward.wire.watch import Looking

MOST_FALSE = 0.05
LEAST_FOUND = 0.95


@dataclass(frozen=True, slots=True)
class Scale:
    """``seeds`` of each kind of stream; a clean one is looked at whenever it has ``every`` steps more."""

    seeds: int
    every: int = 4
    runs: int = 40
    """Clean runs of 200 steps, each looked at every ``runs_every`` steps."""
    runs_every: int = 100
    faulty: int = 6
    """Runs of each of the first ``faults``; ``healthy`` clean ones give the CUSUM its threshold."""
    healthy: int = 100
    faults: int | None = None
    dealt: int = 3
    """Healthy runs of each way to deal, each looked at every ``dealt_every`` steps."""
    dealt_every: int = 50


SCALES: dict[Form, Scale] = {
    "short": Scale(1, every=20, runs=1, runs_every=200, faulty=2, healthy=10, faults=1, dealt=0),
    "quick": Scale(10, every=8),
    "long": Scale(50, runs=200, runs_every=20, faulty=40, healthy=1000, dealt=20, dealt_every=20),
}
MOST_RATIO = 2.0


@dataclass(frozen=True, slots=True)
class Count:
    """``alarmed``: streams with an alarm that counts; ``delay``: median steps from the fault to the window of it."""

    name: str
    streams: int
    alarmed: int
    delay: float | None
    signals: dict[str, int]


def looks(stream: RecordStream, every: int) -> list[RecordStream]:
    """The stream as it grows: each time with so many steps more."""
    return [stream.part(stream.step < steps) for steps in range(every, STEPS + 1, every)]


def clean(case: Case, every: int, seeds: Sequence[int]) -> list[set[str]]:
    """The signals of each stream's alarms, at any look."""
    return [
        {
            one.signal
            for part in looks(case.make(seed), every)
            for one in look(case.name, part, Looking(), case.kind).findings
        }
        for seed in seeds
    ]


def spoilt(case: Case, seeds: Sequence[int]) -> list[tuple[set[str], int | None]]:
    """The signals of each stream's alarms, and the first step of the first that counts."""
    found: list[tuple[set[str], int | None]] = []
    for seed in seeds:
        findings = look(case.name, case.make(seed), Looking(), case.kind).findings
        steps = [one.first_step for one in findings if one.signal in case.expected and one.first_step is not None]
        found.append(({one.signal for one in findings}, min((step for step in steps if step >= START), default=None)))
    return found


def counted_clean(call: Call, scale: Scale) -> list[Count]:
    found = find_by_seed("watch", call, clean, [(case, scale.every) for case in CLEAN], range(scale.seeds))
    return [
        Count(case.name, len(streams), sum(map(bool, streams)), None, _times(streams))
        for case, streams in zip(CLEAN, found, strict=True)
    ]


def counted_spoilt(call: Call, scale: Scale) -> list[Count]:
    found = find_by_seed("watch", call, spoilt, [(case,) for case in SPOILT], range(scale.seeds))
    counts = []
    for case, streams in zip(SPOILT, found, strict=True):
        delays = [step - START for _, step in streams if step is not None]
        signals = _times([signals for signals, _ in streams])
        counts.append(Count(case.name, len(streams), len(delays), median(delays) if delays else None, signals))
    return counts


def _times(streams: Sequence[set[str]]) -> dict[str, int]:
    """In how many streams each signal was found."""
    return dict(Counter(signal for signals in streams for signal in sorted(signals)))


def wilson_text(hits: int, streams: int) -> str:
    """A count with the end of its interval that speaks against us."""
    low, high = wilson(hits, streams)
    return f"{hits} of {streams} " + (f"(at most {high:.1%})" if hits < streams / 2 else f"(at least {low:.1%})")


def aims(quiet: Sequence[Count], loud: Sequence[Count]) -> list[Aim]:
    false, clean_streams = sum(one.alarmed for one in quiet), sum(one.streams for one in quiet)
    worst = min(loud, key=lambda one: one.alarmed / one.streams)
    return [
        Aim(
            "clean streams with any alarm",
            f"at most {MOST_FALSE:.0%}",
            wilson_text(false, clean_streams),
            false <= MOST_FALSE * clean_streams,
            "signals without a level of their own: entropy, length and saturation of recipes without labels",
        ),
        Aim(
            "faults found, the worst kind",
            f"at least {LEAST_FOUND:.0%}",
            f"{wilson_text(worst.alarmed, worst.streams)}, {worst.name}",
            worst.alarmed >= LEAST_FOUND * worst.streams,
            "records in a window: smaller faults need more of them",
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("watch", __doc__ or "", arguments)
    scale = SCALES[call.form]
    quiet, loud = counted_clean(call, scale), counted_spoilt(call, scale)
    body = [
        [one.name, wilson_text(one.alarmed, one.streams), "" if one.delay is None else f"{one.delay:g}"]
        for one in (*quiet, *loud)
    ]
    rows("Streams with an alarm (95% intervals), steps until it", ["stream", "alarmed", "steps"], body)
    found = aims(quiet, loud)
    claims = {aim.name: bool(aim.met) for aim in found}
    late = delays(call, list(FAULTS)[: scale.faults], range(scale.faulty), scale.healthy)
    late += delays_of_one_source(call, list(OF_ONE_SOURCE)[: scale.faults], range(scale.faulty), scale.healthy)
    header = ["fault", "found", "steps", "CUSUM", "ratio", "by"]
    body = [
        [one.fault, f"{one.found} of {one.runs}", f"{one.watch:g}", f"{one.cusum:g}", f"{one.ratio:.1f}", _by(one)]
        for one in late
    ]
    rows("Median steps until a fault is found, its first one counted", header, body)
    healthy = silent(call, range(20_000, 20_000 + scale.runs), scale.runs_every)
    dealt = quiet_dealt(call, range(30_000, 30_000 + scale.dealt), scale.dealt_every)
    body = [[name, wilson_text(one.alarmed, one.runs)] for name, one in dealt.items() if one.runs]
    rows("Healthy runs whose prompts are dealt so, with an alarm (95% intervals)", ["dealt", "alarmed"], body)
    further = [*aims_of_delays(late, healthy), *aims_of_dealing(dealt)]
    show_aims([*found, *further])
    claims["clean runs of 200 steps raise no alarm"] = not healthy.alarmed
    claims["healthy runs raise no alarm however they are dealt"] = not sum(one.alarmed for one in dealt.values())
    claims["no fault is found before it began"] = not any(one.early for one in late)
    document = {"scale": scale, "cases": [*quiet, *loud], "delays": late, "clean": healthy, "dealt": dealt}
    finish("watch", call, {**document, "aims": [*found, *further]}, claims)


def aims_of_delays(late: Sequence[Delay], healthy: Quiet) -> list[Aim]:
    """One for each fault: a fault that is found too late is said to be."""
    told = [
        Aim(
            f"delay: {one.fault}",
            f"at most {MOST_RATIO:g} times the optimal CUSUM's",
            f"{one.ratio:.1f} times ({one.watch:g} and {one.cusum:g} steps), found in {one.found} of {one.runs} runs",
            one.ratio <= MOST_RATIO and one.found == one.runs,
            "rates, paths and the series itself are unknown to a watch, and all of its series share one chance",
        )
        for one in late
    ]
    alarmed = wilson_text(healthy.alarmed, healthy.runs)
    limit = "trends that bend faster than a line over 96 steps and a level over 48 both follow"
    return [*told, Aim("clean runs of 200 steps with any alarm", "0", alarmed, not healthy.alarmed, limit)]


def aims_of_dealing(dealt: Mapping[str, Quiet]) -> list[Aim]:
    """One for all ways to deal."""
    alarmed, runs = (sum(getattr(one, name) for one in dealt.values()) for name in ("alarmed", "runs"))
    if not runs:
        return []
    limit = "sources of which too few steps are known are not compared, and say nothing"
    return [Aim("healthy runs with any alarm, however dealt", "0", wilson_text(alarmed, runs), not alarmed, limit)]


def _by(one: Delay) -> str:
    return max(one.signals, key=lambda name: one.signals[name], default="")


if __name__ == "__main__":
    main()
