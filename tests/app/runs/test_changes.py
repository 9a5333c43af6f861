"""What is new in a run since a step: read next to it, on both databases, and answered by the API."""

from __future__ import annotations

import uuid

import pytest

from app.kit.db import Database
from app.runs import changes
from app.runs.changes import ChangesReader
from app.scoring.rows import Entry
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
    await record(db, "r", [answers(step) for step in range(STEPS)])
    found = await ChangesReader(db).of_run("r", JUMP + 1)
    assert (found.before, found.after) == (30, 30)
    assert found.reasons == []  # what began at the jump is on both sides of the step after it


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
