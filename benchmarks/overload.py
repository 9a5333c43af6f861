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
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import httpx2

from benchmarks import servers
from benchmarks.corpus import corpus
from benchmarks.load.generator import fire, write_requests
from benchmarks.load.mix import KINDS, RECIPES, mixed
from benchmarks.load.stranger import DEADLINE_S, Met, Stranger
from benchmarks.load.tally import REFUSALS, Tally, measure_costs
from benchmarks.processes import Footprint, billed
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
"""A jail is made when a program first needs one more at once, and kept: two, and 32 for programs that sleep. Most
are made before anything is measured."""

GRACE_S = 1.0
"""Beyond a deadline an answer has so long to be sent."""

JOB_S, POLL_S = 600.0, 0.1


@dataclass(frozen=True, slots=True)
class Scale:
    """``cost_s``: for what each kind costs; ``most_per_s``: requests that are prepared to measure the capacity."""

    capacity_s: float
    cost_s: float
    slices: int
    seconds: float
    job: int
    most_per_s: int = 4_000
    factors: tuple[float, ...] = (2.0, 5.0, 10.0)
    rest_s: float = REST_S


SCALES: dict[Form, Scale] = {
    "short": Scale(
        capacity_s=1.0, cost_s=0.2, slices=1, seconds=0.5, job=100, most_per_s=150, factors=(2.0,), rest_s=1.0
    ),
    "quick": Scale(capacity_s=10.0, cost_s=2.0, slices=1, seconds=15.0, job=2_000, rest_s=20.0),
    # what bears no refusal is held: ten times the capacity for 20 seconds takes some 80 more to answer
    "long": Scale(capacity_s=20.0, cost_s=5.0, slices=3, seconds=20.0, job=100_000),
}


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
            _fill_places(server)
            capacity, at_capacity = _capacity(server, scale, scratch, everything)
            alone = measure_costs(server, scratch, scale.cost_s, AT_CAPACITY, _longest_s())
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
    costs = [tally.cpu_s_an_answer for tally in alone]
    _show(loads, at_capacity, capacity, costs)
    aims = _aims(loads, at_capacity, start, rested)
    show_aims(aims)
    document = {
        "scale": scale,
        "connections_a_time": CONNECTIONS,
        "room_samples": ROOM,
        "capacity_requests_per_s": round(capacity, 1),
        "capacity_samples_per_s": round(at_capacity.useful_s, 1),
        "cost_of_an_answer_cpu_s": {kind.name: cost for kind, cost in zip(KINDS, costs, strict=True)},
        "at_capacity": at_capacity.yields(costs),
        "loads": [_document(load, costs) for load in loads],
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
    kept = sum(tally.recorded - tally.unrecorded for tally in (everything, *alone)) + scale.job + strangers + PLACES
    held = claims(everything, start, [*footprints, rested], ended, ledger - kept, server.survivors)
    finish("overload", call, document, held)


def _fill_places(server: servers.Server) -> None:
    """Has as many programs sleep at once as there are places for them, so that few are made later on."""
    body = {
        "verifier": "code",
        "samples": [
            {
                "response": f"```python\nimport time\ntime.sleep(1)\nprint({place})\n```",
                "reference": {"stdio": [{"stdin": "", "stdout": str(place)}]},
            }
            for place in range(PLACES)
        ],
    }
    answer = httpx2.post(f"{server.url}/v1/verify", json=body, timeout=None).raise_for_status()
    outcomes = Counter(one["outcome"] for one in answer.json()["verdicts"])
    assert outcomes == {"correct": PLACES}, outcomes


def _capacity(server: servers.Server, scale: Scale, scratch: Path, everything: Tally) -> tuple[float, Tally]:
    """Requests a second that a closed loop gets answered, the last of them included, and what it was told."""
    requests = write_requests(scratch / "requests", mixed(round(scale.most_per_s * scale.capacity_s), seed=0))
    with billed(server.tree) as bill:
        volley = fire(server.port, requests, connections=AT_CAPACITY, seconds=scale.capacity_s, drain_s=_longest_s())
    tally = Tally()
    for one in (tally, everything):
        one.add(volley, bill.tree_s)
    return max(1.0, sum(shot.status == 200 for shot in volley.shots) / volley.wall_s), tally


def _overload(
    server: servers.Server, scale: Scale, scratch: Path, factor: float, rate: float, everything: Tally
) -> Load:
    tally = Tally()
    stranger = Stranger(server.port, scale.slices * scale.seconds, server.process.pid)
    for number in range(scale.slices):
        seed = round(100 * factor) + number
        requests = write_requests(scratch / "requests", mixed(round(rate * scale.seconds), seed=seed))
        with billed(server.tree) as bill:
            volley = fire(
                server.port,
                requests,
                connections=round(CONNECTIONS * factor),
                seconds=scale.seconds,
                rate=rate,
                drain_s=_longest_s(),
            )
        for one in (tally, everything):
            one.add(volley, bill.tree_s)
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
    tally: Tally, start: Footprint, footprints: Sequence[Footprint], job: str, surplus: int, survivors: Sequence[int]
) -> dict[str, bool]:
    """What must hold whatever the machine does.

    ``footprints``: after each load, and last after a rest. Growth is judged where there are thirds to compare.
    """
    *slices, rested = footprints
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
        "no more processes at the end than at the start": rested.processes <= start.processes,
        "no descriptor leaked": rested.descriptors <= start.descriptors + DESCRIPTORS_SLACK,
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


def _document(load: Load, costs: list[float]) -> dict[str, object]:
    return {
        "factor": load.factor,
        **load.tally.yields(costs),
        "missing_share": load.tally.missing_share,
        "told": _told(load.tally),
        "stranger": {
            name: {"statuses": Counter(map(str, met.statuses)), "longest": met.longest}
            for name, met in load.stranger.items()
        },
    }


def _show(loads: Sequence[Load], at_capacity: Tally, capacity: float, costs: list[float]) -> None:
    title = f"Capacity {capacity:,.0f} requests/s, {at_capacity.useful_s:,.0f} samples/s"
    for load in loads:
        body = []
        for kind in KINDS:
            told = load.tally.told[kind.name]
            refused = sum(count for answer, count in told.answers.items() if answer != "200")
            waits = [f"{told.p(share) or 0:.3f}" for share in (0.5, 0.99)]
            body.append([kind.name, f"{told.answers['200']}", f"{refused}", *waits, f"{kind.answer_s:g}"])
        about = f"{title}; {load.factor:g} times that: {load.tally.useful_s:,.0f}"
        rows(about, ["", "answered", "refused", "p50 s", "p99 s", "deadline s"], body)
    told_of = [("capacity", at_capacity), *((f"{load.factor:g} times", load.tally) for load in loads)]
    yields = [[name, *(f"{value:,.2f}" for value in tally.yields(costs).values())] for name, tally in told_of]
    heads = ["", "samples/s", "samples/CPU s", "share in answers", "service cores", "client cores"]
    rows("What the service made of its CPU", heads, yields)
    longest = [
        [f"{load.factor:g} times", name, *(f"{value:.3f}" for value in met.longest.values())]
        for load in loads
        for name, met in load.stranger.items()
    ]
    rows("The stranger's longest calls", ["", "", "s", "itself without a core, s", "service, s"], longest)


if __name__ == "__main__":
    main()
