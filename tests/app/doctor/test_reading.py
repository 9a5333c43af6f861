"""What the doctor reads, on both databases: the newest records, what their texts say, and no text that is very long."""

from __future__ import annotations

import pytest

from app.doctor import reading
from app.doctor.reading import LONGEST, DoctorReader
from app.kit.db import Database
from rewards.recipe import parse_recipe
from tests.app.watch.recording import RECIPE, entry, record


async def test_the_newest_come_first_over_several_pages(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_PAGE", 3)
    made = [[entry("p", f"answer {step} {n}") for n in range(4)] for step in range(3)]
    await record(db, "r", made)
    found = await DoctorReader(db).read("r", 8)
    records = [one.reward.record for step in made for one in step if one.reward is not None]
    assert [one.record for one in found.records] == sorted(filter(None, records), reverse=True)[:8]
    assert found.total == 12
    assert [len(members) for members in found.groups] == [4, 4]
    assert (await DoctorReader(db).read("none", 8)).records == []


async def test_texts_are_read_for_what_they_say(db: Database) -> None:
    tagged = entry("p", "So <answer>4</answer>, as \\boxed{4}", finish_reason="length", tokens=17, data_source="X")
    messages = entry("q", [{"role": "assistant", "content": "Answer: 4"}], "invalid", code="no_answer")
    await record(db, "r", [[tagged, messages]])
    found = {one.prompt: one for one in (await DoctorReader(db).read("r", 10)).records if one.content is not None}
    first, second = sorted(found.values(), key=lambda one: one.source or "", reverse=True)
    assert first.content is not None
    assert second.content is not None
    assert first.content.forms == {"<answer>", "\\boxed"}
    assert (first.content.finish_reason, first.content.tokens, first.source) == ("length", 17, "X")
    assert second.content.forms == {'"Answer:"'}
    assert (second.reason_code, second.is_judged(), first.is_judged()) == ("no_answer", False, True)


async def test_a_very_long_sample_is_not_read_and_a_canary_left_out(db: Database) -> None:
    await record(
        db, "r", [[entry("p", "x" * (LONGEST + 1)), entry("p", "wrong", data_source="canary"), entry("p", "y")]]
    )
    found = (await DoctorReader(db).read("r", 10)).records
    assert sorted(one.content is None for one in found) == [False, True]


@pytest.mark.parametrize("priced", [True, False])
async def test_what_verdicts_say_of_some_records(db: Database, priced: bool) -> None:
    await record(db, "r", [[entry("p", "a"), entry("q", "b", "invalid", code="no_answer")]], RECIPE if priced else None)
    reader = DoctorReader(db)
    summary = await reader.read("r", 10)
    said = await reader.read_verdicts(summary.records)
    assert sorted((one.verifier, one.reason_code, one.score) for one in said) == [
        ("math", "equal", 1.0),
        ("math", "no_answer", 0.0),
    ]
    assert await reader.params("math", "sha256:none") == {}


async def test_terms_of_negative_weight_are_penalties(db: Database) -> None:
    terms = ["math", {"verifier": "length", "name": "too_long", "weight": -0.5, "params": {"target": 10}}]
    recipe = parse_recipe({"name": "mine", "terms": terms, "invalid": 0.0})
    await record(db, "r", [[entry("p", "a")]], recipe)
    assert (await DoctorReader(db).read("r", 10)).penalties == {"too_long"}


@pytest.mark.parametrize("priced", [True, False])
async def test_evaluations_are_read_where_the_run_has_no_other_records(db: Database, priced: bool) -> None:
    recipe = RECIPE if priced else None
    trained = [[entry("p", "trained"), entry("canary", "wrong", data_source="canary")]]
    await record(db, "r", [[entry("p", f"evaluated {n}") for n in range(3)]], recipe, split="eval")
    only = await DoctorReader(db).read("r", 2)
    assert (len(only.records), only.evaluated) == (2, True)
    await record(db, "r", trained, recipe)
    await record(db, "r", [[entry("p", f"evaluated later {n}") for n in range(3)]], recipe, split="eval")
    found = await DoctorReader(db).read("r", 2)
    assert (len(found.records), found.evaluated) == (1, False)
    assert found.total == 8
