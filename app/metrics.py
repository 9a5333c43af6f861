"""What the service counts, in Prometheus' terms. Each metric is described in docs/metrics.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from trueward.audits import AuditReport
from trueward.gate import deciding
from trueward.types import Verdict

if TYPE_CHECKING:
    from app.adapters.assembly import Assembly
    from app.scoring.budget.accounts import Accounts
    from app.scoring.cpu.pool import Pool
    from app.scoring.models import ModelLane
    from app.scoring.programs import Programs
    from app.scoring.room import Room
    from app.scoring.tally import Tally
    from app.watch.freezes import FrozenRecipes

_SECONDS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_MAX_RUNS = 200
_MAX_SUBJECTS = 200
OTHER_RUNS = "(other)"

_ENGINE = {
    "in_flight": "Questions on their way to an engine and back",
    "queue_items": "Questions that wait for a batch",
    "queue_tokens": "Tokens of the questions that wait for a batch",
    "answered": "Questions answered since the start",
    "batches": "Batches run",
    "batch_tokens": "Tokens of these batches, without padding",
    "computed_tokens": "Tokens of these batches, with padding",
    "memory_splits": "Batches halved because they did not fit in memory",
    "busy_s": "Seconds at work",
    "memory_bytes": "Memory that the weights of loaded models take",
    "loads": "Models loaded",
    "evictions": "Models let go to make room",
    "swaps": "Weights swapped",
    "restarts": "Engine processes that died or hung",
}
"""What an engine counts, and what that is."""


class Metrics:
    """One registry a service, so that two services in one process do not share counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.verdicts = Counter(
            "trueward_verdicts", "Verdicts by outcome", ["verifier", "outcome"], registry=self.registry
        )
        self.missing = Counter(
            "trueward_missing_scores",
            "Scores that are null, by cause and run",
            ["run", "cause"],
            registry=self.registry,
        )
        self.cached = Counter("trueward_verdicts_cached", "Verdicts given again", ["verifier"], registry=self.registry)
        self.work_s = Histogram(
            "trueward_verify_seconds",
            "Work for one verdict",
            ["verifier"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.requests = Counter(
            "trueward_http_requests",
            "Answers by route and status",
            ["route", "status"],
            registry=self.registry,
        )
        self.request_s = Histogram(
            "trueward_http_seconds",
            "Time to answer by route",
            ["route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.rendered = Counter(
            "trueward_rendered_missing",
            "Missing scores rendered as a number for a protocol that has no null",
            ["protocol"],
            registry=self.registry,
        )
        self.assembled = Counter(
            "trueward_groups_assembled",
            "Groups of one-sample requests, complete or not when their wait ended",
            ["state"],
            registry=self.registry,
        )
        self.assembled_apart = Counter(
            "trueward_assembly_apart",
            "Samples priced by themselves because their group did not fill",
            registry=self.registry,
        )
        self.assembly_left = Counter(
            "trueward_assembly_left", "Samples whose client went away while they waited", registry=self.registry
        )
        self.programs = Counter(
            "trueward_programs",
            "Programs run for other servers' protocols, by how they ended",
            ["protocol", "status"],
            registry=self.registry,
        )
        self.version_changes = Counter(
            "trueward_run_version_changes",
            "Verifier versions that changed under a run",
            registry=self.registry,
        )
        self.not_learned = Counter(
            "trueward_requests_not_learned",
            "Requests whose rewards stand and from which their run did not learn",
            registry=self.registry,
        )
        self.judge_probes = Counter(
            "trueward_judge_probes",
            "Probes that accompanied judged samples, by how they ended",
            ["verifier", "preset", "probe", "outcome"],
            registry=self.registry,
        )
        self.audits = Counter("trueward_audits", "Audits completed", ["kind"], registry=self.registry)
        self.audited_rate = Gauge(
            "trueward_audited_rate",
            "Latest audited error rate of a verifier or recipe, and its interval's ends",
            ["subject", "rate", "kind", "bound"],
            registry=self.registry,
        )
        self.alarms = Counter("trueward_alarms", "Alarms raised by watches", ["signal", "run"], registry=self.registry)
        self._runs: set[str] = set()
        self._audited: set[str] = set()

    def count_verdicts(self, verdicts: Iterable[Verdict], run: str | None) -> None:
        for verdict in verdicts:
            name = verdict.producer.name if verdict.producer else ""
            self.verdicts.labels(name, verdict.outcome.value).inc()
            if verdict.cached:
                self.cached.labels(name).inc()
            else:
                self.work_s.labels(name).observe(verdict.elapsed_s)
            if verdict.outcome.missing:
                self.missing.labels(self._run_label(run), verdict.reason_code).inc()

    def count_audit(self, kind: str, subject: str, report: AuditReport) -> None:
        """Counts a completed audit and shows its rates, by the estimate that a gate goes by.

        Audits may name any subject: past a bound their rates are not shown.
        """
        self.audits.labels(kind).inc()
        if subject not in self._audited and len(self._audited) >= _MAX_SUBJECTS:
            return
        self._audited.add(subject)
        rates = {"false_positive": report.false_positives, "false_negative": report.false_negatives}
        for name, estimates in rates.items():
            estimate = deciding(estimates, "upper")
            if estimate is None:
                continue
            low, high = estimate.interval or (None, None)
            for bound, value in (("rate", estimate.rate), ("lower", low), ("upper", high)):
                if value is not None:
                    self.audited_rate.labels(subject, name, kind, bound).set(value)

    def count_alarm(self, signal: str, run: str) -> None:
        self.alarms.labels(signal, self._run_label(run)).inc()

    def count_rendered(self, protocol: str, count: int) -> None:
        if count:
            self.rendered.labels(protocol).inc(count)

    def count_program(self, protocol: str, status: str) -> None:
        self.programs.labels(protocol, status).inc()

    def _run_label(self, run: str | None) -> str:
        """Runs are named by callers: past a bound they share one label."""
        if run is None:
            return ""
        if run not in self._runs and len(self._runs) >= _MAX_RUNS:
            return OTHER_RUNS
        self._runs.add(run)
        return run

    def watch_room(self, room: Room) -> None:
        self._gauge("trueward_waiting_samples", "Samples admitted and not yet answered", lambda: room.taken)

    def watch_assembly(self, assembly: Assembly) -> None:
        self._gauge("trueward_assembly_waiting", "Samples that wait for their group", lambda: assembly.waiting)

    def watch_pool(self, pool: Pool) -> None:
        """Gauges that read the pool when they are scraped."""
        self._gauge("trueward_cpu_workers", "Worker processes alive", lambda: pool.stats().alive)
        self._gauge("trueward_cpu_busy", "Worker processes at work", lambda: pool.stats().busy)
        self._gauge("trueward_cpu_waiting", "Checks that wait for a worker", lambda: pool.stats().waiting)
        restarts = Gauge("trueward_cpu_restarts", "Workers replaced since the start", ["cause"], registry=self.registry)
        for cause in pool.stats().restarts:
            restarts.labels(cause).set_function(partial(_restarts, pool, cause))

    def watch_freezes(self, freezes: FrozenRecipes) -> None:
        self._gauge("trueward_frozen_recipes", "Recipes whose rewards are refused", lambda: freezes.count)

    def watch_budgets(self, accounts: Accounts) -> None:
        self.registry.register(_Budgets(accounts))

    def watch_programs(self, programs: Programs) -> None:
        """Gauges that read the sandbox lane when they are scraped."""
        self._gauge("trueward_sandbox_running", "Samples whose programs are being run", lambda: programs.running)
        self._gauge("trueward_sandbox_waiting", "Samples that wait for a place", lambda: programs.waiting)
        self._gauge("trueward_sandbox_failures", "Failures of the sandbox since the start", lambda: programs.failures)
        self._gauge("trueward_sandbox_leaked", "Containers that could not be removed", lambda: programs.leaked)

    def watch_models(self, models: ModelLane) -> None:
        """Gauges that read the model lane when they are scraped."""
        self.registry.register(_Engines(models))

    def _gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        Gauge(name, text, registry=self.registry).set_function(read)

    def render(self) -> bytes:
        return generate_latest(self.registry)


class _Budgets(Collector):
    """How much of their budgets recipes have spent; callers name recipes, so those that spent least are left out."""

    def __init__(self, accounts: Accounts) -> None:
        self._accounts = accounts

    def collect(self) -> Iterator[GaugeMetricFamily]:
        family = GaugeMetricFamily(
            "trueward_budget_spent_ratio", "Spent of a recipe's budget, of the run that spent most", labels=["recipe"]
        )
        shares = sorted(self._accounts.shares().items(), key=lambda named: named[1])
        for name, share in shares[-_MAX_SUBJECTS:]:
            family.add_metric([name], share)
        yield family


class _Engines(Collector):
    """What each engine counted, by device, and what models answered or could not answer, by model."""

    def __init__(self, models: ModelLane) -> None:
        self._models = models

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        counters = self._models.engines.counters()
        for name, text in _ENGINE.items():
            family = GaugeMetricFamily(f"trueward_model_{name}", text, labels=["device"])
            for device, counted in counters.items():
                family.add_metric([device], counted.get(name, 0.0))
            yield family
        failures = GaugeMetricFamily(
            "trueward_model_failures", "Questions without an answer, by cause", labels=["model", "code"]
        )
        for labels, count in self._models.failures.items():
            failures.add_metric(labels, count)
        yield failures
        yield from _tallied(self._models.tally)


def _tallied(tally: Tally) -> Iterator[CounterMetricFamily]:
    answers = CounterMetricFamily("trueward_model_answers", "Answers, by how they were had", labels=["model", "had"])
    for labels, count in tally.answers.items():
        answers.add_metric(labels, count)
    unreadable = CounterMetricFamily("trueward_model_unreadable", "Replies outside of their form", labels=["model"])
    for model, count in tally.unreadable.items():
        unreadable.add_metric([model], count)
    tokens = CounterMetricFamily("trueward_model_tokens", "Tokens read and written", labels=["model", "direction"])
    for direction, count in tally.tokens.items():
        tokens.add_metric(direction, count)
    cost = CounterMetricFamily("trueward_model_cost", "Cost of the answers by the models' prices", labels=["model"])
    for model, spent in tally.cost.items():
        cost.add_metric([model], spent)
    yield from (answers, unreadable, tokens, cost)


def _restarts(pool: Pool, cause: str) -> float:
    return pool.stats().restarts[cause]
