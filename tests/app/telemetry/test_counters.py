"""What is counted for every sample: labels are bounded, histograms are Prometheus', and a restart loses no gauge."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import insert

from app.kit.clock import now
from app.kit.db import Database
from app.kit.durations import BOUNDS_S, Durations
from app.tables import Job
from app.telemetry.database import DatabaseGauges
from app.telemetry.metrics import Metrics
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome, Verdict


def labels_of(metrics: Metrics, name: str, label: str) -> set[str]:
    families = text_string_to_metric_families(metrics.render().decode())
    return {sample.labels[label] for family in families for sample in family.samples if sample.name == name}


def reward(outcome: Outcome = Outcome.CORRECT) -> Reward:
    return Reward(id="a", reward=1.0, outcome=outcome, components={})


def test_runs_and_recipes_without_end_share_a_label() -> None:
    metrics = Metrics()
    for index in range(300):
        metrics.count_verdicts([Verdict.timeout("deadline", "late")], f"run{index}")
        metrics.count_rewards([reward()], f"recipe{index}")
    for name, label in (("trueward_missing_scores_total", "run"), ("trueward_rewards_total", "recipe")):
        shown = labels_of(metrics, name, label)
        assert len(shown) == 201
        assert "(other)" in shown


def test_what_a_caller_names_cannot_break_the_format() -> None:
    metrics = Metrics()
    name = 'a"} 1\ntrueward_forged 1\n\\'
    metrics.count_rewards([reward()], name)
    assert labels_of(metrics, "trueward_rewards_total", "recipe") == {name}


def test_a_cached_verdict_is_no_work() -> None:
    metrics = Metrics()
    known = Verdict.correct("equal").model_copy(update={"cached": True})
    metrics.count_verdicts([known, Verdict.correct("equal")], None)
    shown = metrics.render().decode()
    assert 'trueward_verdicts_total{outcome="correct",verifier=""} 2.0' in shown
    assert 'trueward_verdicts_cached_total{verifier=""} 1.0' in shown
    assert 'trueward_verify_seconds_count{verifier=""} 1.0' in shown


@pytest.mark.parametrize("seconds", [*BOUNDS_S, 0.0, -1.0, 1e-9, 5.0, 1e9])
def test_durations_fall_into_the_first_bucket_that_holds_them(seconds: float) -> None:
    found = Durations()
    found.add(seconds)
    for bound, count in found.buckets():
        assert count == (max(0.0, seconds) <= float(bound))
    assert (found.count, found.sum_s) == (1, max(0.0, seconds))


async def test_the_store_is_read_without_anybody_waiting_for_it(db: Database) -> None:
    stored = DatabaseGauges(db)
    assert stored.read is None
    empty = await stored.look()
    assert (empty.jobs, empty.samples_left, empty.idle_s) == (0, 0, 0.0)
    assert empty.database_bytes > 0
    at = now()
    given = {"kind": "verdicts", "body": {}, "counts": {}, "created_at": at, "updated_at": at}
    open_job = {"state": "running", "total": 10, "position": 4, "accepted_at": at}
    async with db.write() as connection:
        for name, row in (
            ("open", open_job),
            ("ended", {**open_job, "state": "completed", "position": 10}),
            ("uploading", {**open_job, "state": "queued", "accepted_at": None}),
        ):
            await connection.execute(insert(Job).values(id=name, **given, **row))
    found = await stored.look()
    assert (found.jobs, found.samples_left) == (1, 6)
    assert 0.0 <= found.idle_s < 60.0


async def test_an_outage_shows_as_absent(db: Database) -> None:
    metrics, stored = Metrics(), DatabaseGauges(db)
    metrics.watch_stored(stored)
    assert b"trueward_jobs_unfinished" not in metrics.render()
    stored.read = await stored.look()
    assert b"trueward_jobs_unfinished 0.0" in metrics.render()
