"""What the service has counted at a moment, read from its metrics in one pass."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry

QUEUES = {
    "trueward_waiting_samples": "samples admitted and not yet answered",
    "trueward_assembly_waiting": "samples that wait for their group",
    "trueward_cpu_waiting": "checks that wait for a worker",
    "trueward_cpu_busy": "workers at work",
    "trueward_cpu_workers": "workers alive",
    "trueward_sandbox_waiting": "samples that wait for a place in the sandbox",
    "trueward_sandbox_running": "samples whose programs are being run",
    "trueward_model_queue_items": "questions that wait for a batch",
    "trueward_model_in_flight": "questions on their way to an engine and back",
}
Buckets = dict[float, float]
"""Cumulative counts by upper bound in seconds."""


@dataclass(slots=True)
class ServiceCounts:
    """``moment`` is the event loop's time. ``verdicts`` by verifier and outcome, ``work`` by verifier, ``queues`` by
    metric, and by device where it has any."""

    moment: float
    verdicts: dict[tuple[str, str], float] = field(default_factory=dict)
    cached: dict[str, float] = field(default_factory=dict)
    missing: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    work: dict[str, Buckets] = field(default_factory=lambda: defaultdict(dict))
    queues: dict[tuple[str, str], float] = field(default_factory=dict)
    answers: float = 0.0

    @property
    def all_verdicts(self) -> float:
        return sum(self.verdicts.values())

    @property
    def all_missing(self) -> float:
        return sum(self.missing.values())


def collect_counts(registry: CollectorRegistry, moment: float) -> ServiceCounts:
    found = ServiceCounts(moment)
    for family in registry.collect():
        for sample in family.samples:
            labels, value = sample.labels, sample.value
            match sample.name:
                case "trueward_verdicts_total":
                    found.verdicts[labels["verifier"], labels["outcome"]] = value
                case "trueward_verdicts_cached_total":
                    found.cached[labels["verifier"]] = value
                case "trueward_missing_scores_total":
                    found.missing[labels["cause"]] += value
                case "trueward_http_requests_total":
                    found.answers += value
                case "trueward_verify_seconds_bucket":
                    found.work[labels["verifier"]][float(labels["le"])] = value
                case name if name in QUEUES:
                    found.queues[name, labels.get("device", "")] = value
    return found


def since(now: Buckets, before: Buckets) -> Buckets:
    """What was added."""
    return {bound: count - before.get(bound, 0.0) for bound, count in now.items()}


def together(parts: list[Buckets]) -> Buckets:
    total: Buckets = defaultdict(float)
    for part in parts:
        for bound, count in part.items():
            total[bound] += count
    return total


def percentile(buckets: Buckets, share: float) -> float | None:
    """Interpolated within its bucket; the last bound where it lies beyond all of them; None of nothing."""
    bounds = sorted(buckets)
    if not bounds or buckets[bounds[-1]] <= 0:
        return None
    rank = share * buckets[bounds[-1]]
    low, below = 0.0, 0.0
    for bound in bounds:
        if buckets[bound] >= rank and bound != float("inf"):
            within = buckets[bound] - below
            return low + (bound - low) * ((rank - below) / within if within > 0 else 1.0)
        if bound != float("inf"):
            low, below = bound, buckets[bound]
    return low
