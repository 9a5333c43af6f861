"""Stored verdicts and rewards as columns: which are read, and each feature as a recipe would name it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import JsonValue

from app import tables
from app.audits.records import read_records
from app.kit.db import Database
from audits.labelled.records import Records
from rewards.noise.rates import Rate, Rates
from rewards.noise.rates import feature as recipes_feature
from tests.audits.labelled.planted import label, put, put_judged, reward, sample, verdict
from trueward.errors import InvalidRequest
from trueward.wire.audit import Population, Subject
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers import registry

MATH = Subject(verifier="math")


async def read(db: Database, subject: Subject = MATH, population: Population | None = None, *features: str) -> Records:
    return await read_records(db, subject, population or Population(), features)


async def test_the_outcome_or_the_threshold_decides_and_a_missing_score_is_no_verdict(db: Database) -> None:
    said: list[tuple[str, float | None]] = [
        ("correct", 1.0),
        ("incorrect", 0.0),
        ("partial", 0.7),
        ("scored", 0.9),
        ("invalid", 0.0),
        ("timeout", None),
    ]
    await put_judged(db, [((one := sample(name)), verdict(one, name, score)) for name, score in said])
    plain = await read(db)
    assert plain.accepted.tolist()[:3] == [1, 0, 0]
    assert [plain.outcome.values()[place] for place in (3, 5)] == ["scored", "timeout"]
    assert str(plain.accepted.tolist()[3:]) == "[nan, 0.0, nan]"
    lined = await read(db, MATH.model_copy(update={"threshold": 0.8}))
    assert str(lined.accepted.tolist()) == "[1.0, 0.0, 0.0, 1.0, 0.0, nan]"
    everything = await read(db, MATH.model_copy(update={"threshold": -1}))
    assert str(everything.accepted.tolist()) == "[1.0, 1.0, 1.0, 1.0, 0.0, nan]"


async def test_only_labelled_samples_are_looked_into_where_labels_tell(db: Database) -> None:
    """Their features and groups are those that a full reading finds; every verdict is there either way."""
    judged = []
    for place in range(9):
        one = sample(f"response {place}" * (1 + place * 30), prompt=f"question {place // 3}")
        judged.append((one, verdict(one, evidence={"form": f"form {place % 2}", "extracted": str(place)})))
    await put_judged(db, judged)
    labelled = [0, 1, 4, 8]
    await put(db, tables.Label, [label(judged[place][0], True) for place in labelled])
    names = ["form", "length", "extracted"]
    whole = await read(db, MATH, None, *names)
    told = await read_records(db, MATH, Population(), names, told=True)
    assert (told.record, told.sample, told.accepted.tolist()) == (whole.record, whole.sample, whole.accepted.tolist())
    for name in names:
        every, some = whole.features[name].values(), told.features[name].values()
        assert [some[place] for place in labelled] == [every[place] for place in labelled]
    assert told.features["form"].values()[2] == "none"
    alike = [[one == other for other in told.group[labelled]] for one in told.group[labelled]]
    assert alike == [[one == other for other in whole.group[labelled]] for one in whole.group[labelled]]
    assert alike[0][1]
    assert not alike[0][2]


async def test_evidence_is_named_as_a_recipe_names_it(db: Database) -> None:
    entries: list[JsonValue] = [
        "decimal",
        None,
        True,
        3,
        1e22,
        0.1,
        ["a", 1],
        {"b": None},
        "x,y=z" * 30,
        "",
        "</script>'; DROP TABLE verdicts; --",
        "\\'\"$.form\u202e",
    ]
    judged = [
        ((one := sample(str(place))), verdict(one, evidence={"form": entry})) for place, entry in enumerate(entries)
    ]
    bare = sample("none at all")
    await put_judged(db, [*judged, (bare, verdict(bare))])
    rates = Rates(source="x", pooled=Rate(false_positive=0, false_negative=0), by=("form", "length"))
    found = await read(db, MATH, None, "form", "length")
    for content, row, form, length in zip(
        [one for one, _ in judged], [row for _, row in judged], found.features["form"].values(),
        found.features["length"].values(), strict=False,
    ):  # fmt: skip
        wire = Sample.model_validate(json.loads(content["content"]))
        asked = Verdict.correct("made_up", evidence=row["evidence"])
        assert form == recipes_feature("form", wire, asked)
        assert f"form={form},length={length}" == rates.slice_of(wire, asked)
    assert found.features["form"].values()[-1] == "none"


async def test_lengths_are_those_of_the_policys_text_in_characters(db: Database) -> None:
    messages = [
        {"role": "user", "content": "q" * 3000},
        {"role": "assistant", "content": "ж" * 400},
        {"role": "assistant", "content": [{"type": "text", "text": "b" * 99}, {"type": "thinking", "text": "c" * 999}]},
    ]
    responses = [
        "a" * 499,
        "a" * 500,
        "ж" * 499,
        "😀" * 1999,
        "12",
        "",
        None,
        messages,
        'quoted "text"\n' * 40,
        "x" * 8000,
        "[" + "y" * 500,
    ]
    await put_judged(
        db, [((one := sample(response, place=place)), verdict(one)) for place, response in enumerate(responses)]
    )
    found = (await read(db, MATH, None, "length")).features["length"].values()
    expected = ["0-500", "500-2000", "0-500", "500-2000", "0-500", "0-500", "0-500", "500-2000", "500-2000", "8000-"]
    expected += ["500-2000"]
    assert found == expected


async def test_other_features_are_the_records_and_the_samples(db: Database) -> None:
    russian, answer = sample("Ответ: 5, то есть x = 5"), sample("5")
    await put_judged(
        db,
        [
            (russian, verdict(russian, data_source="gsm8k", policy="v3", split="eval", step=12, reason_code="equal")),
            (answer, verdict(answer, evidence={"extracted": "5"})),
        ],
    )
    names = ("data_source", "policy", "split", "step", "reason_code", "language", "extracted")
    found = await read(db, MATH, None, *names)
    assert {name: found.features[name].values() for name in names} == {
        "data_source": ["gsm8k", "none"],
        "policy": ["v3", "none"],
        "split": ["eval", "train"],
        "step": ["12", "none"],
        "reason_code": ["equal", "made_up"],
        "language": ["cyrillic", "none"],
        "extracted": ["full", "extracted"],
    }


async def test_errors_are_shared_by_group_else_by_prompt_else_by_sample(db: Database) -> None:
    grouped = [sample(f"{place}", prompt="p") for place in range(2)]
    asked = [sample(f"{place}", prompt="q") for place in range(2)]
    talked = sample("x", prompt=[{"role": "user", "content": "q"}])
    alone = [sample("r"), sample("s")]
    await put_judged(
        db,
        [
            *((one, verdict(one, group="q")) for one in grouped),
            *((one, verdict(one)) for one in (*asked, talked, *alone, alone[0])),
        ],
    )
    assert (await read(db)).group.tolist() == [0, 0, 1, 1, 2, 3, 4, 3]


async def test_only_what_is_asked_for_is_read_and_never_what_audits_judged(db: Database) -> None:
    own = registry.create("math", {}).producer.params
    cases: list[dict[str, Any]] = [
        {},
        {"run": "r1", "step": 1},
        {"run": "r1", "step": 5, "params": own},
        {"run": "audit:A"},
        {"version": "2"},
        {"verifier": "exact"},
        {"run": "r2", "split": "eval", "policy": "v1", "data_source": "d"},
    ]
    one = sample("x")
    rows = [verdict(one, **case) for case in cases]
    await put_judged(db, [(one, row) for row in rows])
    names = {row["record"]: place for place, row in enumerate(rows)}

    async def found(subject: Subject = MATH, **population: object) -> list[int]:
        return [names[name] for name in (await read(db, subject, Population.model_validate(population))).record]

    assert await found() == [0, 1, 2, 4, 6]
    assert await found(run="audit:A") == [3]
    assert await found(run="r1", first_step=2) == [2]
    assert await found(run="r1", last_step=2) == [1]
    assert await found(split="eval", policy="v1", data_source="d") == [6]
    assert await found(Subject(verifier="math", version="2")) == [4]
    assert await found(Subject(verifier="math", params={})) == [2]
    assert await found(Subject(verifier="math' OR 1=1 --")) == []


async def test_rewards_have_the_evidence_of_what_they_priced(db: Database) -> None:
    one, other = sample("x"), sample("y")
    first = verdict(one, evidence={"form": "decimal"})
    await put_judged(db, [(one, first), (other, verdict(other))])
    rows = [
        reward(one, 0.5, verdicts=[first["record"]]),
        reward(other, None, "abstained"),
        reward(one, 1.0, recipe="sha256:abd"),
        reward(one, 1.0, recipe_name="grpo", recipe="sha256:b00"),
    ]
    await put(db, tables.Reward, rows)
    found = await read(db, Subject(recipe="dapo", threshold=0.6), None, "form", "length")
    assert str(found.accepted.tolist()) == "[0.0, nan, 1.0]"
    assert found.features["form"].values() == ["decimal", "none", "none"]
    for reference, count in (("sha256:abc", 2), ("sha256:ab", 3), ("dapo@ab", 3), ("dapo@sha256:abd", 1), ("%", 0)):
        assert len(await read(db, Subject(recipe=reference))) == count, reference
    assert len(await read(db, Subject(recipe={"terms": ["math"]}))) == 0


async def test_the_form_of_an_answer_is_the_one_that_a_recipe_looks_up(db: Database) -> None:
    said: list[dict[str, JsonValue]] = [
        {"extracted": "\\frac{3}{4}"},
        {"extracted": "3/4", "form": "odd,one"},
        {"extracted": "1,234", "form": None},
        {"rule": "boxed"},
        {},
    ]
    judged = [((one := sample(f"{place}")), verdict(one, evidence=evidence)) for place, evidence in enumerate(said)]
    await put_judged(db, judged)
    found = await read(db, MATH, None, "form")
    looked_up = [recipes_feature("form", Sample(), Verdict.correct("equal", evidence=evidence)) for evidence in said]
    assert found.features["form"].values() == looked_up == ["fraction", "odd_one", "integer", "none", "none"]


async def test_what_cannot_be_a_feature_is_refused(db: Database) -> None:
    for name in ("", 'a"b', "a\\b", "x" * 65, "a,b", "a=b", "a\0"):
        with pytest.raises(InvalidRequest, match="names no feature"):
            await read(db, MATH, None, name)
    one = sample("x")
    await put_judged(db, [(one, verdict(one, evidence={"$.a": 1, "0": 2, "a'b": 3, "[0]": 4}))])
    found = await read(db, MATH, None, "$.a", "0", "a'b", "[0]")
    assert [column.values() for column in found.features.values()] == [["1"], ["2"], ["3"], ["4"]]


async def test_pages_join_to_the_same_columns(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    forms = ["a", "b", "a", "c", "b", "b", "c"]
    judged = [
        ((one := sample(f"{place}")), verdict(one, group=f"g{place // 2}", evidence={"form": form}))
        for place, form in enumerate(forms)
    ]
    await put_judged(db, judged)
    told: list[tuple[int, int]] = []

    async def progress(done: int, total: int) -> None:
        told.append((done, total))

    monkeypatch.setattr("app.audits.records._AT_ONCE", 3)
    found = await read_records(db, MATH, Population(), ["form"], progress)
    assert found.features["form"].values() == forms
    assert found.group.tolist() == [0, 0, 1, 1, 2, 2, 3]
    assert found.record == sorted(row["record"] for _, row in judged)
    assert told == [(3, 7), (6, 7), (7, 7)]
    assert len(await read(db, Subject(verifier="nobody"))) == 0
