"""What is counted for every sample and request: plain numbers, which become metrics when they are scraped."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeVar

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from app.kit.durations import Durations

Family = CounterMetricFamily | HistogramMetricFamily
K = TypeVar("K", bound=str | tuple[str, ...])


class SampleCounters(Collector):
    """``verdicts`` by verifier and outcome, ``missing`` by run and cause, ``rewards`` by recipe and outcome."""

    def __init__(self) -> None:
        self.verdicts: Counter[tuple[str, str]] = Counter()
        self.missing: Counter[tuple[str, str]] = Counter()
        self.rewards: Counter[tuple[str, str]] = Counter()
        self.requests: Counter[tuple[str, str]] = Counter()
        self.cached: Counter[str] = Counter()
        self.batches: Counter[str] = Counter()
        self.samples: Counter[str] = Counter()
        self.work_s: defaultdict[str, Durations] = defaultdict(Durations)
        self.request_s: defaultdict[str, Durations] = defaultdict(Durations)

    def collect(self) -> Iterator[Family]:
        yield counter("trueward_verdicts", "Verdicts by outcome", ("verifier", "outcome"), self.verdicts)
        yield counter("trueward_missing_scores", "Scores that are null", ("run", "cause"), self.missing)
        yield counter("trueward_rewards", "Rewards by outcome", ("recipe", "outcome"), self.rewards)
        yield counter("trueward_http_requests", "Answers by route and status", ("route", "status"), self.requests)
        yield counter("trueward_verdicts_cached", "Verdicts given again", "verifier", self.cached)
        yield counter("trueward_scoring_requests", "Requests for scores that were let in", "protocol", self.batches)
        yield counter("trueward_samples", "Samples of these", "protocol", self.samples)
        yield histogram("trueward_verify_seconds", "Work for one verdict", "verifier", self.work_s)
        yield histogram("trueward_http_seconds", "Time to answer by route", "route", self.request_s)


def counter(name: str, text: str, labels: str | tuple[str, ...], counts: Mapping[K, float]) -> CounterMetricFamily:
    """One label for counts by name, several for counts by tuple."""
    family = CounterMetricFamily(name, text, labels=[labels] if isinstance(labels, str) else labels)
    for key, count in counts.items():
        family.add_metric([key] if isinstance(key, str) else key, count)
    return family


def histogram(name: str, text: str, label: str, durations: Mapping[str, Durations]) -> HistogramMetricFamily:
    family = HistogramMetricFamily(name, text, labels=[label])
    for value, found in durations.items():
        family.add_metric([value], found.buckets(), found.sum_s)
    return family


def single(name: str, text: str, found: Durations) -> HistogramMetricFamily:
    """A histogram without labels."""
    family = HistogramMetricFamily(name, text)
    family.add_metric([], found.buckets(), found.sum_s)
    return family
