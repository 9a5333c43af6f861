"""Half as much again as it can do: is anybody failed, or anything lost, and does anything grow?

``python -m benchmarks.overload [--short | --long]``. First as much as 256 connections get answered (a closed loop) is
measured, then half as much again is sent for minutes (an open loop), slice after slice, mixed as in
:mod:`benchmarks.load.mix`, while a job is worked off. The room is small, so that it is full. Each slice has other
requests. What is compared with the end is how the service stood after the closed loop, when all of it was in use.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import httpx2
import numpy as np

from benchmarks import servers
from benchmarks.corpus import corpus
from benchmarks.load.generator import Shot, Volley, fire, write_requests
from benchmarks.load.mix import KINDS, RECIPES, mixed
from benchmarks.processes import Footprint
from benchmarks.report import Form, called, finish, rows

CONNECTIONS = 256
OVERLOAD = 1.5
ROOM = 600
CACHE = 2_000
GROWTH = 1.1
DESCRIPTORS_SLACK = 8
REFUSALS = (429, 503)
GRACE_S = 1.0
"""Beyond a deadline an answer has so long to be sent."""

_MOST_PER_S = 4_000
JOB_S = 600.0


@dataclass(frozen=True, slots=True)
class Scale:
    capacity_s: float
    slices: int
    seconds: float
    job: int


SCALES: dict[Form, Scale] = {
    "short": Scale(capacity_s=2.0, slices=1, seconds=3.0, job=300),
    "quick": Scale(capacity_s=10.0, slices=3, seconds=20.0, job=5_000),
    "long": Scale(capacity_s=20.0, slices=20, seconds=30.0, job=100_000),
}


@dataclass(slots=True)
class Told:
    """What the clients of a kind were told, and how long those waited that were answered."""

    answers: Counter[str] = field(default_factory=Counter)
    waits_s: list[float] = field(default_factory=list)

    def add(self, shot: Shot) -> None:
        refused = shot.status in REFUSALS
        self.answers[
            f"{shot.status} without Retry-After" if refused and shot.retry_after_s < 1 else str(shot.status)
        ] += 1
        if shot.status == 200:
            self.waits_s.append(shot.done_s - shot.sent_s)

    def p(self, share: float) -> float | None:
        return round(float(np.percentile(self.waits_s, 100 * share)), 4) if self.waits_s else None


@dataclass(slots=True)
class Tally:
    """All slices together; ``recorded`` samples were accepted, so the ledger has them."""

    told: dict[str, Told] = field(default_factory=lambda: {kind.name: Told() for kind in KINDS})
    recorded: int = 0
    unrecorded: int = 0
    client_cpu_s: float = 0.0
    wall_s: float = 0.0

    def add(self, volley: Volley) -> None:
        self.client_cpu_s += volley.client_cpu_s
        self.wall_s += volley.wall_s
        for shot in volley.shots:
            kind = KINDS[shot.tag]
            self.told[kind.name].add(shot)
            if shot.status == 200:
                self.recorded += kind.samples
                self.unrecorded += volley.answers[shot.request].count(b'"ledger_unavailable"')


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("overload", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    tally = Tally()
    with TemporaryDirectory(prefix="trueward-overload-") as folder:
        scratch, data = Path(folder), Path(folder, "data")
        (scratch / "recipes").mkdir()
        for name, text in RECIPES.items():
            (scratch / "recipes" / f"{name}.yaml").write_text(text)
        settings = {"max_waiting_samples": ROOM, "verdict_cache": CACHE, "check_cache": CACHE}
        with servers.trueward(data, recipes_dir=str(scratch / "recipes"), **settings) as server:
            capacity = _capacity(server, scale, scratch, tally)
            start = server.tree.settled(len(server.tree.members()))
            job = _job(server, scale.job)
            footprints = []
            for number in range(1, scale.slices + 1):
                requests = write_requests(
                    scratch / "requests", mixed(round(OVERLOAD * capacity * scale.seconds), seed=number)
                )
                volley = fire(
                    server.port,
                    requests,
                    connections=CONNECTIONS,
                    seconds=scale.seconds,
                    rate=OVERLOAD * capacity,
                    drain_s=_longest_s(),
                )
                tally.add(volley)
                footprints.append(server.tree.settled(start.processes))
            ended = _await(server, job)
        ledger = _ledger_rows(data / "trueward.db")
    _show(tally, capacity)
    document = {
        "scale": scale,
        "connections": CONNECTIONS,
        "overload": OVERLOAD,
        "room_samples": ROOM,
        "capacity_requests_per_s": round(capacity, 1),
        "told": {
            name: {"answers": dict(told.answers), "p50_s": told.p(0.5), "p99_s": told.p(0.99)}
            for name, told in tally.told.items()
        },
        "client_cpu_cores": round(tally.client_cpu_s / tally.wall_s, 3),
        "accepted_samples": tally.recorded,
        "ledger_rows": ledger,
        "job": ended,
        "start": start,
        "slices": footprints,
    }
    kept = tally.recorded - tally.unrecorded + scale.job
    finish("overload", call, document, claims(tally, start, footprints, ended, ledger - kept, server.survivors))


def _capacity(server: servers.Server, scale: Scale, scratch: Path, tally: Tally) -> float:
    """Requests a second that a closed loop gets answered, the last of them included."""
    requests = write_requests(scratch / "requests", mixed(round(_MOST_PER_S * scale.capacity_s), seed=0))
    volley = fire(server.port, requests, connections=CONNECTIONS, seconds=scale.capacity_s, drain_s=_longest_s())
    tally.add(volley)
    return max(1.0, sum(shot.status == 200 for shot in volley.shots) / volley.wall_s)


def _job(server: servers.Server, count: int) -> str:
    lines = [json.dumps({"verifier": "math"})]
    lines += [json.dumps({"response": item.response, "reference": item.reference}) for item in corpus(count, seed=-1)]
    headers = {"content-type": "application/x-ndjson"}
    answer = httpx2.post(f"{server.url}/v1/jobs", content="\n".join(lines).encode(), headers=headers, timeout=None)
    return str(answer.raise_for_status().json()["id"])


def _await(server: servers.Server, job: str) -> str:
    """The state of the job, and of those that were submitted one by one, once all have ended."""
    deadline = time.monotonic() + JOB_S
    state = "running"
    while state not in ("completed", "failed", "cancelled") and time.monotonic() < deadline:
        time.sleep(0.5)
        state = str(json.loads(server.get(f"/v1/jobs/{job}"))["state"])
    while time.monotonic() < deadline:
        page = json.loads(server.get("/v1/jobs?limit=1000"))["jobs"]
        if all(one["state"] == "completed" for one in page):
            break
        time.sleep(0.5)
    return state


def _ledger_rows(path: Path) -> int:
    """Verdicts; each recipe of the mix has one term."""
    with closing(sqlite3.connect(path)) as database:
        (count,) = database.execute("select count(*) from verdicts").fetchone()
    return int(count)


def _longest_s() -> float:
    return max(kind.answer_s for kind in KINDS) + GRACE_S


def claims(
    tally: Tally, start: Footprint, slices: Sequence[Footprint], job: str, surplus: int, survivors: Sequence[int]
) -> dict[str, bool]:
    """What must hold whatever the machine does; growth is judged where there are thirds to compare."""
    honest = {"200", *map(str, REFUSALS)}
    told = [(kind, tally.told[kind.name]) for kind in KINDS]
    held = {
        "clients that do not survive a refusal got an answer, all of them": all(
            set(one.answers) <= {"200"} for kind, one in told if kind.held
        ),
        "the others got an answer, or were told when to send again": all(set(one.answers) <= honest for _, one in told),
        "every answer came within its deadline": all(
            max(one.waits_s, default=0.0) <= kind.answer_s + GRACE_S for kind, one in told
        ),
        "each accepted sample is in the ledger, once": surplus == 0,
        "the job was completed beside it": job == "completed",
        "as many processes at the end as at the start": slices[-1].processes == start.processes,
        "no descriptor leaked": slices[-1].descriptors <= start.descriptors + DESCRIPTORS_SLACK,
        "no process outlived the server": not survivors,
    }
    third = len(slices) // 3
    if third >= 3:
        middle, last = (fmean(one.memory_bytes for one in part) for part in (slices[third:-third], slices[-third:]))
        held[f"memory of the last third is at most {GROWTH:g} times that of the middle one"] = last <= GROWTH * middle
    return held


def _show(tally: Tally, capacity: float) -> None:
    body = []
    for kind in KINDS:
        told = tally.told[kind.name]
        refused = sum(count for answer, count in told.answers.items() if answer != "200")
        waits = [f"{told.p(share) or 0:.3f}" for share in (0.5, 0.99)]
        body.append([kind.name, f"{told.answers['200']}", f"{refused}", *waits, f"{kind.answer_s:g}"])
    cores = tally.client_cpu_s / tally.wall_s
    title = f"Capacity {capacity:,.0f} requests/s, sent {OVERLOAD:g} times that; the client took {cores:.2f} cores"
    rows(title, ["", "answered", "refused", "p50 s", "p99 s", "deadline s"], body)


if __name__ == "__main__":
    main()
