"""One measurement: a load on a fresh server, with latencies by kind of sample and the CPU of all who took part.

A request's tag says what is in it. Rates count what was answered while the load was on; latencies are of all
that was sent, the last ones included, so that the slow are not cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.corpus import Item
from benchmarks.load.generator import Request, Shot, Volley, fire, post
from benchmarks.processes import billed
from benchmarks.servers import Server

EXACT, SYMBOLIC, BATCH, HANG = 0, 1, 2, 3
OK = 200

DISTURBED_CORES = 0.1
"""A run is discarded where other processes used more than this share of a core, on average."""

WARM_SAMPLES = 200
WARM_S = 3.0

Grades = Callable[[bytes], list[bool | None]]
"""An answer's body as: accepted, not accepted, or no verdict, a sample each."""


def trueward_requests(items: Iterable[Item], batch: int = 1) -> Iterable[Request]:
    """``POST /v1/verify`` with ``batch`` samples each."""
    pile: list[Item] = []
    for item in items:
        pile.append(item)
        if len(pile) == batch:
            samples = [{"response": one.response, "reference": one.reference} for one in pile]
            tag = BATCH if batch > 1 else int(pile[0].symbolic)
            yield post("/v1/verify", json.dumps({"verifier": "math", "samples": samples}).encode(), tag)
            pile = []


def peer_requests(items: Iterable[Item]) -> Iterable[Request]:
    for item in items:
        body = json.dumps({"response": item.response, "reference": item.reference})
        yield post("/verify", body.encode(), int(item.symbolic))


def trueward_grades(body: bytes) -> list[bool | None]:
    scores = [verdict["score"] for verdict in json.loads(body)["verdicts"]]
    return [None if score is None else score == 1.0 for score in scores]


def peer_grades(body: bytes) -> list[bool | None]:
    score = json.loads(body).get("score")
    return [None if score is None else score == 1.0]


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds; None where there was no such request."""

    count: int
    p50_s: float | None
    p99_s: float | None

    @classmethod
    def of(cls, shots: Iterable[Shot]) -> Latency:
        latencies = [shot.latency_s for shot in shots]
        if not latencies:
            return cls(0, None, None)
        p50, p99 = np.percentile(latencies, [50, 99])
        return cls(len(latencies), round(float(p50), 6), round(float(p99), 6))


@dataclass(frozen=True, slots=True)
class Run:
    """``server_cores`` is the process that was started, ``worker_cores`` all that it started itself."""

    samples_per_s: float
    exact: Latency
    symbolic: Latency
    batch: Latency
    cpu_per_sample_s: float
    server_cpu_per_sample_s: float
    server_cores: float
    worker_cores: float
    client_cores: float
    client_cpu_per_sample_s: float
    foreign_cores: float
    failed: int
    right: float
    missing: float
    exhausted: bool

    @property
    def disturbed(self) -> bool:
        return self.foreign_cores > DISTURBED_CORES


@dataclass(frozen=True, slots=True)
class Load:
    """What is sent: prepared requests, the items in them in order, ``batch`` a request."""

    requests: Path
    warm: Path
    items: Sequence[Item]
    batch: int
    grades: Grades


def measure(server: Server, load: Load, *, connections: int, seconds: float) -> Run:
    """Warms the server with requests of its own, then loads it in a closed loop."""
    fire(server.port, load.warm, connections=min(connections, 16), seconds=WARM_S)
    with billed(server.tree) as bill:
        volley = fire(server.port, load.requests, connections=connections, seconds=seconds)
    answered = [shot for shot in volley.shots if shot.status == OK]
    samples = max(1, len(answered) * load.batch)
    until_s = max(shot.sent_s for shot in volley.shots) if volley.exhausted else seconds
    in_time = sum(shot.done_s <= until_s for shot in answered) * load.batch
    right, missing = _graded(volley, load)
    return Run(
        samples_per_s=round(in_time / until_s, 2),
        exact=Latency.of(shot for shot in answered if shot.tag == EXACT),
        symbolic=Latency.of(shot for shot in answered if shot.tag == SYMBOLIC),
        batch=Latency.of(shot for shot in answered if shot.tag == BATCH),
        cpu_per_sample_s=round(bill.tree_s / samples, 8),
        server_cpu_per_sample_s=round(bill.server_s / samples, 8),
        server_cores=round(bill.server_s / bill.wall_s, 3),
        worker_cores=round(bill.workers_s / bill.wall_s, 3),
        client_cores=round(volley.client_cpu_s / bill.wall_s, 3),
        client_cpu_per_sample_s=round(volley.client_cpu_s / samples, 8),
        foreign_cores=round(bill.foreign_cores, 3),
        failed=len(volley.shots) - len(answered),
        right=right,
        missing=missing,
        exhausted=volley.exhausted,
    )


def _graded(volley: Volley, load: Load) -> tuple[float, float]:
    """The share of samples that were judged as their construction says, and of those without a verdict."""
    right = missing = total = 0
    for shot in volley.shots:
        if shot.status != OK:
            continue
        first = shot.request * load.batch
        for item, grade in zip(
            load.items[first : first + load.batch], load.grades(volley.answers[shot.request]), strict=False
        ):
            total += 1
            missing += grade is None
            right += grade is item.correct
    return round(right / max(1, total), 4), round(missing / max(1, total), 4)


def middle(runs: Sequence[Run]) -> Run:
    """The median of each number over the runs, which are one at least; counts are added up."""
    return Run(**{field.name: _middle([getattr(run, field.name) for run in runs]) for field in fields(Run)})


def _middle(values: Sequence[Latency | float | bool]) -> Any:
    if isinstance(values[0], Latency):
        latencies = [value for value in values if isinstance(value, Latency)]
        p50s = [latency.p50_s for latency in latencies if latency.p50_s is not None]
        p99s = [latency.p99_s for latency in latencies if latency.p99_s is not None]
        count = sum(latency.count for latency in latencies)
        return Latency(count, median(p50s) if p50s else None, median(p99s) if p99s else None)
    if isinstance(values[0], bool):
        return any(values)
    return median(value for value in values if not isinstance(value, Latency))
