"""Does anything grow? Minutes of mixed load with hangs, 64 clients as fast as they are answered.

``python -m benchmarks.soak [--short | --long]``. Memory, descriptors and processes of the service are read after
each slice of the load. The caches are made small, so that they are full early and whatever still grows is a leak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from benchmarks import planted, servers
from benchmarks.corpus import corpus
from benchmarks.load.generator import fire, write_requests
from benchmarks.planted import Outcomes
from benchmarks.processes import Footprint
from benchmarks.report import Form, called, finish, rows

WORKERS = 2
CPU_LIMIT_S = 0.5
SHARE = 0.01
CONNECTIONS = 64
CACHE = 2_000
GROWTH = 1.1
DESCRIPTORS_SLACK = 8


@dataclass(frozen=True, slots=True)
class Scale:
    """``samples_per_s``: as many are prepared; a slice ends when all were sent."""

    slices: int
    seconds: float
    samples_per_s: int = 4_000


SCALES: dict[Form, Scale] = {
    "short": Scale(slices=2, seconds=10.0, samples_per_s=12),
    "quick": Scale(slices=9, seconds=10.0),
    "long": Scale(slices=60, seconds=15.0),
}


@dataclass(frozen=True, slots=True)
class Slice:
    samples: int
    samples_per_s: float
    footprint: Footprint


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("soak", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    outcomes = Outcomes()
    settings = {"workers": WORKERS, "cpu_limit_s": CPU_LIMIT_S, "verdict_cache": CACHE, "check_cache": CACHE}
    with TemporaryDirectory(prefix="trueward-soak-") as scratch, servers.trueward(**settings) as server:
        start = server.tree.footprint()
        slices = [
            _slice(server, number, scale, Path(scratch), outcomes, start.processes) for number in range(scale.slices)
        ]
    _show(start, slices)
    document = {
        "scale": scale,
        "workers": WORKERS,
        "cpu_limit_s": CPU_LIMIT_S,
        "hang_share": SHARE,
        "connections": CONNECTIONS,
        "cache_entries": CACHE,
        "samples": outcomes.total,
        "refused": outcomes.refused,
        "outcomes": {kind: dict(ends) for kind, ends in outcomes.ends.items()},
        "start": start,
        "slices": slices,
    }
    finish("soak", call, document, claims(outcomes, start, slices, server.survivors))


def _slice(
    server: servers.Server, number: int, scale: Scale, scratch: Path, outcomes: Outcomes, processes: int
) -> Slice:
    items = list(corpus(int(scale.samples_per_s * scale.seconds), seed=number))
    requests = write_requests(scratch / "requests", planted.requests(items, SHARE, seed=number))
    volley = fire(server.port, requests, connections=CONNECTIONS, seconds=scale.seconds)
    outcomes.add(volley, items)
    footprint = server.tree.settled(processes)
    return Slice(len(volley.shots), round(len(volley.shots) / volley.wall_s, 1), footprint)


def claims(outcomes: Outcomes, start: Footprint, slices: Sequence[Slice], survivors: Sequence[int]) -> dict[str, bool]:
    """What must hold whatever the machine does; growth is judged where there are thirds to compare."""
    end = slices[-1].footprint
    held = {
        **outcomes.claims(),
        "as many processes at the end as at the start": end.processes == start.processes,
        "no descriptor leaked": end.descriptors <= slices[0].footprint.descriptors + DESCRIPTORS_SLACK,
        "no process outlived the server": not survivors,
    }
    third = len(slices) // 3
    if third >= 3:
        middle, last = (
            fmean(each.footprint.memory_bytes for each in part) for part in (slices[third:-third], slices[-third:])
        )
        held[f"memory of the last third is at most {GROWTH:g} times that of the middle one"] = last <= GROWTH * middle
    return held


def _show(start: Footprint, slices: Sequence[Slice]) -> None:
    body = [["start", "-", f"{start.memory_bytes / 2**20:.0f}", str(start.descriptors), str(start.processes)]]
    step = max(1, len(slices) // 10)
    for number, each in list(enumerate(slices, start=1))[step - 1 :: step]:
        seen = each.footprint
        numbers = [f"{each.samples_per_s:,.0f}", f"{seen.memory_bytes / 2**20:.0f}"]
        body.append([f"slice {number}", *numbers, str(seen.descriptors), str(seen.processes)])
    rows("The service and its workers after each slice", ["", "samples/s", "MiB", "descriptors", "processes"], body)


if __name__ == "__main__":
    main()
