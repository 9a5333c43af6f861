"""What labels make of a sample's truth: first words, majorities, draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from app import tables
from app.audits.labels import truth_of_labels
from app.audits.records import read_records
from app.kit.db import Database
from app.labels.draws import DrawsService
from audits.labelled.truth import Truth
from tests.audits.labelled.planted import Row, draw, drawn, label, put, put_judged, sample, verdict
from trueward.errors import InvalidRequest
from trueward.wire.audit import LabelChoice, Population, Subject
from trueward.wire.draw import DrawRequest


async def plant(db: Database, count: int) -> list[tuple[Row, Row]]:
    judged = [((one := sample(f"{place}")), verdict(one)) for place in range(count)]
    await put_judged(db, judged)
    return judged


async def truth(db: Database, **choice: Any) -> Truth:
    records = await read_records(db, Subject(verifier="math"), Population())
    return await truth_of_labels(db, LabelChoice.model_validate(choice), records)


async def test_the_majority_of_first_words_counts(db: Database) -> None:
    judged = await plant(db, 5)
    one, two, three, four, five = (content for content, _ in judged)
    said: list[tuple[Row, bool | None, str]] = [
        (one, True, "a"), (one, False, "a"), (one, False, "a"),
        (two, True, "a"), (two, False, "b"), (two, False, "c"),
        (three, True, "a"), (three, False, "b"),
        (four, None, "a"), (four, None, "b"), (four, True, "a"),
        (five, None, "a"), (five, False, "b"),
    ]  # fmt: skip
    await put(db, tables.Label, [label(content, right, annotator=name) for content, right, name in said])
    found = await truth(db)
    assert str(found.right.tolist()) == "[1.0, 0.0, nan, nan, 0.0]"
    assert found.origins == {"human": 7}
    assert any(note.startswith("1 responses are left out: their annotators disagree") for note in found.notes)
    assert any(note.startswith("1 responses are left out: nobody") for note in found.notes)
    assert any(note.startswith("3 labelled responses were chosen, not drawn") for note in found.notes)


async def test_only_the_labels_that_were_chosen_and_never_those_after_reveal(db: Database) -> None:
    [(one, _), (two, _)] = await plant(db, 2)
    await put(
        db,
        tables.Label,
        [
            label(one, True, source="oracle", annotator="o"),
            label(one, False, annotator="h"),
            label(one, False, annotator="g"),
            label(two, True, annotator="h", after_reveal=True),
        ],
    )
    assert str((await truth(db)).right.tolist()) == "[0.0, nan]"
    assert str((await truth(db, sources=["oracle"])).right.tolist()) == "[1.0, nan]"
    assert (await truth(db, sources=["oracle"])).origins == {"oracle": 1}
    assert str((await truth(db, annotators=["h"])).right.tolist()) == "[0.0, nan]"
    assert (await truth(db, sources=[])).origins == {}


async def test_a_label_speaks_of_every_record_of_its_sample(db: Database) -> None:
    one = sample("x")
    await put_judged(db, [(one, verdict(one)), (one, verdict(one, "incorrect"))])
    await put(db, tables.Label, [label(one, True)])
    assert (await truth(db)).right.tolist() == [1, 1]


async def test_a_drawn_item_stands_for_others_by_its_own_record(db: Database) -> None:
    one, two, three = (sample(name) for name in "abc")
    rows = [verdict(one), verdict(one, "incorrect"), verdict(two), verdict(three)]
    await put_judged(db, list(zip([one, one, two, three], rows, strict=True)))
    await put(db, tables.Draw, [draw(4, 3)])
    await put(
        db,
        tables.DrawItem,
        [
            drawn(one, rows[1]["record"], 0, 0.5),
            drawn(two, "another's", 1, 0.25),
            drawn(three, rows[3]["record"], 2, 1),
        ],
    )
    of_draw = {"draw": "D1", "probability": 0.5}
    await put(
        db,
        tables.Label,
        [
            label(one, True, record=rows[1]["record"], position=0, **of_draw),
            label(one, True, record=rows[1]["record"], position=0, annotator="b", **of_draw),
            label(two, False, record="another's", position=1, **{**of_draw, "probability": 0.25}),
        ],
    )
    found = await truth(db)
    assert found.drawn.rows.tolist() == [1, 2]
    assert found.drawn.probability.tolist() == [0.5, 0.25]
    assert any(note.startswith("1 drawn responses have no label yet") for note in found.notes)
    assert not any("chosen, not drawn" in note for note in found.notes)


async def test_a_draw_that_could_not_reach_everything_says_so(db: Database) -> None:
    judged = await plant(db, 60)
    await put(db, tables.Draw, [draw(1000, 60)])
    items = [drawn(one, row["record"], place, 0.9) for place, (one, row) in enumerate(judged)]
    await put(db, tables.DrawItem, items)
    labels = [label(one, True, draw="D1", position=place, probability=0.9) for place, (one, _) in enumerate(judged)]
    await put(db, tables.Label, labels)
    assert any("stand for about 67 of 1000" in note for note in (await truth(db)).notes)


async def test_labels_of_several_draws_are_refused_unless_one_is_named(db: Database) -> None:
    judged = await plant(db, 2)
    for name, probability, (one, row) in zip(("D1", "D2"), (0.5, 0.1), judged, strict=True):
        await put(db, tables.Draw, [draw(2, 1, name)])
        await put(db, tables.DrawItem, [drawn(one, row["record"], 0, probability, name)])
        await put(db, tables.Label, [label(one, True, draw=name, position=0, probability=probability)])
    with pytest.raises(InvalidRequest, match=r"come from 2 draws \(D1, D2\).*Name one of them in labels.draw"):
        await truth(db)
    assert (await truth(db, draw="D2")).drawn.probability.tolist() == [0.1]
    await put(db, tables.Label, [label(judged[0][0], True, probability=0.3, annotator="z")])
    with pytest.raises(InvalidRequest, match="uploaded with a probability"):
        await truth(db)


async def drawn_and_labelled(db: Database, rest: float, seed: int, labelled: bool = True) -> str:
    """A draw by the service; all its items get a label."""
    spec = DrawRequest(subject=Subject(verifier="math"), rest=rest, seed=seed)
    made = await DrawsService(db).make(spec, None)
    async with db.read() as connection:
        items = (
            await connection.execute(select(tables.DrawItem.__table__).where(tables.DrawItem.draw == made.id))
        ).all()
    rows = [
        label(
            {"fingerprint": item.sample},
            True,
            record=item.record,
            draw=made.id,
            position=item.position,
            probability=item.probability,
        )
        for item in items
    ]
    if labelled:
        await put(db, tables.Label, rows)
    return made.id


@pytest.mark.parametrize(("seed", "joint"), [(1, 0.6), (2, 1 - 0.7 * 0.4)])
async def test_labels_of_several_draws_are_pooled_with_their_joint_probability(
    db: Database, seed: int, joint: float
) -> None:
    await plant(db, 120)
    await drawn_and_labelled(db, 0.3, seed=1)
    await drawn_and_labelled(db, 0.6, seed=seed)
    found = await truth(db)
    assert found.design is not None
    assert found.design.chance == pytest.approx(np.full(120, joint))
    assert found.design.labelled.tolist() == (~np.isnan(found.right)).tolist()
    assert found.notes == []


async def test_a_label_of_one_draw_answers_the_item_of_another(db: Database) -> None:
    await plant(db, 120)
    await drawn_and_labelled(db, 0.3, seed=1)
    second = await drawn_and_labelled(db, 0.6, seed=1, labelled=False)
    found = await truth(db, draw=second)
    assert found.design is not None
    labelled = int(found.design.labelled.sum())
    assert 20 < labelled < 60
    async with db.read() as connection:
        items = (await connection.execute(select(tables.DrawItem.sample).where(tables.DrawItem.draw == second))).all()
    assert any(note.startswith(f"{len(items) - labelled} drawn responses have no label yet") for note in found.notes)
    # of the items drawn with 0.6 so many are labelled as the first draw had
    assert found.design.chance == pytest.approx(np.full(120, 0.6 * labelled / len(items)))


async def test_what_no_draw_could_have_drawn_is_left_out_and_counted(db: Database) -> None:
    await plant(db, 40)
    await drawn_and_labelled(db, 1.0, seed=1)
    late = sample("late")
    await put_judged(db, [(late, verdict(late))])
    found = await truth(db)
    assert found.design is not None
    assert found.design.chance.tolist() == [1.0] * 40 + [0.0]
    assert any(note.startswith("1 of 41 different responses could not have been drawn") for note in found.notes)


async def test_labels_of_other_populations_do_not_matter(db: Database) -> None:
    await plant(db, 1)
    other = sample("elsewhere")
    await put_judged(db, [(other, verdict(other, verifier="exact"))])
    for name in ("D1", "D2"):
        await put(db, tables.Draw, [draw(2, 1, name)])
        await put(db, tables.Label, [label(other, True, draw=name, position=0, probability=0.5)])
    found = await truth(db)
    assert (str(found.right.tolist()), found.origins, found.notes) == ("[nan]", {}, [])


@pytest.mark.parametrize("tied", [False, True])
async def test_where_everything_is_labelled_the_draws_do_not_matter(db: Database, tied: bool) -> None:
    judged = await plant(db, 120)
    await drawn_and_labelled(db, 0.3, seed=1)
    said = await truth(db)
    assert said.design is not None
    assert said.design.chance == pytest.approx(np.full(120, 0.3))
    left = [content for (content, _), known in zip(judged, said.known, strict=True) if not known]
    await put(db, tables.Label, [label(content, False, annotator="z") for content in left])
    if tied:  # labellers who disagree leave no response without a label
        await put(db, tables.Label, [label(left[0], True, annotator="y")])
    found = await truth(db)
    assert found.design is not None
    assert found.design.chance.tolist() == [1.0] * 120
    assert found.design.labelled.all()
    assert any(note.startswith("all 120 responses are labelled") for note in found.notes)
    assert not any("chosen, not drawn" in note or "no label yet" in note for note in found.notes)
