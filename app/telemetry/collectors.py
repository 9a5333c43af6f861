"""What parts of the service count themselves, as metrics: read when they are scraped."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from app.telemetry.counters import Family, counter, histogram

if TYPE_CHECKING:
    from app.admission.budget.accounts import Accounts
    from app.admission.gate import AdmissionGate
    from app.admission.loop_queue import LoopQueue
    from app.admission.room import Room
    from app.health.service import Health
    from app.idempotency.service import Idempotency
    from app.lanes.cpu.pool import Pool
    from app.lanes.lanes import Lanes
    from app.lanes.models import ModelLane
    from app.lanes.programs import Programs
    from app.path.ledger import Ledger
    from app.settings import Settings
    from app.telemetry.database import DatabaseGauges

Families = Iterator[Family | GaugeMetricFamily]

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


def gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)


def gauges(name: str, text: str, label: str, values: Mapping[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family


class OfSettings(Collector):
    """What alarms compare with, and the disk that the data directory is on."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def collect(self) -> Families:
        yield gauge("trueward_deadline_seconds", "Time of a request that states none", self._settings.deadline_s)
        disk = os.statvfs(self._settings.data_dir)
        yield gauge("trueward_disk_free_bytes", "Free on the data directory's disk", disk.f_bavail * disk.f_frsize)
        yield gauge("trueward_disk_bytes", "Size of the data directory's disk", disk.f_blocks * disk.f_frsize)


class OfRoom(Collector):
    def __init__(self, room: Room, gate: AdmissionGate) -> None:
        self._room = room
        self._gate = gate

    def collect(self) -> Families:
        room = self._room
        yield gauge("trueward_waiting_samples", "Samples admitted and not yet answered", room.taken)
        yield gauge("trueward_room_capacity", "Samples that may be on their way", room.capacity)
        yield gauge("trueward_room_held", "Requests that wait for room", room.waiting)
        yield counter("trueward_refused_samples", "Samples not let in, by why", "code", self._gate.refused)


class OfLine(Collector):
    def __init__(self, line: LoopQueue) -> None:
        self._line = line

    def collect(self) -> Families:
        yield gauge("trueward_line_waiting", "Requests that wait for their turn in the event loop", self._line.waiting)
        refused = "Requests refused before their bodies were read"
        yield CounterMetricFamily("trueward_line_refused", refused, value=self._line.refused)


class OfLanes(Collector):
    """The lanes together: who waits, how long they waited, what came of it."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes

    def collect(self) -> Families:
        lanes = self._lanes
        engines = lanes.models.engines.counters().values()
        waiting = {
            "cpu": lanes.pool.stats().waiting,
            "sandbox": lanes.programs.waiting,
            "model": sum(engine.get("queue_items", 0.0) for engine in engines),
        }
        yield gauges("trueward_lane_waiting", "Checks that wait in a lane", "lane", waiting)
        waits = {"cpu": lanes.pool.waits, "sandbox": lanes.programs.waits}
        yield histogram("trueward_lane_wait_seconds", "Time until a check's work began", "lane", waits)
        yield counter("trueward_lane_work_seconds", "Work done", "lane", lanes.work_s)
        yield counter("trueward_lane_verdicts", "Checks done", ("lane", "outcome"), lanes.judged)
        yield gauge("trueward_unjudgeable_responses", "Responses that crashed us and were priced", lanes.blame.priced)
        yield gauges("trueward_cache_entries", "Entries kept in memory", "cache", lanes.count_cached())


class OfPool(Collector):
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def collect(self) -> Families:
        stats = self._pool.stats()
        yield gauge("trueward_cpu_workers", "Worker processes alive", stats.alive)
        yield gauge("trueward_cpu_busy", "Worker processes at work", stats.busy)
        yield gauge("trueward_cpu_waiting", "Checks that wait for a worker", stats.waiting)
        yield gauges("trueward_cpu_restarts", "Workers replaced since the start", "cause", stats.restarts)


class OfPrograms(Collector):
    def __init__(self, programs: Programs) -> None:
        self._programs = programs

    def collect(self) -> Families:
        programs = self._programs
        yield gauge("trueward_sandbox_running", "Samples whose programs are being run", programs.running)
        yield gauge("trueward_sandbox_waiting", "Samples that wait for a place", programs.waiting)
        yield gauge("trueward_sandbox_failures", "Failures of the sandbox since the start", programs.failures)
        yield gauge("trueward_sandbox_leaked", "Containers that could not be removed", programs.leaked)


class OfLedger(Collector):
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def collect(self) -> Families:
        ledger = self._ledger
        yield gauge("trueward_ledger_waiting_rows", "Rows that wait for the ledger's writer", ledger.waiting)
        yield gauge("trueward_ledger_capacity", "Rows that may wait for it", ledger.capacity)
        yield gauge("trueward_ledger_failing", "1 while the ledger cannot be written", float(ledger.failing))
        yield histogram("trueward_ledger_commit_seconds", "Time of a commit", "result", ledger.commits)
        yield CounterMetricFamily("trueward_ledger_rows", "Rows committed", value=ledger.written)
        yield CounterMetricFamily("trueward_ledger_refused", "Entries that the database refused", value=ledger.refused)


class OfIdempotency(Collector):
    def __init__(self, idempotency: Idempotency) -> None:
        self._idempotency = idempotency

    def collect(self) -> Families:
        count = self._idempotency.replayed
        yield CounterMetricFamily("trueward_idempotency_replayed", "Requests answered again", value=count)


class OfHealth(Collector):
    """Readiness as it was found last, and which parts were in order."""

    def __init__(self, health: Health) -> None:
        self._health = health

    def collect(self) -> Families:
        read = self._health.read
        if read is None:
            return
        yield gauge("trueward_ready", "1 while scoring works, as GET /health/ready says", float(read.ready))
        parts = {check.name: float(check.ok) for check in read.checks if check.name != "stop"}
        yield gauges("trueward_part_up", "1 while a part of the service does its work", "part", parts)


class OfStored(Collector):
    """What the database holds, as it was last read."""

    def __init__(self, stored: DatabaseGauges) -> None:
        self._stored = stored

    def collect(self) -> Families:
        read = self._stored.read
        if read is None:
            return
        yield gauge("trueward_jobs_unfinished", "Jobs accepted and not ended", read.jobs)
        yield gauge("trueward_job_samples_left", "Samples of these not yet scored", read.samples_left)
        yield gauge("trueward_jobs_idle_seconds", "Since one of these moved on", read.idle_s)
        yield gauge("trueward_database_bytes", "Size of the database", read.database_bytes)


class OfBudgets(Collector):
    """How much of their budgets recipes have spent; callers name recipes, so those that spent least are left out."""

    def __init__(self, accounts: Accounts, most: int) -> None:
        self._accounts = accounts
        self._most = most

    def collect(self) -> Families:
        shares = sorted(self._accounts.shares().items(), key=lambda named: named[1])
        text = "Spent of a recipe's budget, of the run that spent most"
        yield gauges("trueward_budget_spent_ratio", text, "recipe", dict(shares[-self._most :]))


class OfModels(Collector):
    """What each engine counted, by device, and what models answered or could not answer, by model."""

    def __init__(self, models: ModelLane) -> None:
        self._models = models

    def collect(self) -> Families:
        counters = self._models.engines.counters()
        for name, text in _ENGINE.items():
            values = {device: counted.get(name, 0.0) for device, counted in counters.items()}
            yield gauges(f"trueward_model_{name}", text, "device", values)
        failures = GaugeMetricFamily(
            "trueward_model_failures", "Questions without an answer, by cause", labels=["model", "code"]
        )
        for labels, count in self._models.failures.items():
            failures.add_metric(labels, count)
        yield failures
        tally = self._models.tally
        yield counter("trueward_model_answers", "Answers, by how they were had", ("model", "had"), tally.answers)
        yield counter("trueward_model_unreadable", "Replies outside of their form", "model", tally.unreadable)
        yield counter("trueward_model_tokens", "Tokens read and written", ("model", "direction"), tally.tokens)
        yield counter("trueward_model_cost", "Cost of the answers by the models' prices", "model", tally.cost)
