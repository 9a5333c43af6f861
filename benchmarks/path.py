"""What a sample costs on the one path, beside an empty endpoint and what labs write today, in one run.

``python -m benchmarks.path [--short | --long]``. Targets take turns, each in a new server with a cold cache; the
result is the median over the rounds; rounds that other processes disturbed are discarded and taken again. Every
server has two processes: the peers two of uvicorn's, Trueward its own and one worker of the cpu lane.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from benchmarks import servers
from benchmarks.corpus import SYMBOLIC_SHARE, Item, corpus
from benchmarks.load.generator import write_requests
from benchmarks.measure import (
    DISTURBED_CORES,
    WARM_SAMPLES,
    Load,
    Run,
    measure,
    middle,
    peer_grades,
    peer_requests,
    trueward_grades,
    trueward_requests,
)
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from trueward.wire.sample import Sample
from verifiers.math import MathVerifier

PROCESSES = 2
BATCH = 64
OVERHEAD_S = 1e-4
FASTER = 4.0
SOONER = 0.5


@dataclass(frozen=True, slots=True)
class Target:
    name: str
    server: Literal["empty", "naive", "trueward"]
    connections: int
    batch: int = 1
    symbolic_share: float = SYMBOLIC_SHARE

    def start(self) -> AbstractContextManager[servers.Server]:
        if self.server == "trueward":
            return servers.trueward(workers=PROCESSES - 1)
        return servers.peer(self.server, PROCESSES)


EMPTY = Target("empty endpoint, 64 connections", "empty", 64)
NAIVE = {n: Target(f"inline math-verify, {n} connections", "naive", n) for n in (1, 64, 512)}
OURS = {n: Target(f"Trueward, {n} connections", "trueward", n) for n in (1, 64, 512)}
BATCHES = Target("Trueward, batches of 64, 8 connections", "trueward", 8, BATCH)
EXACT_BATCHES = Target("Trueward, batches of 64, exact only", "trueward", 8, BATCH, symbolic_share=0.0)
TARGETS = (EMPTY, *NAIVE.values(), *OURS.values(), BATCHES, EXACT_BATCHES)


@dataclass(frozen=True, slots=True)
class Scale:
    """``samples_per_s``: as many are prepared for each second of one-sample load, four times that for batches.

    ``warm``: requests before. ``new``: each target has a server of its own.
    """

    rounds: int
    most_rounds: int
    seconds: float
    samples_per_s: int
    warm: int = WARM_SAMPLES
    new: bool = True


SCALES: dict[Form, Scale] = {
    "short": Scale(rounds=1, most_rounds=1, seconds=2.0, samples_per_s=36, warm=8, new=False),
    "quick": Scale(rounds=3, most_rounds=4, seconds=4.0, samples_per_s=10_000),
    "long": Scale(rounds=5, most_rounds=12, seconds=8.0, samples_per_s=10_000),
}


@dataclass(slots=True)
class Tally:
    """The runs of one target: those that count and those that other processes disturbed."""

    kept: list[Run]
    discarded: list[Run]

    def disturbed(self, rounds: int) -> bool:
        """True where less than half of the rounds went undisturbed: then all count, and prove nothing."""
        return 2 * len(self.kept) <= rounds

    def middle(self, rounds: int) -> Run:
        return middle(self.kept if not self.disturbed(rounds) else self.kept + self.discarded)


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("path", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    with TemporaryDirectory(prefix="trueward-path-") as scratch:
        loads = {target: _load(target, scale, Path(scratch)) for target in TARGETS}
        inline_s = inline_cost_s(loads[EXACT_BATCHES].items)
        tallies = _take_turns(loads, scale)
    medians = {target: tally.middle(scale.rounds) for target, tally in tallies.items()}
    disturbed = {target for target, tally in tallies.items() if tally.disturbed(scale.rounds)}
    aims = judge(medians, inline_s, disturbed)
    _show(medians, disturbed)
    show_aims(aims)
    finish("path", call, _document(scale, tallies, medians, disturbed, inline_s, aims), claims(tallies))


def _take_turns(loads: dict[Target, Load], scale: Scale) -> dict[Target, Tally]:
    tallies = {target: Tally([], []) for target in loads}
    with servers.Servers(new=scale.new) as running:
        for _ in range(scale.most_rounds):
            for target, load in loads.items():
                tally = tallies[target]
                if len(tally.kept) < scale.rounds:
                    with running.started(target.server, target.start) as server:
                        run = measure(server, load, connections=target.connections, seconds=scale.seconds)
                    (tally.discarded if run.disturbed else tally.kept).append(run)
    return tallies


def _load(target: Target, scale: Scale, scratch: Path) -> Load:
    """The same samples for every server; a file is written once for all that can share it."""
    ours = target.server == "trueward"
    count = int(scale.samples_per_s * scale.seconds) * (4 if target.batch > 1 else 1)

    def prepared(name: str, items: Sequence[Item]) -> Path:
        path = scratch / f"{name}-{'trueward' if ours else 'peer'}-{target.batch}-{target.symbolic_share}"
        if path.exists():
            return path
        return write_requests(path, trueward_requests(items, target.batch) if ours else peer_requests(items))

    items = _items(count, 0, target.symbolic_share)
    return Load(
        requests=prepared("load", items),
        warm=prepared("warm", _items(scale.warm * target.batch, 1, target.symbolic_share)),
        items=items,
        batch=target.batch,
        grades={"empty": lambda body: [], "naive": peer_grades, "trueward": trueward_grades}[target.server],
    )


@cache
def _items(count: int, seed: int, symbolic_share: float) -> Sequence[Item]:
    return list(corpus(count, seed=seed, symbolic_share=symbolic_share))


def inline_cost_s(items: Sequence[Item], count: int = 5_000) -> float:
    """CPU seconds a sample that the verifier itself takes in the serving process, measured in this one."""
    verifier = MathVerifier()
    samples = [Sample(response=item.response, reference=item.reference) for item in items[:count]]
    for sample in samples[:100]:
        verifier.triage(sample)
    started_s = time.process_time()
    for sample in samples[100:]:
        verifier.triage(sample)
    return (time.process_time() - started_s) / len(samples[100:])


def claims(tallies: dict[Target, Tally]) -> dict[str, bool]:
    """What must hold of Trueward whatever the machine does."""
    ours = [tally for target, tally in tallies.items() if target.server == "trueward"]
    runs = [run for tally in ours for run in (*tally.kept, *tally.discarded)]
    return {
        "every request was answered": all(run.failed == 0 for run in runs),
        "every sample got a verdict": all(run.missing == 0 for run in runs),
        "every sample was judged as its construction says": all(run.right == 1 for run in runs),
    }


def judge(medians: dict[Target, Run], inline_s: float, disturbed: set[Target]) -> list[Aim]:
    def told(reached: bool, *targets: Target) -> bool | None:
        return None if disturbed.intersection(targets) else reached

    gross_s = medians[EXACT_BATCHES].cpu_per_sample_s
    ours, naive = medians[OURS[64]], medians[NAIVE[64]]
    faster = ours.samples_per_s / max(naive.samples_per_s, 1e-9)
    many, naive_many = medians[OURS[512]], medians[NAIVE[512]]
    late, naive_late = many.exact.p99_s or 0.0, naive_many.exact.p99_s or 0.0
    sooner = late / naive_late if naive_late else float("inf")
    return [
        Aim(
            "CPU of HTTP, fingerprint, cache and ledger a sample, batches of 64",
            f"at most {OVERHEAD_S * 1e3:.2f} ms",
            f"{(gross_s - inline_s) * 1e3:.4f} ms ({gross_s * 1e3:.4f} with the verifier's own {inline_s * 1e3:.4f})",
            told(gross_s - inline_s <= OVERHEAD_S, EXACT_BATCHES),
            _limit(medians[EXACT_BATCHES]),
        ),
        Aim(
            "rate at 64 connections, one sample a request",
            f"at least {FASTER:g} times inline math-verify",
            f"{faster:.2f} times ({ours.samples_per_s:.0f} against {naive.samples_per_s:.0f} a second)",
            told(faster >= FASTER, OURS[64], NAIVE[64]),
            _limit(ours),
        ),
        Aim(
            "p99 of exact-path samples at 512 connections",
            f"at most {SOONER:g} of inline math-verify's",
            f"{sooner:.2f} ({late * 1e3:.0f} ms against {naive_late * 1e3:.0f}); "
            f"symbolic {_ms(many.symbolic.p99_s)} ms against {_ms(naive_many.symbolic.p99_s)}",
            told(sooner <= SOONER, OURS[512], NAIVE[512]),
            _limit(many),
        ),
    ]


def _limit(run: Run) -> str:
    """Who is busy tells what to make cheaper."""
    used = f"server {run.server_cores:.2f}, worker {run.worker_cores:.2f}, client {run.client_cores:.2f} cores"
    if run.worker_cores > 0.85 * (PROCESSES - 1):
        return f"the worker's symbolic checks ({used})"
    if run.server_cores > 0.85:
        return f"the serving process ({used})"
    return f"waiting, or sharing the cores ({used})"


def _document(
    scale: Scale,
    tallies: dict[Target, Tally],
    medians: dict[Target, Run],
    disturbed: set[Target],
    inline_s: float,
    aims: Sequence[Aim],
) -> dict[str, object]:
    naive = {target.connections: medians[target].samples_per_s for target in NAIVE.values()}
    return {
        "scale": scale,
        "symbolic_share": SYMBOLIC_SHARE,
        "processes": PROCESSES,
        "disturbed_above_cores": DISTURBED_CORES,
        "verifier_inline_s": inline_s,
        "aims": aims,
        "ratio_to_inline_math_verify": {
            str(n): medians[OURS[n]].samples_per_s / max(rate, 1e-9) for n, rate in naive.items()
        },
        "targets": {
            target.name: {
                "median": medians[target],
                "disturbed": target in disturbed,
                "runs": tally.kept,
                "discarded": tally.discarded,
            }
            for target, tally in tallies.items()
        },
    }


def _show(medians: dict[Target, Run], disturbed: set[Target]) -> None:
    header = [
        "",
        "samples/s",
        "exact p50",
        "p99",
        "symbolic p50",
        "p99",
        "batch p99",
        "CPU us",
        "client",
        "right",
        "null",
    ]
    body = [
        [
            target.name + (" (disturbed)" if target in disturbed else ""),
            f"{run.samples_per_s:,.0f}",
            *(_ms(seconds) for seconds in (run.exact.p50_s, run.exact.p99_s)),
            *(_ms(seconds) for seconds in (run.symbolic.p50_s, run.symbolic.p99_s)),
            _ms(run.batch.p99_s),
            f"{run.cpu_per_sample_s * 1e6:,.0f}",
            f"{run.client_cores:.2f}",
            "-" if target is EMPTY else f"{run.right:.1%}",
            "-" if target is EMPTY else f"{run.missing:.1%}",
        ]
        for target, run in medians.items()
    ]
    rows("Latency in ms; CPU of the server and its children a sample; the client's share of a core", header, body)


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:,.1f}"


if __name__ == "__main__":
    main()
