"""Deletions: what is due goes, with all that hangs on it; what is not stays, and can still be read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pydantic import JsonValue
from sqlalchemy import delete, insert, select, update

from app import tables
from app.kit.claim import Claim
from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import new_id
from app.replay.explain import explain_record
from app.replay.service import replay
from app.retention.repository import DeletionsRepository
from app.retention.service import Retention, keep_up, spec_of, work_on
from app.verdicts.repository import VerdictsRepository
from app.webhooks.outbox import Hook, expect
from tests.app.records import count
from tests.app.retention.made import deleted, label, left, make_project, make_run, responses, work, write
from trueward.errors import Conflict, NotFound
from trueward.wire.deletion import DeletionRequest


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a handful of rows takes several."""
    for module in ("due", "jobs", "whole"):
        monkeypatch.setattr(f"app.retention.{module}.BATCH", 2)
    for module in ("due", "whole"):
        monkeypatch.setattr(f"app.retention.{module}.PAGE", 3)
    monkeypatch.setattr("app.retention.subject._PAGE", 3)
    monkeypatch.setattr("app.retention.subject._AT_ONCE", 2)


async def test_by_age_the_old_go_and_the_young_stay(db: Database) -> None:
    await write(db, [f"old{number}" for number in range(7)], days=40)
    await write(db, ["young", "old0"], days=20)
    done = await deleted(db, older_than_days=30)
    assert (done.state, done.rows) == ("completed", {"rewards": 7, "samples": 6, "verdicts": 7})
    assert await left(db, tables.Verdict) == await left(db, tables.Reward) == ["old0", "young"]
    assert await responses(db) == ["old0", "young"], "a sample that was judged again stays"


async def test_by_age_of_a_project_others_stay(db: Database) -> None:
    await make_project(db, "mine", "k1")
    await write(db, ["a", "b", "c"], days=40, owner="k1")
    await write(db, ["c", "d"], days=40, owner="k2")
    await write(db, ["e"], days=40)
    assert (await deleted(db, older_than_days=30, project="mine")).rows == {"rewards": 3, "samples": 2, "verdicts": 3}
    assert await responses(db) == ["c", "d", "e"]
    await deleted(db, older_than_days=30, project="default")
    assert await responses(db) == ["c", "d"], "what has no owner is the default project's"


async def test_a_whole_run_goes_with_its_state(db: Database) -> None:
    await make_run(db, "r")
    await make_run(db, "other")
    await write(db, ["a", "b", "c"], run="r")
    await write(db, ["a"], run="other")
    done = await deleted(db, run="r")
    assert done.rows == {
        "prompts": 1, "rewards": 3, "run_marks": 1, "run_states": 1, "runs": 1, "samples": 2, "verdicts": 3,
    }  # fmt: skip
    for table in (tables.Run, tables.RunState, tables.RunMark, tables.Prompt):
        assert await count(db, table) == 1
    assert await responses(db) == ["a"]


async def test_by_age_a_run_goes_with_its_last_record(db: Database) -> None:
    await make_run(db, "gone", days=50)
    await make_run(db, "going", days=50)
    await make_run(db, "new")
    await write(db, ["a"], run="gone", days=40)
    await write(db, ["b"], run="going", days=40)
    await write(db, ["c"], run="going")
    await deleted(db, older_than_days=30)
    async with db.read() as connection:
        assert sorted((await connection.execute(select(tables.Run.id))).scalars()) == ["going", "new"]


@pytest.mark.parametrize("subject", ["ada", 'a "b" \\ c', "ünï", 17])
async def test_a_subject_goes_with_all_that_was_said_of_it(db: Database, subject: str | int) -> None:
    await write(db, [f"theirs{number}" for number in range(5)], subject=subject)
    await write(db, ["others"], subject="ada2")
    await write(db, ["nobodys"])
    for sample in ("theirs1", "others"):
        await label(db, sample)
    done = await deleted(db, subject=str(subject))
    assert (done.state, done.rows) == ("completed", {"labels": 1, "rewards": 5, "samples": 5, "verdicts": 5})
    assert await responses(db) == ["nobodys", "others"]
    assert await count(db, tables.Label) == 1


async def test_a_labelled_sample_outlives_its_records(db: Database) -> None:
    await write(db, ["labelled", "plain"], days=40)
    await label(db, "labelled")
    await deleted(db, older_than_days=30)
    assert await responses(db) == ["labelled"]
    assert await count(db, tables.Label) == 1


async def test_a_subjects_items_leave_jobs_that_have_ended(db: Database) -> None:
    await make_job(db, "done", "completed", ["ada", "bob", "ada"])
    await make_job(db, "going", "running", ["ada"])
    waiting = await deleted(db, subject="ada")
    assert waiting.state == "waiting"
    assert "job going has to end first" in (waiting.failure or "")
    async with db.write() as connection:
        await connection.execute(update(tables.Job).values(state="completed"))
    await work(db)
    assert await count(db, tables.JobItem) == 1
    assert await count(db, tables.Job) == 2


async def test_jobs_go_with_their_run_and_with_age(db: Database) -> None:
    await make_job(db, "of the run", "completed", ["x"] * 5, run="r")
    await make_job(db, "0" * 26, "completed", ["x"] * 3)
    await make_job(db, new_id(), "completed", ["x"])
    assert (await deleted(db, run="r")).rows == {"job_items": 5, "jobs": 1}
    assert (await deleted(db, older_than_days=30)).rows == {"job_items": 3, "jobs": 1}


async def test_what_is_posted_of_a_job_or_an_alarm_goes_with_it(db: Database) -> None:
    await make_run(db, "r")
    await make_job(db, "of the run", "completed", ["x"], run="r")
    await make_job(db, "of another", "completed", ["x"])
    seen = {"first_seen": now(), "last_seen": now(), "seen": 1, "record": new_id(), "finding": {}, "state": "open"}
    alarm = {"id": "alarm", "watch": "w", "run": "r", "signal": "saturation", "cause": "c"}
    async with db.write() as connection:
        await connection.execute(insert(tables.Alarm).values(**alarm, **seen))
        for subject in ("of the run", "of another", "alarm"):
            await expect(connection, Hook("http://10.0.0.1/", None), subject, None)
    rows = (await deleted(db, run="r")).rows
    assert (rows["jobs"], rows["alarms"], rows["deliveries"]) == (1, 1, 2)
    async with db.read() as connection:
        assert list((await connection.execute(select(tables.Delivery.subject))).scalars()) == ["of another"]


async def make_job(db: Database, job: str, state: str, subjects: list[str], run: str | None = None) -> None:
    body = {"verifier": "exact", "run": run}
    row = {"id": job, "kind": "verify", "body": body, "state": state, "total": len(subjects), "position": 0}
    times = dict.fromkeys(("created_at", "updated_at", "accepted_at"), now())
    async with db.write() as connection:
        await connection.execute(insert(tables.Job).values(**row, counts={}, **times))
        for place, subject in enumerate(subjects):
            sample = f'{{"response":"r","metadata":{{"subject":"{subject}"}}}}'
            item = {"job": job, "position": place, "record": new_id(), "sample_id": str(place), "sample": sample}
            await connection.execute(insert(tables.JobItem).values(**item))


async def test_answers_under_idempotency_keys_that_hold_a_record_go(db: Database) -> None:
    (record,) = await write(db, ["a"], run="r")
    for key, body in (("theirs", f'{{"record":"{record}"}}'), ("another of the moment", "{}")):
        async with db.write() as connection:
            row = {"scope": "s", "key": key, "body_hash": "h", "seed": record[:10] + "0" * 16, "body": body}
            await connection.execute(insert(tables.Idempotency).values(**row, status=200, created_at=now()))
    await deleted(db, run="r")
    async with db.read() as connection:
        assert (await connection.execute(select(tables.Idempotency.key))).scalars().all() == ["another of the moment"]


async def test_what_was_settled_with_the_deleted_is_known_not_to_be_computed_again(db: Database) -> None:
    await make_run(db, "r")
    request = new_id()
    (kept,) = await write(db, ["kept"], run="r", request=request)
    (gone,) = await write(db, ["gone"], run="r", request=request, subject="ada")
    await write(db, ["whole"], run="r")
    await deleted(db, subject="ada")
    report = [found async for found in replay(db, "r")][-1]
    assert (report.rewards, report.unknown) == (1, 2), "unknown: a reward, and a state that names no request"
    with pytest.raises(Conflict, match="deleted"):
        await explain_record(db, kept)
    with pytest.raises(NotFound):
        await explain_record(db, gone)


async def test_other_groups_of_a_request_are_computed_again(db: Database) -> None:
    await make_run(db, "r")
    request = new_id()
    await write(db, ["mate"], run="r", request=request, group="g1")
    await write(db, ["gone"], run="r", request=request, group="g1", subject="ada")
    await write(db, ["other"], run="r", request=request, group="g2")
    await deleted(db, subject="ada")
    report = [found async for found in replay(db, "r")][-1]
    assert (report.rewards, report.unknown) == (1, 2)


async def test_a_reward_whose_verdict_is_gone_is_still_shown(db: Database) -> None:
    (record,) = await write(db, ["a"], run="r")
    async with db.write() as connection:
        await connection.execute(delete(tables.Verdict))
    detail = await VerdictsRepository(db).find(record)
    assert detail is not None
    assert detail.model_dump()["verdicts"] == []
    with pytest.raises(Conflict):
        await explain_record(db, record)


async def test_counting_takes_nothing(db: Database) -> None:
    await write(db, ["a", "b"], days=40, run="r")
    await write(db, ["b", "c"], subject="ada")
    counts = Retention(db).count
    assert await counts(DeletionRequest(older_than_days=30)) == {"rewards": 2, "samples": 2, "verdicts": 2}
    assert await counts(DeletionRequest(run="r")) == {"rewards": 2, "samples": 2, "verdicts": 2}
    assert await counts(DeletionRequest(subject="ada")) == {"labels": 0, "rewards": 2, "samples": 2, "verdicts": 2}
    assert await count(db, tables.Verdict) == 4


async def test_policies_are_applied_once_a_day(db: Database) -> None:
    await make_project(db, "short", "k1", days=10)
    await make_project(db, "long", "k2", days=30)
    for owner in ("k1", "k2", None):
        for days in (5, 20, 40):
            await write(db, [f"{owner} {days}"], days=days, owner=owner)
    await keep_up(db)
    await keep_up(db)
    await work(db)
    assert await count(db, tables.Deletion) == 1
    assert await responses(db) == ["None 20", "None 40", "None 5", "k1 5", "k2 20", "k2 5"]


async def test_a_clock_that_is_set_ahead_deletes_nothing_early(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_project(db, "short", "k1", days=10)
    await write(db, ["young"], days=5, owner="k1")
    later = now() + timedelta(days=30)
    monkeypatch.setattr("app.kit.clock.now", lambda: later)
    await keep_up(db)
    await work(db)
    assert await responses(db) == ["young"]


async def test_a_deletion_is_on_record(db: Database) -> None:
    await write(db, ["a"], run="r")
    done = await deleted(db, run="r")
    async with db.read() as connection:
        acts = (await connection.execute(select(tables.Act.__table__).order_by(tables.Act.id))).all()
    assert [(act.action, act.target) for act in acts] == [("deletion.create", done.id), ("deletion.complete", done.id)]
    assert acts[0].details == {"run": "r", "policy": False}
    assert acts[1].details == done.rows


async def test_a_deletion_that_fails_says_so(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ValueError("a bug")

    await write(db, ["a"], run="r")
    monkeypatch.setattr("app.retention.due.erase_records", fail)
    done = await deleted(db, run="r")
    assert (done.state, done.failure) == ("failed", "ValueError: a bug")


async def test_reports_of_audits_lose_what_they_show_of_a_subject(db: Database) -> None:
    (gone,) = await write(db, ["gone"], subject="ada")
    (kept,) = await write(db, ["kept"])
    examples: list[JsonValue] = [
        {"response": record, "then": {"record": record}, "scores": [1]} for record in (gone, kept)
    ]
    report: JsonValue = {
        "flips": {"count": 2, "examples": examples},
        "cells": {"a": [gone, kept], "b": [kept]},
        "tables": [{"rows": [["text", 1, gone], ["text", 2, kept]]}],
    }
    row = {"id": "a", "name": "a", "kind": "reverify", "subject": "math", "spec": {}, "state": "completed"}
    async with db.write() as connection:
        made = {**row, "done": 1, "total": 1, "report": report, "created_at": now()}
        await connection.execute(insert(tables.Audit).values(**made))
    assert (await deleted(db, subject="ada")).rows["audits"] == 1
    async with db.read() as connection:
        left_of_it = (await connection.execute(select(tables.Audit.report))).scalar_one()
    assert left_of_it == {
        "flips": {"count": 2, "examples": examples[1:]},
        "cells": {"a": [kept], "b": [kept]},
        "tables": [{"rows": [["text", 2, kept]]}],
    }


class Lost(Claim):
    """A claim that is lost after some batches, as by a kill: each batch is committed with its progress."""

    def __init__(self, batches: int) -> None:
        super().__init__(None)
        self._left = batches

    async def is_held(self) -> bool:
        self._left -= 1
        return self._left >= 0


@pytest.mark.parametrize("asked", [{"run": "r"}, {"subject": "ada"}, {"older_than_days": 30.0}])
async def test_a_deletion_goes_on_where_it_was(db: Database, asked: dict[str, Any]) -> None:
    await make_run(db, "r", days=50)
    for number in range(3):
        await write(db, [f"{number}.{place}" for place in range(3)], run="r", days=40, subject="ada")
    await write(db, ["kept"])
    repository = DeletionsRepository(db)
    made = await repository.add(spec_of(DeletionRequest(**asked)), None)
    lost = 0
    while (row := next(iter(await repository.list_unfinished()), None)) is not None:
        await work_on(db, row, Lost(2))
        lost += 1
    done = await repository.find(made.id)
    assert done is not None
    assert lost > 2
    assert {name: done.rows[name] for name in ("verdicts", "rewards", "samples")} == {
        "verdicts": 9, "rewards": 9, "samples": 9,
    }  # fmt: skip
    assert await responses(db) == ["kept"]
