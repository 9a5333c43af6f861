"""What the service counts, in Prometheus' terms. Each metric is described in docs/metrics.md.

What is counted for every sample stands in plain numbers that :class:`app.telemetry.counters.SampleCounters` shows when
it is scraped, as does what other parts count themselves (:mod:`app.telemetry.collectors`): a counter of the library
costs a lock each time. All counting is done in the event loop's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector, generate_latest

from app.telemetry import collectors
from app.telemetry.counters import SampleCounters
from app.version import VERSION
from trueward.gate import deciding
from trueward.wire.audit import AuditReport
from trueward.wire.reward import Reward
from trueward.wire.verdict import Verdict
from trueward.wire.webhook import DeliveryState

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from app.admission.budget.accounts import Accounts
    from app.admission.gate import AdmissionGate
    from app.admission.loop_queue import LoopQueue
    from app.admission.room import Room
    from app.audits.repository import PastRates
    from app.health.service import Health
    from app.idempotency.service import Idempotency
    from app.lanes.lanes import Lanes
    from app.path.ledger import Ledger
    from app.protocols.trainers.assembly import Assembly
    from app.settings import Settings
    from app.telemetry.database import DatabaseGauges
    from app.watch.freezes import FrozenRecipes

_MAX_NAMES = 200
"""Of each kind that callers name: runs, recipes, subjects of audits. The rest share :data:`OTHERS`."""
OTHERS = "(other)"
_TRIED: tuple[DeliveryState, ...] = ("delivered", "pending", "failed")


class BoundedLabels:
    """Labels for what callers name: the first ``most`` names as they are, the others as ``rest``."""

    def __init__(self, most: int, rest: str) -> None:
        self._most = most
        self._rest = rest
        self._known: set[str] = set()

    def label(self, name: str) -> str:
        if name in self._known:
            return name
        if len(self._known) >= self._most:
            return self._rest
        self._known.add(name)
        return name


class Metrics:
    """One registry a service, so that two services in one process do not share counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._counted = SampleCounters()
        self.registry.register(self._counted)
        self._runs = BoundedLabels(_MAX_NAMES, OTHERS)
        self._recipes = BoundedLabels(_MAX_NAMES, OTHERS)
        self._audited = BoundedLabels(_MAX_NAMES, OTHERS)
        build = Gauge("trueward_build_info", "The version that runs", ["version"], registry=self.registry)
        build.labels(VERSION).set(1)
        self.rendered = self._counter(
            "trueward_rendered_missing",
            "Missing scores rendered as a number for a protocol that has no null",
            "protocol",
        )
        self.assembled = self._counter(
            "trueward_groups_assembled", "Groups of one-sample requests, complete or not when their wait ended", "state"
        )
        self.assembled_apart = self._counter(
            "trueward_assembly_apart", "Samples whose group did not fill: without a reward, or priced by themselves"
        )
        self.assembly_left = self._counter("trueward_assembly_left", "Samples whose client went away while they waited")
        self.programs = self._counter(
            "trueward_programs", "Programs run for other servers' protocols, by how they ended", "protocol", "status"
        )
        self.version_changes = self._counter(
            "trueward_run_version_changes", "Verifier versions that changed under a run"
        )
        self.not_learned = self._counter(
            "trueward_requests_not_learned", "Requests whose rewards stand and from which their run did not learn"
        )
        self.judge_probes = self._counter(
            "trueward_judge_probes",
            "Probes that accompanied judged samples, by how they ended",
            "verifier",
            "preset",
            "probe",
            "outcome",
        )
        self.problems = self._counter(
            "trueward_problems", "Problem documents answered, by status and code", "status", "code"
        )
        self.audits = self._counter("trueward_audits", "Audits completed", "kind")
        self.audited_rate = Gauge(
            "trueward_audited_rate",
            "Latest audited error rate of a verifier or recipe, and its interval's ends",
            ["subject", "rate", "kind", "bound"],
            registry=self.registry,
        )
        self.alarms = self._counter("trueward_alarms", "Alarms raised by watches", "signal", "run")
        self.webhooks = self._counter(
            "trueward_webhook_tries", "Tries to post to webhooks, by the state that each left its delivery in", "state"
        )
        for state in _TRIED:
            self.webhooks.labels(state)  # shown from the start: an alert sees the first failure go up from zero

    def count_request(self, route: str, status: int, seconds: float) -> None:
        self._counted.requests[route, str(status)] += 1
        self._counted.request_s[route].add(seconds)

    def count_samples(self, protocol: str, count: int) -> None:
        """A request for scores that was let in, by what it spoke."""
        self._counted.batches[protocol] += 1
        self._counted.samples[protocol] += count

    def count_verdicts(self, verdicts: Iterable[Verdict], run: str | None) -> None:
        counted = self._counted
        for verdict in verdicts:
            name = verdict.producer.name if verdict.producer else ""
            counted.verdicts[name, verdict.outcome.value] += 1
            if verdict.cached:
                counted.cached[name] += 1
            else:
                counted.work_s[name].add(verdict.elapsed_s)
            if verdict.outcome.missing:
                counted.missing[self._runs.label(run or ""), verdict.reason_code] += 1

    def count_rewards(self, rewards: Iterable[Reward], recipe: str) -> None:
        label = self._recipes.label(recipe)
        for reward in rewards:
            self._counted.rewards[label, reward.outcome.value] += 1

    def count_problem(self, status: int, code: str) -> None:
        self.problems.labels(status, code).inc()

    def count_audit(self, kind: str, subject: str, report: AuditReport) -> None:
        """Counts a completed audit and shows its rates."""
        self.audits.labels(kind).inc()
        self.show_audit(kind, subject, report)

    def show_audit(self, kind: str, subject: str, report: AuditReport | PastRates) -> None:
        """An audit's rates, by the estimate that a gate goes by.

        Audits may name any subject: past a bound their rates are not shown.
        """
        if self._audited.label(subject) == OTHERS:
            return
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
        self.alarms.labels(signal, self._runs.label(run)).inc()

    def count_webhook(self, state: DeliveryState) -> None:
        self.webhooks.labels(state).inc()

    def count_rendered(self, protocol: str, count: int) -> None:
        if count:
            self.rendered.labels(protocol).inc(count)

    def count_program(self, protocol: str, status: str) -> None:
        self.programs.labels(protocol, status).inc()

    def watch_settings(self, settings: Settings) -> None:
        self._watch(collectors.OfSettings(settings))

    def watch_room(self, room: Room, gate: AdmissionGate) -> None:
        self._watch(collectors.OfRoom(room, gate))

    def watch_line(self, line: LoopQueue) -> None:
        self._watch(collectors.OfLine(line))

    def watch_assembly(self, assembly: Assembly) -> None:
        self._gauge("trueward_assembly_waiting", "Samples that wait for their group", lambda: assembly.waiting)

    def watch_lanes(self, lanes: Lanes) -> None:
        self._watch(collectors.OfLanes(lanes))
        self._watch(collectors.OfPool(lanes.pool))
        self._watch(collectors.OfPrograms(lanes.programs))
        self._watch(collectors.OfModels(lanes.models))

    def watch_ledger(self, ledger: Ledger) -> None:
        self._watch(collectors.OfLedger(ledger))

    def watch_freezes(self, freezes: FrozenRecipes) -> None:
        self._gauge("trueward_frozen_recipes", "Recipes whose rewards are refused", lambda: freezes.count)

    def watch_budgets(self, accounts: Accounts) -> None:
        self._watch(collectors.OfBudgets(accounts, _MAX_NAMES))

    def watch_health(self, health: Health) -> None:
        self._watch(collectors.OfHealth(health))

    def watch_stored(self, stored: DatabaseGauges) -> None:
        self._watch(collectors.OfStored(stored))

    def watch_idempotency(self, idempotency: Idempotency) -> None:
        self._watch(collectors.OfIdempotency(idempotency))

    def render(self) -> bytes:
        return generate_latest(self.registry)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        Gauge(name, text, registry=self.registry).set_function(read)

    def _watch(self, collector: Collector) -> None:
        self.registry.register(collector)
