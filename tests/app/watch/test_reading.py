"""Streams from the ledger, on both databases: the columns, the bounds, labels, canaries, hostile text."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import update

from app.kit.db import Database
from app.tables import Reward as RewardTable
from app.watch.reading import StreamReader
from tests.app.watch.recording import JUDGE, VOTE, entry, label, record


async def test_the_columns_are_those_of_the_rewards(db: Database) -> None:
    entries = [
        entry("2+2?", "four", "correct", extracted="4", group="g"),
        entry("2+2?", "five!", "incorrect", group="g", data_source="canary"),
        entry("3+3?", "", "invalid", code="empty", metadata={"canary": True}),
        entry("3+3?", "it is 6", "timeout", code="time_limit", metadata={"canary": False}),
    ]
    await record(db, "r", [entries[:2], entries[2:]])
    reading = await StreamReader(db).read("r", 1000)
    stream = reading.stream
    assert stream.reward[:3].tolist() == [1.0, 0.0, 0.0]
    assert np.isnan(stream.reward[3])
    assert stream.accepted[:3].tolist() == [1.0, 0.0, 0.0]
    assert np.isnan(stream.accepted[3])
    assert stream.cause.tolist() == [None, None, "invalid: empty", "missing: time_limit"]
    assert stream.length.tolist() == [4, 5, 0, 7]
    assert stream.answer.tolist() == ["4", "five!", None, "it is 6"]
    assert stream.step.tolist() == [0, 0, 1, 1]
    assert stream.canary.tolist() == [False, True, True, False]
    assert stream.group.tolist() == [0, 0, 1, 1]
    assert stream.scores["math"][:2].tolist() == [1.0, 0.0]
    assert (reading.kind.range, reading.kind.unsupervised, reading.left_out) == ((0.0, 1.0), False, 0)


async def test_a_run_that_was_only_verified_has_its_verdicts(db: Database) -> None:
    await record(db, "r", [[entry("p", f"answer {place}", extracted=str(place)) for place in range(5)]], None)
    reading = await StreamReader(db).read("r", 1000)
    assert reading.recipe is None
    assert reading.stream.reward.tolist() == [1.0] * 5
    assert sorted(reading.stream.answer) == ["0", "1", "2", "3", "4"]
    assert reading.stream.scores["math"].tolist() == [1.0] * 5


async def test_of_a_long_run_the_beginning_and_the_latest_are_read(db: Database) -> None:
    await record(db, "r", [[entry(f"p{step}", f"{step}-{place}") for place in range(10)] for step in range(20)])
    reading = await StreamReader(db).read("r", 100)
    assert reading.left_out == 100
    assert sorted(set(reading.stream.step.tolist())) == [0, 1, 2, *range(12, 20)]
    assert len(set(reading.stream.record)) == 100


async def test_labels_count_by_most_of_them_and_never_after_a_reveal(db: Database) -> None:
    entries = [entry("p", response) for response in ("a", "b", "c", "d")]
    await record(db, "r", [entries])
    names = [one.fingerprint for one in entries]
    await label(db, [(names[0], True), (names[0], True), (names[0], False), (names[1], True), (names[1], False)])
    await label(db, [(names[2], False)], score=0.25)
    await label(db, [(names[3], True)], after_reveal=True)
    stream = (await StreamReader(db).read("r", 100)).stream
    assert stream.labelled.tolist() == [True, False, True, False]
    assert stream.right[[0, 2]].tolist() == [1.0, 0.0]
    assert stream.gold[2] == 0.25


@pytest.mark.parametrize(("recipe", "verifier", "unsupervised"), [(VOTE, "majority", True), (JUDGE, "overlap", False)])
async def test_recipes_say_whether_they_need_labels(
    db: Database, recipe: object, verifier: str, unsupervised: bool
) -> None:
    await record(db, "r", [[entry("p", "a", verifier=verifier)]], recipe)  # type: ignore[arg-type]
    assert (await StreamReader(db).read("r", 10)).kind.unsupervised is unsupervised


async def test_messages_and_hostile_text_are_read_as_they_are(db: Database) -> None:
    hostile = "<script>alert(1)</script>\u2028=cmd|' /C calc'!A0"
    chat = [{"role": "user", "content": "no"}, {"role": "assistant", "content": "yes"}]
    entries = [
        entry(hostile, hostile, extracted=hostile),
        entry("p", chat),
        entry("p", "no canary", metadata={"canary": ""}),
    ]
    await record(db, "r", [entries])
    stream = (await StreamReader(db).read("r", 10)).stream
    assert stream.answer[0] == hostile
    assert stream.length.tolist() == [len(hostile), 3, 9]
    assert not stream.canary.any()


async def test_an_evaluation_is_another_source_than_the_training_data(db: Database) -> None:
    entries = [entry("p", "a", data_source="math"), entry("p", "b", data_source="math"), entry("p", "c")]
    await record(db, "r", [entries])
    async with db.write() as connection:
        of_eval = RewardTable.sample.in_([one.fingerprint for one in entries[1:]])
        await connection.execute(update(RewardTable).where(of_eval).values(split="eval"))
    stream = (await StreamReader(db).read("r", 10)).stream
    assert stream.source.tolist() == ["math", "math (eval)", "no name (eval)"]


async def test_an_unknown_run_is_empty(db: Database) -> None:
    reading = await StreamReader(db).read("nobody's", 10)
    assert (len(reading.stream), reading.left_out) == (0, 0)


async def test_the_edition_changes_with_records_and_labels(db: Database) -> None:
    one = entry("p", "a")
    await record(db, "r", [[one]])
    reader = StreamReader(db)
    first = await reader.edition("r")
    assert await reader.edition("r") == first
    await record(db, "r", [[entry("p", "b")]], first=1)
    second = await reader.edition("r")
    await label(db, [(one.fingerprint, True)])
    assert len({first, second, await reader.edition("r")}) == 3
