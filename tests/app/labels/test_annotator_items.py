"""What an annotator has of a draw, and forms that come twice, on both databases."""

from __future__ import annotations

import asyncio

import pytest

from app.kit.db import Database
from app.kit.paging import PageRange
from app.labels.annotator_items import OwnItems
from app.labels.draws import DrawsService
from app.labels.draws_repository import DrawsRepository
from app.labels.queue import LabelQueue
from app.labels.repository import LabelsRepository
from app.labels.schemas import LabelQuery
from tests.app.labels.judged import Judged, record
from trueward.wire.audit import Subject
from trueward.wire.draw import DrawRequest, ItemLabel


@pytest.fixture
async def draw(db: Database) -> str:
    said: dict[str, bool | None] = {"math": True, "exact": False}
    await record(db, [Judged(f"response {place}", said) for place in range(4)])
    spec = DrawRequest(subject=Subject(verifier="math"), rest=1, annotators_per_item=2)
    return (await DrawsService(db).make(spec, None)).id


async def labelled(db: Database, draw: str, annotator: str) -> int:
    item = await LabelQueue(db).next(draw, annotator)
    assert item is not None
    await LabelQueue(db).submit(draw, item.position, ItemLabel(annotator=annotator, right=True), None)
    return item.position


async def test_a_form_that_comes_many_times_at_once_gives_one_label(db: Database, draw: str) -> None:
    item = await LabelQueue(db).next(draw, "ann")
    assert item is not None
    for known in ("", None):
        said = [ItemLabel(annotator="ann", right=right) for right in (True, True, False, True)]
        if known is None:  # a second thought, sent by somebody who knows of the first
            [first] = await LabelsRepository(db).page(LabelQuery(draw=draw, annotator="ann"), PageRange())
            known = first.id
        sent = [LabelQueue(db).submit(draw, item.position, one, None, known) for one in said]
        answers = await asyncio.gather(*sent)
        assert len({answer.label.id for answer in answers}) == 1
    kept = await LabelsRepository(db).page(LabelQuery(draw=draw), PageRange())
    assert [label.after_reveal for label in kept] == [True, False]


async def test_an_item_is_blind_until_it_is_labelled_and_nobody_elses(db: Database, draw: str) -> None:
    item = await LabelQueue(db).next(draw, "ann")
    assert item is not None
    own = await OwnItems(db, draw, "ann").find(item.position)
    assert own is not None
    assert (own.until, own.labels, own.said) == (item.until, [], [])
    assert own.sample.response == item.response
    assert await OwnItems(db, draw, "bob").find(item.position) is None
    assert await OwnItems(db, draw, "ann").find(99) is None
    await labelled(db, draw, "ann")
    own = await OwnItems(db, draw, "ann").find(item.position)
    assert own is not None
    assert (own.until, len(own.labels), {one.name for one in own.said}) == (None, 1, {"math", "exact"})


async def test_ones_own_items_follow_each_other_in_the_order_of_labelling(db: Database, draw: str) -> None:
    places = [await labelled(db, draw, "ann") for _ in range(3)]
    await labelled(db, draw, "bob")
    own = OwnItems(db, draw, "ann")
    found = [await own.find(place) for place in places]
    ids = [one.labels[0].id for one in found if one is not None]
    assert await own.find_before(None) == places[2]
    assert [await own.find_before(label) for label in ids] == [None, places[0], places[1]]
    assert [await own.find_after(label) for label in ids] == [places[1], places[2], None]
    assert await OwnItems(db, draw, "eve").find_before(None) is None


async def test_progress_counts_items_by_state_and_by_annotator(db: Database, draw: str) -> None:
    for annotator in ("ann", "ann", "bob"):
        place = await labelled(db, draw, annotator)
        await LabelQueue(db).submit(draw, place, ItemLabel(annotator=annotator, right=False), None)
    repository = DrawsRepository(db)
    assert await repository.annotators(draw) == {"ann": 2, "bob": 1}
    assert await repository.states([draw, "none"]) == {draw: {"open": 3, "done": 1}, "none": {}}
