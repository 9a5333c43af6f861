"""Two, five and ten times as much as it can do: is anybody failed, or anything lost, and does anything grow?

``python -m benchmarks.overload [--short | --long]``. First as much as a few connections get answered (a closed loop) is
measured: the capacity. Then multiples of it are sent (an open loop), slice after slice, by as many connections that few
requests wait for one: 256 for each time the capacity. They are mixed as in
:mod:`benchmarks.load.mix`, while a job is worked off. The room is small, so that it is full. Each slice has other
requests. Beside them a stranger, a program of its own with another HTTP client, asks for health and for one small
verdict, on a new connection each time. What is compared with the end is how the service stood after the closed loop,
when all of it was in use.
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
from benchmarks.load.stranger import DEADLINE_S, Met, Stranger
from benchmarks.processes import Footprint
from benchmarks.report import Aim, Form, called, finish, rows, show_aims

CONNECTIONS, AT_CAPACITY = 256, 32
"""Connections of the overload for each time the capacity, and of the closed loop that measures the capacity."""

GOODPUT, NULLS, HEALTH_S, RESTED = 0.9, 0.01, 0.2, 1.1
"""Aims: useful samples a second over those at capacity, missing scores, health's worst answer, memory afterwards."""

ROOM = 600
CACHE = 2_000
GROWTH = 1.1
REST_S = 60.0
DESCRIPTORS_SLACK = 8
PLACES = 34
"""A jail is made when a program first needs one more at once, and kept: two, and 32 for programs that sleep."""

REFUSALS = (429, 503)
UNRECORDED = (b'"ledger_unavailable"', b'"deadline_passed_waiting"')
NULL = (b'"score":null', b'"reward":null')
GRACE_S = 1.0
"""Beyond a deadline an answer has so long to be sent."""

JOB_S, POLL_S = 600.0, 0.1


@dataclass(frozen=True, slots=True)
class Scale:
    """``most_per_s``: requests that are prepared to measure the capacity."""

    capacity_s: float
    slices: int
    seconds: float
    job: int
    most_per_s: int = 4_000
    factors: tuple[float, ...] = (2.0, 5.0, 10.0)
    rest_s: float = REST_S


SCALES: dict[Form, Scale] = {
    "short": Scale(capacity_s=1.0, slices=1, seconds=0.5, job=100, most_per_s=150, factors=(2.0,), rest_s=1.0),
    "quick": Scale(capacity_s=10.0, slices=1, seconds=15.0, job=2_000, rest_s=20.0),
    "long": Scale(capacity_s=20.0, slices=6, seconds=30.0, job=100_000),
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
    """Slices together; ``recorded`` samples were accepted, so the ledger has them, ``missing`` scores are null."""

    told: dict[str, Told] = field(default_factory=lambda: {kind.name: Told() for kind in KINDS})
    recorded: int = 0
    unrecorded: int = 0
    missing: int = 0
    client_cpu_s: float = 0.0
    sent_s: float = 0.0
    wall_s: float = 0.0

    def add(self, volley: Volley, seconds: float) -> None:
        """``seconds``: so long it was sent; what is answered later counts, and its time does."""
        self.client_cpu_s += volley.client_cpu_s
        self.sent_s += seconds
        self.wall_s += volley.wall_s
        for shot in volley.shots:
            kind = KINDS[shot.tag]
            self.told[kind.name].add(shot)
            if shot.status == 200:
                answer = volley.answers[shot.request]
                self.recorded += kind.samples
                self.unrecorded += sum(answer.count(code) for code in UNRECORDED)
                self.missing += sum(answer.count(null) for null in NULL)

    @property
    def useful_s(self) -> float:
        """Samples with a score, a second."""
        return (self.recorded - self.missing) / self.wall_s

    @property
    def missing_share(self) -> float:
        return self.missing / max(1, self.recorded)

    @property
    def within_deadline(self) -> float:
        """The largest p99 of a native kind, over its deadline."""
        shares = [(self.told[kind.name].p(0.99) or 0.0) / kind.answer_s for kind in KINDS if not kind.held]
        return max(shares)


@dataclass(frozen=True, slots=True)
class Load:
    """So many times the capacity: what came of it, and what the stranger was told meanwhile."""

    factor: float
    tally: Tally
    stranger: dict[str, Met]

    def longest_s(self, what: str) -> float:
        return max(self.stranger[what].seconds, default=0.0)


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("overload", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    everything = Tally()
    with TemporaryDirectory(prefix="trueward-overload-") as folder:
        scratch, data = Path(folder), Path(folder, "data")
        (scratch / "recipes").mkdir()
        for name, text in RECIPES.items():
            (scratch / "recipes" / f"{name}.yaml").write_text(text)
        settings = {"max_waiting_samples": ROOM, "verdict_cache": CACHE, "check_cache": CACHE}
        with servers.trueward(data, recipes_dir=str(scratch / "recipes"), **settings) as server:
            capacity, at_capacity = _capacity(server, scale, scratch, everything)
            start = server.tree.settled(len(server.tree.members()))
            job = _job(server, scale.job)
            loads, footprints = [], []
            for factor in scale.factors:
                loads.append(_overload(server, scale, scratch, factor, factor * capacity, everything))
                footprints.append(server.tree.settled(start.processes))
            ended = _await(server, job)
            time.sleep(scale.rest_s)
            rested = server.tree.settled(start.processes)
        ledger = _ledger_rows(data / "trueward.db")
    _show(loads, at_capacity, capacity)
    aims = _aims(loads, at_capacity, start, rested)
    show_aims(aims)
    document = {
        "scale": scale,
        "connections_a_time": CONNECTIONS,
        "room_samples": ROOM,
        "capacity_requests_per_s": round(capacity, 1),
        "capacity_samples_per_s": round(at_capacity.useful_s, 1),
        "loads": [_document(load) for load in loads],
        "told": _told(everything),
        "client_cpu_cores": round(everything.client_cpu_s / everything.wall_s, 3),
        "accepted_samples": everything.recorded,
        "ledger_rows": ledger,
        "job": ended,
        "start": start,
        "loaded": footprints,
        "rested": rested,
        "aims": aims,
    }
    strangers = sum(load.stranger["verdict"].statuses.count(200) for load in loads)
    kept = everything.recorded - everything.unrecorded + scale.job + strangers
    held = claims(everything, start, footprints, ended, ledger - kept, server.survivors)
    finish("overload", call, document, held)


def _capacity(server: servers.Server, scale: Scale, scratch: Path, everything: Tally) -> tuple[float, Tally]:
    """Requests a second that a closed loop gets answered, the last of them included, and what it was told."""
    requests = write_requests(scratch / "requests", mixed(round(scale.most_per_s * scale.capacity_s), seed=0))
    seconds = scale.capacity_s
    volley = fire(server.port, requests, connections=AT_CAPACITY, seconds=seconds, drain_s=_longest_s())
    tally = Tally()
    for one in (tally, everything):
        one.add(volley, seconds)
    return max(1.0, sum(shot.status == 200 for shot in volley.shots) / volley.wall_s), tally


def _overload(
    server: servers.Server, scale: Scale, scratch: Path, factor: float, rate: float, everything: Tally
) -> Load:
    tally = Tally()
    stranger = Stranger(server.port, scale.slices * scale.seconds)
    for number in range(scale.slices):
        seed = round(100 * factor) + number
        requests = write_requests(scratch / "requests", mixed(round(rate * scale.seconds), seed=seed))
        volley = fire(
            server.port,
            requests,
            connections=round(CONNECTIONS * factor),
            seconds=scale.seconds,
            rate=rate,
            drain_s=_longest_s(),
        )
        for one in (tally, everything):
            one.add(volley, scale.seconds)
    return Load(factor, tally, stranger.wait())


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
        time.sleep(POLL_S)
        state = str(json.loads(server.get(f"/v1/jobs/{job}"))["state"])
    while time.monotonic() < deadline:
        page = json.loads(server.get("/v1/jobs?limit=1000"))["jobs"]
        if all(one["state"] == "completed" for one in page):
            break
        time.sleep(POLL_S)
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
        "no more processes at the end than at the start and places for programs": slices[-1].processes
        <= start.processes + PLACES,
        "no descriptor leaked": slices[-1].descriptors
        <= start.descriptors + DESCRIPTORS_SLACK * (1 + slices[-1].processes - start.processes),
        "no process outlived the server": not survivors,
    }
    third = len(slices) // 3
    if third >= 3:
        middle, last = (fmean(one.memory_bytes for one in part) for part in (slices[third:-third], slices[-third:]))
        held[f"memory of the last third is at most {GROWTH:g} times that of the middle one"] = last <= GROWTH * middle
    return held


def _aims(loads: Sequence[Load], at_capacity: Tally, start: Footprint, rested: Footprint) -> list[Aim]:
    found = []
    for load in loads:
        name, tally = f"{load.factor:g} times", load.tally
        ratio = tally.useful_s / at_capacity.useful_s
        shared = "the load client, the stranger and the service share the cores"
        found += [
            Aim(f"{name}: goodput over that at capacity", f">= {GOODPUT:g}", f"{ratio:.2f}", ratio >= GOODPUT, shared),
            Aim(
                f"{name}: missing scores",
                f"< {NULLS:.0%}",
                f"{tally.missing_share:.2%}",
                tally.missing_share < NULLS,
                "what was begun and not judged in time",
            ),
            Aim(
                f"{name}: p99 of accepted native calls over their deadline",
                "< 1",
                f"{tally.within_deadline:.2f}",
                tally.within_deadline < 1,
                shared,
            ),
            Aim(
                f"{name}: a stranger's small call, longest",
                f"< {DEADLINE_S:g} s",
                f"{load.longest_s('verdict'):.2f} s",
                load.longest_s("verdict") < DEADLINE_S,
                shared,
            ),
            Aim(
                f"{name}: /health/live, longest",
                f"< {HEALTH_S:g} s",
                f"{load.longest_s('health'):.2f} s",
                load.longest_s("health") < HEALTH_S,
                "pieces of the event loop, and the cores",
            ),
            Aim(
                f"{name}: /metrics, longest",
                f"< {HEALTH_S:g} s",
                f"{load.longest_s('metrics'):.2f} s",
                load.longest_s("metrics") < HEALTH_S,
                "its turn in the event loop, and the cores",
            ),
        ]
    grown = rested.memory_bytes / start.memory_bytes
    found.append(
        Aim("memory a minute after", f"<= {RESTED:g}", f"{grown:.2f}", grown <= RESTED, "what the allocator keeps")
    )
    return found


def _told(tally: Tally) -> dict[str, object]:
    return {
        name: {"answers": dict(told.answers), "p50_s": told.p(0.5), "p99_s": told.p(0.99)}
        for name, told in tally.told.items()
    }


def _document(load: Load) -> dict[str, object]:
    return {
        "factor": load.factor,
        "useful_samples_per_s": round(load.tally.useful_s, 1),
        "missing_share": load.tally.missing_share,
        "told": _told(load.tally),
        "stranger": {
            name: {"statuses": Counter(map(str, met.statuses)), "longest_s": load.longest_s(name)}
            for name, met in load.stranger.items()
        },
    }


def _show(loads: Sequence[Load], at_capacity: Tally, capacity: float) -> None:
    title = f"Capacity {capacity:,.0f} requests/s, {at_capacity.useful_s:,.0f} samples/s"
    for load in loads:
        body = []
        for kind in KINDS:
            told = load.tally.told[kind.name]
            refused = sum(count for answer, count in told.answers.items() if answer != "200")
            waits = [f"{told.p(share) or 0:.3f}" for share in (0.5, 0.99)]
            body.append([kind.name, f"{told.answers['200']}", f"{refused}", *waits, f"{kind.answer_s:g}"])
        cores = load.tally.client_cpu_s / load.tally.wall_s
        about = f"{title}; {load.factor:g} times that: {load.tally.useful_s:,.0f}; the client took {cores:.2f} cores"
        rows(about, ["", "answered", "refused", "p50 s", "p99 s", "deadline s"], body)


if __name__ == "__main__":
    main()
