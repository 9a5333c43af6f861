"""Do hangs of a few cost the others? Loads of which 1% never ends, against the same without.

``python -m benchmarks.hangs [--short | --long]``. An open loop at a stated rate, whose hang work (rate x share x
CPU limit x tries) is a quarter of the workers' seconds; latency counts from when a request was due, and there are
connections enough that none waits for one. Then a crowd: 64 clients as fast as they are answered. The hang is
a plug-in verifier that burns CPU in a worker until the service kills it, once: its own CPU limit is certain proof.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import planted, servers
from benchmarks.corpus import SYMBOLIC_SHARE, Item, corpus
from benchmarks.load.generator import fire, write_requests
from benchmarks.measure import DISTURBED_CORES, EXACT, HANG, OK, SYMBOLIC, WARM_S, WARM_SAMPLES, Latency
from benchmarks.planted import Outcomes
from benchmarks.processes import Footprint, billed
from benchmarks.report import Aim, Call, Form, called, finish, rows, show_aims

WORKERS = 2
CPU_LIMIT_S = 0.5
SHARE = 0.01
TRIES = 1
RATE = 0.25 * WORKERS / (SHARE * CPU_LIMIT_S * TRIES)
CONNECTIONS = 512
CROWD = 64
SLOWER = 2.0
MEMORY_SLACK_BYTES = 128 * 2**20


@dataclass(frozen=True, slots=True)
class Scale:
    """``crowd_per_s``: samples that are prepared for the crowd. ``warm``: requests before. ``new``: each trial has a
    server of its own."""

    rounds: int
    most_rounds: int
    seconds: float
    crowd_per_s: int = 2_000
    warm: int = WARM_SAMPLES
    new: bool = True


SCALES: dict[Form, Scale] = {
    "short": Scale(rounds=1, most_rounds=1, seconds=1.0, crowd_per_s=200, warm=16, new=False),
    "quick": Scale(rounds=2, most_rounds=3, seconds=20.0),
    "long": Scale(rounds=5, most_rounds=10, seconds=60.0),
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One load on a new server; ``rate`` 0 is a closed loop.

    Footprints are of the server and its descendants, before and after.
    """

    share: float
    clients: int
    rate: float
    samples_per_s: float
    exact: Latency
    symbolic: Latency
    hang: Latency
    outcomes: Outcomes
    before: Footprint
    after: Footprint
    server_cores: float
    worker_cores: float
    foreign_cores: float
    client_cores: float
    survivors: list[int]

    @property
    def disturbed(self) -> bool:
        return self.foreign_cores > DISTURBED_CORES


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("hangs", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    with TemporaryDirectory(prefix="trueward-hangs-") as scratch, servers.Servers(new=scale.new) as running:
        calm, hanging = _pairs(scale, Path(scratch), running)
        crowd = _crowd(scale, Path(scratch), running)
    _report(call, scale, calm, hanging, crowd)


def _pairs(scale: Scale, scratch: Path, running: servers.Servers) -> tuple[list[Trial], list[Trial]]:
    """Trials without and with hangs, in turn, until enough pairs went undisturbed."""
    items = list(corpus(int(RATE * scale.seconds)))
    files = {share: write_requests(scratch / str(share), planted.requests(items, share)) for share in (0.0, SHARE)}
    calm: list[Trial] = []
    hanging: list[Trial] = []
    for _ in range(scale.most_rounds):
        for share, trials in ((0.0, calm), (SHARE, hanging)):
            trials.append(_trial(running, scale, share, items, files[share], CONNECTIONS, RATE))
        if len(_undisturbed(calm, hanging)) == scale.rounds:
            break
    return calm, hanging


def _crowd(scale: Scale, scratch: Path, running: servers.Servers) -> Trial:
    items = list(corpus(int(scale.crowd_per_s * scale.seconds), seed=2))
    requests = write_requests(scratch / "crowd", planted.requests(items, SHARE))
    return _trial(running, scale, SHARE, items, requests, CROWD, 0.0)


def _undisturbed(calm: Sequence[Trial], hanging: Sequence[Trial]) -> list[tuple[Trial, Trial]]:
    pairs = zip(calm, hanging, strict=True)
    return [(without, with_) for without, with_ in pairs if not (without.disturbed or with_.disturbed)]


def _trial(
    running: servers.Servers,
    scale: Scale,
    share: float,
    items: Sequence[Item],
    requests: Path,
    connections: int,
    rate: float,
) -> Trial:
    outcomes = Outcomes()
    warm = write_requests(requests.with_name("warm"), planted.requests(corpus(scale.warm, seed=1), 0.0))
    with running.started("trueward", _server) as server:
        fire(server.port, warm, connections=16, seconds=WARM_S)
        before = server.tree.footprint()
        with billed(server.tree) as bill:
            volley = fire(server.port, requests, connections=connections, seconds=scale.seconds, rate=rate)
        after = server.tree.settled(before.processes)
    outcomes.add(volley, items)
    by_tag = {tag: [shot for shot in volley.shots if shot.tag == tag and shot.status == OK] for tag in planted.KINDS}
    return Trial(
        share=share,
        clients=connections,
        rate=rate,
        samples_per_s=round(len(volley.shots) / volley.wall_s, 1),
        exact=Latency.of(by_tag[EXACT]),
        symbolic=Latency.of(by_tag[SYMBOLIC]),
        hang=Latency.of(by_tag[HANG]),
        outcomes=outcomes,
        before=before,
        after=after,
        server_cores=round(bill.server_s / bill.wall_s, 3),
        worker_cores=round(bill.workers_s / bill.wall_s, 3),
        foreign_cores=round(bill.foreign_cores, 3),
        client_cores=round(volley.client_cpu_s / bill.wall_s, 3),
        survivors=server.survivors,
    )


def _server() -> AbstractContextManager[servers.Server]:
    return servers.trueward(workers=WORKERS, cpu_limit_s=CPU_LIMIT_S)


def claims(trials: Sequence[Trial]) -> dict[str, bool]:
    """What must hold whatever the machine does."""
    return {
        **{claim: all(trial.outcomes.claims()[claim] for trial in trials) for claim in Outcomes().claims()},
        "hangs were planted": any(trial.hang.count for trial in trials),
        "as many processes after as before": all(t.after.processes == t.before.processes for t in trials),
        "no process outlived its server": not any(trial.survivors for trial in trials),
        f"memory grew by less than {MEMORY_SLACK_BYTES >> 20} MiB": all(
            trial.after.memory_bytes - trial.before.memory_bytes < MEMORY_SLACK_BYTES for trial in trials
        ),
    }


def _report(call: Call, scale: Scale, calm: Sequence[Trial], hanging: Sequence[Trial], crowd: Trial) -> None:
    pairs = _undisturbed(calm, hanging)
    enough = 2 * len(pairs) > scale.rounds
    counted = pairs if enough else list(zip(calm, hanging, strict=True))
    without_s, with_s = (_p99_s([pair[side].exact for pair in counted]) for side in (0, 1))
    symbolic = [_p99_s([pair[side].symbolic for pair in counted]) for side in (0, 1)]
    ratio = with_s / without_s if without_s else float("inf")
    aim = Aim(
        f"p99 of exact-path samples with {SHARE:.0%} hangs at {RATE:g} requests a second",
        f"at most {SLOWER:g} times that without",
        f"{ratio:.2f} times ({with_s * 1e3:.2f} ms against {without_s * 1e3:.2f}); "
        f"symbolic {symbolic[1] * 1e3:.0f} ms against {symbolic[0] * 1e3:.0f}",
        (ratio <= SLOWER) if enough else None,
        _limit([pair[1] for pair in counted]),
    )
    trials = [*calm, *hanging, crowd]
    _show(trials)
    show_aims([aim])
    document = {
        "scale": scale,
        "workers": WORKERS,
        "cpu_limit_s": CPU_LIMIT_S,
        "hang_share": SHARE,
        "tries": TRIES,
        "rate": RATE,
        "hang_work_of_worker_seconds": RATE * SHARE * CPU_LIMIT_S * TRIES / WORKERS,
        "symbolic_share": SYMBOLIC_SHARE,
        "disturbed_above_cores": DISTURBED_CORES,
        "aims": [aim],
        "without": calm,
        "with": hanging,
        "crowd": crowd,
    }
    finish("hangs", call, document, claims(trials))


def _limit(trials: Sequence[Trial]) -> str:
    """Where the cores are taken, the serving process waits for one; else the wait is its own."""
    server, workers, others = (
        median(getattr(trial, name) for trial in trials) for name in ("server_cores", "worker_cores", "foreign_cores")
    )
    used = f"server {server:.2f}, workers {workers:.2f}, others {others:.2f} of {os.cpu_count()} cores on average"
    taken = WORKERS + server + others >= (os.cpu_count() or 1)
    return f"cores, while {WORKERS} workers spin ({used})" if taken else f"the serving process itself ({used})"


def _p99_s(latencies: Sequence[Latency]) -> float:
    return median(latency.p99_s or 0.0 for latency in latencies)


def _show(trials: Sequence[Trial]) -> None:
    header = [
        "",
        "samples/s",
        "exact p50",
        "p99",
        "symbolic p50",
        "p99",
        "hang p50",
        "p99",
        "null",
        "MiB",
        "processes",
        "foreign",
    ]
    body = [
        [
            f"{trial.share:.0%} hangs, " + (f"{trial.rate:g}/s" if trial.rate else f"{trial.clients} clients"),
            f"{trial.samples_per_s:,.0f}",
            *(
                "-" if seconds is None else f"{seconds * 1e3:,.2f}"
                for latency in (trial.exact, trial.symbolic, trial.hang)
                for seconds in (latency.p50_s, latency.p99_s)
            ),
            str(trial.outcomes.missing),
            f"{trial.before.memory_bytes / 2**20:.0f} to {trial.after.memory_bytes / 2**20:.0f}",
            f"{trial.before.processes} to {trial.after.processes}",
            f"{trial.foreign_cores:.2f}",
        ]
        for trial in trials
    ]
    rows("Latency in ms from when a request was due; CPU of others in cores", header, body)


if __name__ == "__main__":
    main()
