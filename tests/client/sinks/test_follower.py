"""A run that is followed reaches each sink, each step once: also after a restart, and where one sink fails."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.client.sinks.kept import Kept
from trueward import Client
from trueward.errors import NotFound
from trueward.sinks.follower import Follower, Progress


@pytest.fixture(scope="module")
def client(live: str) -> Iterator[Client]:
    with Client(live) as client:
        yield client


def sent(client: Client, run: str, *steps: int, recipe: str = "math") -> None:
    """Sixteen responses a step; a third of the answers are right, one has no answer, one no reference."""
    for step in steps:
        samples = [
            {
                "prompt": f"{n // 4}?",
                "response": f"{run} {step} {n} says " + ("nothing" if n == 5 else f"\\boxed{{{n % 3}}}"),
                "reference": None if n == 6 else "1",
                "group": f"g{n // 4}",
            }
            for n in range(16)
        ]
        client.reward(
            samples, recipe={"terms": [{"verifier": recipe, "params": {"extract": "boxed"}}]}, run=run, step=step
        )


def follower(client: Client, run: str, folder: Path, *sinks: Kept, settle_s: float = 0.0, samples: int = 2) -> Follower:
    opened = [(sink, Progress.of(folder, client.url, run, f"kept:{place}")) for place, sink in enumerate(sinks)]
    return Follower(client, run, opened, settle_s, samples)


def test_numbers_are_those_of_the_step(client: Client, tmp_path: Path) -> None:
    sent(client, "follow/numbers", 3)
    sink = Kept()
    assert follower(client, "follow/numbers", tmp_path, sink).follow() == 1
    ((step, numbers),) = sink.numbers
    assert step == 3
    assert numbers["records"] == 16.0
    assert numbers["missing"] == numbers["missing/no_reference"] == numbers["outcome/abstained"] == 1 / 16
    assert numbers["invalid/no_answer"] == numbers["outcome/invalid"] == 1 / 16
    assert numbers["reward"] == numbers["component/math"] == pytest.approx(5 / 15)
    assert (numbers["groups"], numbers["outcome/correct"], numbers["outcome/timeout"]) == (4.0, 5 / 16, 0.0)


def test_samples_are_shown_with_their_texts_and_reasons(client: Client, tmp_path: Path) -> None:
    sent(client, "follow/rows\x1b[2J", 0)
    sink = Kept()
    follower(client, "follow/rows\x1b[2J", tmp_path, sink, samples=8).follow()
    ((step, rows),) = sink.rows
    assert (step, len(rows)) == (0, 8)
    assert {row.outcome for row in rows} <= {"correct", "incorrect", "invalid", "abstained"}
    assert all("\x1b" not in row.response and "says" in row.response for row in rows)
    assert all(row.reason_code for row in rows)


def test_a_restart_goes_on_behind_the_last_step(client: Client, tmp_path: Path) -> None:
    sent(client, "follow/again", 0, 1, 2)
    first, second = Kept(), Kept()
    assert follower(client, "follow/again", tmp_path, first).follow() == 3
    assert follower(client, "follow/again", tmp_path, second).follow() == 0
    sent(client, "follow/again", 3, 4)
    assert follower(client, "follow/again", tmp_path, second).follow() == 2
    assert (first.steps, second.steps) == ([0, 1, 2], [3, 4])


def test_the_last_step_waits_until_nothing_comes_to_it(client: Client, tmp_path: Path) -> None:
    sent(client, "follow/growing", 0, 1)
    sink = Kept()
    patient = follower(client, "follow/growing", tmp_path, sink, settle_s=600.0)
    assert patient.follow() == 1
    sent(client, "follow/growing", 1, 2)
    assert patient.follow() == 1
    assert [(step, numbers["records"]) for step, numbers in sink.numbers] == [(0, 16.0), (1, 32.0)]


def test_a_sink_that_fails_hinders_none_from_going_on_where_it_was(client: Client, tmp_path: Path) -> None:
    sent(client, "follow/failing", 0, 1, 2)
    good, bad = Kept(), Kept(fails_at=1)
    with pytest.raises(OSError, match="disk is full"):
        follower(client, "follow/failing", tmp_path, good, bad).follow()
    mended = Kept()
    assert follower(client, "follow/failing", tmp_path, good, mended).follow() == 2
    assert (good.steps, bad.steps, mended.steps) == ([0, 1, 2], [0], [1, 2])


def test_many_steps_come_in_pages_in_order(client: Client, tmp_path: Path) -> None:
    for step in range(60):
        client.reward([{"response": "2", "reference": "2"}], recipe="exact", run="follow/many", step=step)
    sink = Kept()
    assert follower(client, "follow/many", tmp_path, sink, samples=0).follow() == 60
    assert (sink.steps, sink.rows) == (list(range(60)), [])


def test_each_alarm_is_told_once(client: Client, tmp_path: Path, live: str) -> None:
    run = "follow/alarms"
    with httpx2.Client(base_url=live, timeout=60.0, trust_env=False) as http:
        watch = {"run": run, "every_s": 1, "action": "alarm"}
        http.put("/v1/watches/followed", json=watch).raise_for_status()
        for step in range(4):
            client.reward([{"response": "2", "prompt": f"{n}"} for n in range(64)], recipe="exact", run=run, step=step)
        for _ in range(120):
            if http.get("/v1/alarms", params={"run": run}).json()["alarms"]:
                break
            time.sleep(0.25)
        http.delete("/v1/watches/followed").raise_for_status()
    first, second = Kept(), Kept()
    follower(client, run, tmp_path, first).follow()
    follower(client, run, tmp_path, second).follow()
    assert "missing" in [alarm.finding.signal for alarm in first.alarms]
    assert second.alarms == []


def test_a_run_that_nobody_knows_is_not_found(client: Client, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        follower(client, "follow/none", tmp_path, Kept()).follow()
