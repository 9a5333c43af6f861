"""The queue on both databases: nobody gets what another holds, nobody sees what was said before labelling."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import update

from app.kit.clock import now
from app.kit.db import Database
from app.labels.agreement import label_agreement
from app.labels.draws import DrawsService
from app.labels.queue import LabelQueue
from app.tables import DrawHold
from tests.app.labels.judged import Judged, record
from trueward.errors import Conflict, NotFound
from trueward.wire.audit import Subject
from trueward.wire.draw import BlindItem, Draw, DrawRequest, ItemLabel, Revealed

Make = Callable[[int, int], Awaitable[Draw]]


@pytest.fixture
def make(db: Database) -> Make:
    """A draw of everything: so many responses, so many annotators for each."""

    async def drawn(responses: int, annotators: int) -> Draw:
        said: dict[str, bool | None] = {"math": True, "exact": False}
        await record(db, [Judged(f"response {place}", said, data_source="made") for place in range(responses)])
        spec = DrawRequest(subject=Subject(verifier="math"), rest=1, annotators_per_item=annotators)
        return await DrawsService(db).make(spec, None)

    return drawn


def says(annotator: str, right: bool | None) -> ItemLabel:
    return ItemLabel(annotator=annotator, right=right)


async def taken(db: Database, draw: str, annotator: str) -> BlindItem:
    item = await LabelQueue(db).next(draw, annotator)
    assert item is not None
    return item


async def labelled(db: Database, draw: str, annotator: str, right: bool | None) -> Revealed:
    item = await taken(db, draw, annotator)
    return await LabelQueue(db).submit(draw, item.position, says(annotator, right), None)


async def let_holds_run_out(db: Database) -> None:
    async with db.write() as connection:
        await connection.execute(update(DrawHold).values(until=now()))


@pytest.mark.parametrize("per_item", [1, 2])
async def test_annotators_who_ask_at_once_never_get_more_of_an_item_than_it_needs(
    db: Database, make: Make, per_item: int
) -> None:
    draw = await make(6, per_item)
    asked = [LabelQueue(db).next(draw.id, f"a{number}") for number in range(6 * per_item + 3)]
    positions = [item.position for item in await asyncio.gather(*asked) if item is not None]
    assert sorted(positions) == sorted(list(range(6)) * per_item)


async def test_an_annotator_who_asks_again_gets_the_same_item_back(db: Database, make: Make) -> None:
    draw = await make(3, 1)
    first = await taken(db, draw.id, "ann")
    again = await taken(db, draw.id, "ann")
    assert (again.position, again.until >= first.until) == (first.position, True)
    assert (await taken(db, draw.id, "bob")).position != first.position


async def test_an_item_is_blind_and_its_label_reveals(db: Database, make: Make) -> None:
    draw = await make(1, 1)
    item = await taken(db, draw.id, "ann")
    shown = {"draw", "position", "annotator", "prompt", "response", "reference", "data_source", "until"}
    assert set(item.model_dump()) == shown
    assert (item.prompt, item.response, item.reference, item.data_source) == ("1 + 1?", "response 0", "2", "made")
    found = await LabelQueue(db).submit(draw.id, item.position, says("ann", False), "key")
    assert [(one.name, one.outcome, one.score) for one in found.said] == [
        ("exact", "incorrect", 0.0),
        ("math", "correct", 1.0),
    ]
    assert (found.label.probability, found.label.draw, found.label.position) == (1.0, draw.id, 0)
    assert (found.label.source, found.label.owner, found.label.after_reveal) == ("human", "key", False)
    assert (found.state, found.query) == ("done", "rest")


async def test_a_second_thought_is_a_second_label_and_counts_for_nothing(db: Database, make: Make) -> None:
    draw = await make(1, 2)
    assert (await labelled(db, draw.id, "ann", True)).state == "open"
    later = await LabelQueue(db).submit(draw.id, 0, says("ann", False), None)
    assert (later.label.after_reveal, later.state) == (True, "open")
    assert (await labelled(db, draw.id, "bob", True)).state == "done"
    assert await LabelQueue(db).next(draw.id, "eve") is None
    first = await DrawsService(db).first_labels(draw.id)
    assert [(label.annotator, label.right) for label in first] == [("ann", True), ("bob", True)]
    assert (await DrawsService(db).show(draw.id)).states == {"done": 1}


async def test_a_response_is_not_blind_twice_to_the_same_annotator(db: Database, make: Make) -> None:
    draw = await make(2, 1)
    await labelled(db, draw.id, "ann", True)
    await labelled(db, draw.id, "ann", True)
    other = await DrawsService(db).make(draw.spec.model_copy(update={"guidelines": "look twice"}), None)
    assert await LabelQueue(db).next(other.id, "ann") is None
    assert (await taken(db, other.id, "bob")).position == 0


async def test_what_was_labelled_is_done_in_every_draw_with_the_same_guidelines(db: Database, make: Make) -> None:
    draw = await make(3, 1)
    await labelled(db, draw.id, "ann", True)
    again = await DrawsService(db).make(draw.spec, None)
    assert again.states == {"done": 1, "open": 2}
    await labelled(db, draw.id, "ann", True)
    assert (await DrawsService(db).show(again.id)).states == {"done": 2, "open": 1}
    twice = await DrawsService(db).make(draw.spec.model_copy(update={"annotators_per_item": 2}), None)
    assert twice.states == {"open": 3}
    otherwise = await DrawsService(db).make(draw.spec.model_copy(update={"guidelines": "units count"}), None)
    assert otherwise.states == {"open": 3}
    await labelled(db, again.id, "bob", True)
    assert (await DrawsService(db).show(again.id)).states == {"done": 3}
    assert await LabelQueue(db).next(again.id, "bob") is None


async def test_a_hold_that_ran_out_is_anybodys_and_its_label_still_counts(db: Database, make: Make) -> None:
    draw = await make(1, 1)
    item = await taken(db, draw.id, "ann")
    assert await LabelQueue(db).next(draw.id, "bob") is None
    await let_holds_run_out(db)
    assert (await taken(db, draw.id, "bob")).position == item.position
    late = await LabelQueue(db).submit(draw.id, item.position, says("ann", True), None)
    assert (late.state, late.label.after_reveal) == ("done", False)
    assert (await LabelQueue(db).submit(draw.id, item.position, says("bob", True), None)).state == "done"


async def test_what_is_released_is_free_and_what_is_skipped_is_nobodys(db: Database, make: Make) -> None:
    draw = await make(2, 1)
    item = await taken(db, draw.id, "ann")
    assert (await LabelQueue(db).release(draw.id, item.position, "ann")).state == "open"
    assert (await taken(db, draw.id, "bob")).position == item.position
    assert (await LabelQueue(db).skip(draw.id, item.position, "bob")).state == "skipped"
    assert (await labelled(db, draw.id, "bob", True)).state == "done"
    assert await LabelQueue(db).next(draw.id, "ann") is None
    assert (await DrawsService(db).show(draw.id)).states == {"done": 1, "skipped": 1}
    with pytest.raises(Conflict, match="done"):
        await LabelQueue(db).skip(draw.id, 1 - item.position, "ann")


async def test_only_what_was_given_is_labelled(db: Database, make: Make) -> None:
    draw = await make(1, 1)
    with pytest.raises(Conflict, match="was not given"):
        await LabelQueue(db).submit(draw.id, 0, says("ann", True), None)
    await LabelQueue(db).next(draw.id, "ann")
    with pytest.raises(Conflict, match="was not given"):
        await LabelQueue(db).submit(draw.id, 0, says("eve", True), None)
    with pytest.raises(NotFound):
        await LabelQueue(db).submit(draw.id, 1, says("ann", True), None)
    with pytest.raises(NotFound):
        await LabelQueue(db).next("nothing", "ann")


async def test_annotators_agree_as_far_as_their_first_labels_do(db: Database, make: Make) -> None:
    """Worked by hand: 3 of 4 alike, chance (2 * 3 + 2 * 1) / 16 = 0.5, so kappa is 0.5."""
    draw = await make(5, 2)
    said: dict[str, list[bool | None]] = {
        "ann": [True, True, False, False, None],
        "bob": [True, True, True, False, True],
    }
    for annotator, labels in said.items():
        for _ in labels:
            item = await taken(db, draw.id, annotator)
            await LabelQueue(db).submit(draw.id, item.position, says(annotator, labels[item.position]), None)
    await LabelQueue(db).submit(draw.id, 2, says("bob", False), None)  # a second thought: it does not count
    found = label_agreement(draw.id, await DrawsService(db).first_labels(draw.id))
    (pair,) = found.pairs
    assert (found.annotators, found.items, pair.items, pair.share) == (["ann", "bob"], 4, 4, 0.75)
    assert pair.kappa == pytest.approx(0.5)
    # Krippendorff: observed 2 of 8, expected 2 * 5 * 3 / (8 * 7)
    assert found.alpha == pytest.approx(1 - (2 / 8) / (30 / 56))


def test_without_labels_there_is_no_agreement() -> None:
    found = label_agreement("d", [])
    assert (found.annotators, found.items, found.pairs, found.alpha) == ([], 0, [], None)
