"""An aim draws batch after batch: each contains the one before, and is looked at when it is labelled."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from sqlalchemy import insert, select

from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import new_id
from app.labels.aims import Aims
from app.labels.draws import DrawsService
from app.labels.queue import LabelQueue, close_judged
from app.tables import DrawItem, Label, Sample
from tests.app.labels.judged import Judged, record
from trueward.errors import InvalidRequest
from trueward.wire.aim import AimState, LabelAim
from trueward.wire.draw import Cell, ItemLabel

FALSE_ACCEPTS = 12
"""Of 240 wrong responses: a false-positive rate of 5%, of which the second verifier sees half."""


async def plant(db: Database, run: str = "r") -> None:
    made = []
    for place in range(600):
        right = place >= 240
        accepted = right if place >= FALSE_ACCEPTS else True
        second = accepted if place >= FALSE_ACCEPTS // 2 else False
        truth = "right" if right else "wrong"
        made.append(Judged(f"{truth} {run} {place}", {"math": accepted, "exact": second}, group=f"g{place}"))
    await record(db, made, run=run)


def aim(**said: Any) -> LabelAim:
    usual = {"subject": {"verifier": "math"}, "second": {"verifier": "exact"}, "population": {"run": "r"}, "first": 60}
    return LabelAim.model_validate({**usual, **said})


async def label_all(db: Database, draw: str) -> int:
    """As the queue would store it, item by item (test_queue.py has that): all at once, as there are hundreds."""
    open_items = select(DrawItem.__table__, Sample.content).where(DrawItem.draw == draw, DrawItem.state == "open")
    async with db.write() as connection:
        items = (await connection.execute(open_items.join(Sample, Sample.fingerprint == DrawItem.sample))).all()
        labels = [
            {
                "id": new_id(),
                "sample": item.sample,
                "record": item.record,
                "right": json.loads(item.content)["response"].startswith("right"),
                "annotator": "ann",
                "source": "human",
                "note": "",
                "probability": item.probability,
                "draw": draw,
                "position": item.position,
                "after_reveal": False,
                "created_at": now(),
            }
            for item in items
        ]
        if labels:
            await connection.execute(insert(Label), labels)
        await close_judged(connection, DrawItem.sample.in_(select(Label.sample).where(Label.draw == draw)))
    return len(labels)


async def items(db: Database, draw: str) -> set[str]:
    async with db.read() as connection:
        return set((await connection.execute(select(DrawItem.sample).where(DrawItem.draw == draw))).scalars())


async def pursued(db: Database, wanted: LabelAim) -> list[AimState]:
    """Every state, each batch labelled as it comes."""
    states = [await Aims(db).pursue(wanted, "key")]
    while states[-1].state == "label":
        assert await label_all(db, states[-1].draw) == states[-1].left
        states.append(await Aims(db).pursue(wanted, "key"))
    return states


async def test_batches_grow_until_the_width_is_reached_and_the_interval_holds_the_rate(db: Database) -> None:
    await plant(db)
    states = await pursued(db, aim(width=0.1))
    *batches, last = states
    assert (last.state, last.left, last.population) == ("reached", 0, 600)
    assert [one.batch for one in batches] == list(range(1, len(batches) + 1))
    drawn = [await items(db, one.draw) for one in batches]
    assert all(before < after for before, after in pairwise(drawn))
    assert last.labelled == len(drawn[-1]) < 600
    assert last.interval is not None
    assert last.level is not None
    low, high = last.interval
    assert low <= FALSE_ACCEPTS / 240 <= high
    assert high - low <= 0.1
    assert last.level > 0.95
    assert "of these responses themselves" in last.claim


async def test_the_first_batch_is_for_planning_and_an_unfinished_one_is_not_looked_at(db: Database) -> None:
    await plant(db)
    wanted = aim(width=0.1)
    first = await Aims(db).pursue(wanted, "key")
    again = await Aims(db).pursue(wanted, "key")
    assert (first.state, first.batch, first.claim, again.draw) == ("label", 1, "", first.draw)
    await label_all(db, first.draw)
    second = await Aims(db).pursue(wanted, "key")
    assert (second.batch, second.claim, second.rate) == (2, "", None)
    item = await LabelQueue(db).next(second.draw, "ann")
    assert item is not None
    await LabelQueue(db).submit(second.draw, item.position, ItemLabel(annotator="ann", right=True), None)
    waiting = await Aims(db).pursue(wanted, "key")
    assert (waiting.draw, waiting.left, waiting.rate) == (second.draw, second.left - 1, None)


@pytest.mark.parametrize(("limit", "below"), [(0.3, True), (0.005, False)])
async def test_a_question_is_answered_on_the_side_of_its_limit(db: Database, limit: float, below: bool) -> None:
    await plant(db)
    last = (await pursued(db, aim(limit=limit)))[-1]
    assert (last.state, last.below) == ("reached", below)
    assert f"{'below' if below else 'above'} {limit:g}" in last.claim


async def test_another_target_goes_on_from_the_same_labels_and_another_population_does_not(db: Database) -> None:
    await plant(db)
    wide = (await pursued(db, aim(width=0.3)))[-1]
    narrow = await Aims(db).pursue(aim(width=0.05), "key")
    assert narrow.batch == wide.batch + 1
    assert narrow.labelled == wide.labelled
    of_missed = await Aims(db).pursue(aim(rate="false_negative", limit=0.5), "key")
    assert of_missed.batch == narrow.batch
    await plant(db, "other")
    assert (await Aims(db).pursue(aim(width=0.3, population={"run": "other"}), "key")).batch == 1
    alone = await Aims(db).pursue(aim(width=0.05, second=None), "key")
    assert alone.draw > narrow.draw


async def test_with_everything_labelled_the_run_is_known_and_the_verifier_at_large_is_not(db: Database) -> None:
    await plant(db)
    at_large = (await pursued(db, aim(width=0.001, at_large=True, first=300)))[-1]
    assert (at_large.state, at_large.labelled) == ("exhausted", 600)
    assert "of the verifier at large" in at_large.claim
    own = await Aims(db).pursue(aim(width=0.001, first=300), "key")
    assert own.state == "reached"
    assert own.interval == pytest.approx((0.05, 0.05))


async def test_false_negatives_are_aimed_at_alike(db: Database) -> None:
    await plant(db)
    last = (await pursued(db, aim(rate="false_negative", limit=0.2)))[-1]
    assert (last.state, last.below) == ("reached", True)
    assert last.rate is not None
    assert np.isclose(last.rate, 0)


async def test_what_cannot_be_aimed_at_is_refused(db: Database) -> None:
    with pytest.raises(InvalidRequest, match="no verdict of math"):
        await Aims(db).pursue(aim(width=0.1), "key")
    await plant(db)
    with pytest.raises(InvalidRequest, match="names no feature") as refused:
        await Aims(db).pursue(aim(width=0.1, by="a=b"), "key")
    assert [one.field for one in refused.value.errors] == ["by"]
    for said in ({}, {"width": 0.1, "limit": 0.1}, {"width": 1.5}):
        with pytest.raises(ValidationError):
            aim(**said)


async def plant_sliced(db: Database) -> None:
    """Eight sources, of which one, with a tenth of the responses, has all 40 false accepts."""
    made = []
    for place in range(2_000):
        source = "rest" if place % 10 else "bad"
        right = place % 5 in (1, 2, 3)
        accepted = right or (source == "bad" and place % 50 < 20)
        name = "bad" if source == "bad" else f"good {place % 10 % 7}"
        said: dict[str, bool | None] = {"math": accepted}
        made.append(Judged(f"{'right' if right else 'wrong'} {place}", said, group=f"g{place}", data_source=name))
    await record(db, made, run="r")


async def test_labels_go_to_the_slice_that_has_the_errors(db: Database) -> None:
    await plant_sliced(db)
    sliced = (await pursued(db, aim(width=0.02, second=None, by="data_source")))[-1]
    plain = (await pursued(db, aim(width=0.02, second=None)))[-1]
    for last in (sliced, plain):
        assert last.state == "reached"
        assert last.interval is not None
        assert last.interval[0] <= 80 / 800 <= last.interval[1]
    # an item of one draw answers that of another, so the second one had what the first had labelled
    assert sliced.labelled < 0.8 * plain.labelled


async def test_the_slices_of_an_aim_are_those_of_its_first_batch(db: Database) -> None:
    await plant_sliced(db)
    wanted = aim(width=0.02, second=None, by="data_source")
    first = await Aims(db).pursue(wanted, "key")
    spec = (await DrawsService(db).show(first.draw)).spec
    named = {value for cell in spec.queries if isinstance(cell, Cell) and not cell.outside for value in cell.values}
    assert len(named) == 5
    newer = [Judged(f"wrong new {n}", {"math": False}, group=f"n{n}", data_source="new") for n in range(900)]
    await record(db, newer, run="r")
    await label_all(db, first.draw)
    second = await Aims(db).pursue(wanted, "key")
    assert (second.batch, second.population) == (2, 2_900)
    spec = (await DrawsService(db).show(second.draw)).spec
    assert {value for cell in spec.queries if isinstance(cell, Cell) for value in cell.values} == named
    assert await items(db, first.draw) < await items(db, second.draw)
    assert (await Aims(db).pursue(aim(width=0.02, second=None), "key")).batch == 1
