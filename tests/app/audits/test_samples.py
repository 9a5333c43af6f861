"""What people are shown of records that a report names, on both databases."""

from __future__ import annotations

from app import tables
from app.audits.samples import SHOWN, WHOLE, show_records
from app.kit.db import Database
from tests.audits.labelled.planted import put, put_judged, reward, sample, verdict


async def test_the_beginning_of_the_question_and_the_end_of_the_answer_are_shown(db: Database) -> None:
    long = sample("a" * 1000 + "\u202e end", prompt="p" * 1000, reference={"a": [1]})
    said = verdict(long, "incorrect", reason="r" * 1000)
    await put_judged(db, [(long, said)])
    found = await show_records(db, [said["record"], "gone"], rewards=False)
    one = found.pop(said["record"])
    assert found == {}
    assert one.response == ("a" * 1000 + "\u202e end")[-SHOWN:]
    assert (one.prompt, one.reason) == ("p" * SHOWN, "r" * SHOWN)
    assert one.reference.replace(" ", "") == '{"a":[1]}'
    assert (one.outcome.value, one.score) == ("incorrect", 0.0)


async def test_messages_and_missing_entries_are_shown(db: Database) -> None:
    chat = sample([{"role": "assistant", "content": "hi"}])
    said = reward(chat, 0.25)
    await put(db, tables.Sample, [chat])
    await put(db, tables.Reward, [said])
    [one] = (await show_records(db, [said["record"]], rewards=True)).values()
    assert '"hi"' in one.response
    assert (one.prompt, one.reference, one.score) == ("", "", 0.25)


async def test_a_sample_is_read_whole_with_the_evidence_unless_it_is_long(db: Database) -> None:
    short, long = sample("so 5"), sample("b" * WHOLE)
    said = [verdict(one, "incorrect", evidence={"extracted": "5"}) for one in (short, long)]
    await put_judged(db, list(zip((short, long), said, strict=True)))
    found = await show_records(db, [one["record"] for one in said], rewards=False)
    first, second = (found[one["record"]] for one in said)
    assert first.content is not None
    assert (first.content["response"], first.by, first.evidence) == ("so 5", said[0]["verifier"], {"extracted": "5"})
    assert second.content is None
    assert "content" not in first.model_dump()
