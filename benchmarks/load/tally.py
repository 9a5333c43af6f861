"""What came of a load on the mix of kinds: what the clients were told, and what the service made of its CPU.

Under overload other kinds are answered than at capacity: what is refused is what can be, and a call of one sample costs
nearly as much as a batch. So samples a second say little of how well the service works then. :meth:`Tally.worth` counts
each answer as what it costs where nothing else is asked (:func:`measure_costs`), and holds the sum against the CPU
seconds that the service got. The rest of them went into refusals, into holding, and into what is done for nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.load.generator import Shot, Volley, fire, write_requests
from benchmarks.load.mix import KINDS, requests_of
from benchmarks.processes import billed
from benchmarks.servers import Server

REFUSALS = (429, 503)
_UNRECORDED = (b'"ledger_unavailable"', b'"deadline_passed_waiting"')
_NULL = (b'"score":null', b'"reward":null')
_MOST_PER_S = 4_000
_SEED = 90


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
    service_cpu_s: float = 0.0
    wall_s: float = 0.0

    def add(self, volley: Volley, service_cpu_s: float) -> None:
        """``service_cpu_s``: what its processes used; what is answered after the sending counts, and its time does."""
        self.client_cpu_s += volley.client_cpu_s
        self.service_cpu_s += service_cpu_s
        self.wall_s += volley.wall_s
        for shot in volley.shots:
            kind = KINDS[shot.tag]
            self.told[kind.name].add(shot)
            if shot.status == 200:
                answer = volley.answers[shot.request]
                self.recorded += kind.samples
                self.unrecorded += sum(answer.count(code) for code in _UNRECORDED)
                self.missing += sum(answer.count(null) for null in _NULL)

    @property
    def cpu_s_an_answer(self) -> float:
        return self.service_cpu_s / max(1, sum(told.answers["200"] for told in self.told.values()))

    @property
    def useful_s(self) -> float:
        """Samples with a score, a second."""
        return (self.recorded - self.missing) / self.wall_s

    @property
    def useful_a_cpu_s(self) -> float:
        """The same for each CPU second of the service."""
        return (self.recorded - self.missing) / self.service_cpu_s

    def worth(self, costs: Sequence[float]) -> float:
        """Share of the service's CPU that its answers take, by what one of each kind costs."""
        answered = (self.told[kind.name].answers["200"] for kind in KINDS)
        return sum(count * cost for count, cost in zip(answered, costs, strict=True)) / self.service_cpu_s

    def yields(self, costs: Sequence[float]) -> dict[str, float]:
        """What the service made of the CPU that it got."""
        return {
            "useful_samples_per_s": round(self.useful_s, 1),
            "useful_samples_per_service_cpu_s": round(self.useful_a_cpu_s, 1),
            "share_of_service_cpu_in_answers": round(self.worth(costs), 3),
            "service_cores": round(self.service_cpu_s / self.wall_s, 3),
            "client_cores": round(self.client_cpu_s / self.wall_s, 3),
        }

    @property
    def missing_share(self) -> float:
        return self.missing / max(1, self.recorded)

    @property
    def within_deadline(self) -> float:
        """The largest p99 of a native kind, over its deadline."""
        shares = [(self.told[kind.name].p(0.99) or 0.0) / kind.answer_s for kind in KINDS if not kind.held]
        return max(shares)


def measure_costs(server: Server, scratch: Path, seconds: float, connections: int, drain_s: float) -> list[Tally]:
    """A closed loop of each of :data:`KINDS` alone, in their order."""
    tallies = []
    for tag, kind in enumerate(KINDS):
        count = round(_MOST_PER_S * seconds / kind.samples)
        requests = write_requests(scratch / "requests", requests_of(tag, count, seed=_SEED + tag))
        with billed(server.tree) as bill:
            volley = fire(server.port, requests, connections=connections, seconds=seconds, drain_s=drain_s)
        tallies.append(Tally())
        tallies[-1].add(volley, bill.tree_s)
    return tallies
