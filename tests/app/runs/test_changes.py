"""What is new in a run since a step: read next to it, on both databases, and answered by the API."""

from __future__ import annotations

import uuid
from random import Random

import pytest

from app.kit.db import Database
from app.path.rows import Entry
from app.runs import changes
from app.runs.changes import ChangesReader
from tests.app.conftest import Api
from tests.app.watch.recording import RECIPE, entry, record
from trueward.errors import NotFound

STEPS = 8
JUMP = 5


def answers(step: int) -> list[Entry]:
    """Groups of two; from the jump on every second response lists numbers, which is read as its answer."""
    found = []
    for number in range(20):
        lists = step >= JUMP and number % 2 == 0
        text = f"Attempt {number} of {step}.\n" + ("Possible answers: 1, 2, 3" if lists else f"It is {number + 10}")
        code, answer = ("listed", "1, 2, 3") if lists else ("equal", str(number + 10))
        found.append(entry(f"p{number // 2}", text, code=code, extracted=answer, group=f"{step}-{number // 2}"))
    return found


@pytest.mark.parametrize("priced", [True, False])
async def test_what_is_new_since_a_step_is_told_with_its_first_sample(db: Database, priced: bool) -> None:
    await record(db, "r", [answers(step) for step in range(STEPS)], RECIPE if priced else None)
    found = await ChangesReader(db).of_run("r", JUMP)
    assert (found.before, found.after) == (100, 60)
    assert [(one.what, one.before, one.after, one.step) for one in found.reasons] == [
        ("correct: listed", 0.0, 0.5, JUMP)
    ]
    assert "answer: list" in [one.what for one in found.forms]
    assert "possible answers : # , # ," in [one.what for one in found.phrases]
    assert found.reasons[0].record == found.phrases[0].record


async def test_no_more_is_read_than_lies_next_to_the_step(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "SIDE", 30)
    monkeypatch.setattr(changes, "NEAR", 30)
    await record(db, "r", [answers(step) for step in range(STEPS)])
    found = await ChangesReader(db).of_run("r", JUMP + 1)
    assert (found.before, found.after) == (30, 30)
    assert found.reasons == []  # what began at the jump is on both sides of the step after it


async def test_a_rise_within_groups_is_found_in_as_many_groups_as_are_near(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of groups of eight, 64 records are eight groups: a form that goes from a quarter of them to three is within
    chance there. The same 64 records of as many groups tell it."""

    def step_of(step: int) -> list[Entry]:
        found = []
        for number in range(64):
            lists = number % 8 < (6 if step >= JUMP else 2)
            text = "Possible answers: 1, 2, 3" if lists else f"It is {number}"
            found.append(
                entry(f"p{number // 8}", text, code="listed" if lists else "equal", group=f"{step}-{number // 8}")
            )
        return found

    chance = Random(3)  # which of a group are looked at would else depend on the records' names
    monkeypatch.setattr(changes, "crc32", lambda _: chance.getrandbits(32))
    monkeypatch.setattr(changes, "SIDE", 64)
    await record(db, "r", [step_of(step) for step in range(2 * JUMP)])
    monkeypatch.setattr(changes, "NEAR", 64)
    near = await ChangesReader(db).of_run("r", JUMP)
    assert (near.before, near.after, near.reasons) == (64, 64, [])
    monkeypatch.setattr(changes, "NEAR", 320)
    spread = await ChangesReader(db).of_run("r", JUMP)
    assert (spread.before, spread.after) == (64, 64)
    assert [one.what for one in spread.reasons] == ["correct: listed"]


async def test_a_place_in_the_group_is_no_rise(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trainer sends each group in the same order, say the shortest first: a sample of it is of any place."""

    def step_of(step: int) -> list[Entry]:
        codes = ["listed" if number % 8 < 2 else "equal" for number in range(64)]
        return [
            entry(f"p{number // 8}", f"{code} {number}", code=code, group=f"{step}-{number // 8}")
            for number, code in enumerate(codes)
        ]

    monkeypatch.setattr(changes, "SIDE", 40)
    await record(db, "r", [step_of(step) for step in range(2 * JUMP)])
    found = await ChangesReader(db).of_run("r", JUMP)
    assert (found.before, found.after, found.reasons) == (40, 40, [])


async def test_a_run_without_steps_is_not_found(db: Database) -> None:
    with pytest.raises(NotFound, match="names a step"):
        await ChangesReader(db).of_run("nobody", 1)


def test_the_api_answers_for_a_run_of_any_name(api: Api) -> None:
    run = f"a/b?{uuid.uuid4().hex}"
    path = f"/v1/runs/{run.replace('/', '%2F').replace('?', '%3F')}/changes"
    assert api.get(f"{path}?since=1").status_code == 404
    samples = [{"prompt": "q", "response": "5", "reference": "5"}]
    for step in (0, 1):
        api.post("/v1/rewards", {"recipe": "math", "run": run, "step": step, "samples": samples}).raise_for_status()
    told = api.get(f"{path}?since=1").json()
    assert (told["run"], told["since"], told["before"], told["after"], told["phrases"]) == (run, 1, 1, 1, [])
    refused = api.get(path)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "query.since")


async def test_evaluations_change_nothing_in_a_run_that_trains(db: Database) -> None:
    await record(db, "r", [answers(0) for _ in range(4)])
    await record(db, "r", [answers(JUMP) for _ in range(2)], first=2, split="eval")
    found = await ChangesReader(db).of_run("r", 2)
    assert (found.before, found.after, found.reasons) == (40, 40, [])


async def test_a_run_of_evaluations_alone_is_compared(db: Database) -> None:
    await record(db, "r", [answers(step) for step in range(STEPS)], split="eval")
    found = await ChangesReader(db).of_run("r", JUMP)
    assert [one.what for one in found.reasons] == ["correct: listed"]
