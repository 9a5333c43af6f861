"""Aims: an error rate of a run shall be known so well. Draws batch after batch, and looks when one is labelled.

All batches of an aim are draws of one seed, with one query for each cell of verdicts and slice, and each contains those
before it. They are found by subject, second subject, feature and population, whatever their target was, so that a
narrower one goes on from the labels that are there, and from the looks that were taken.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.audits.labels import truth_of_labels
from app.audits.ledger import StoredLedger
from app.audits.records import read_records
from app.kit.db import Database
from app.labels.draws import DrawsService
from app.labels.draws_repository import DrawsRepository
from app.labels.second_verdicts import acceptances
from audits.absent import describe_absence
from audits.labelled.columns import NameColumn
from audits.labelled.features import check_names
from audits.labelled.frame import Framed
from audits.labelled.records import Records
from audits.labelled.truth import Truth
from audits.statistics.allocation import Cells, Target, level_of, pilot, top_up
from audits.statistics.arrays import Floats
from trueward.errors import InvalidRequest
from trueward.wire.aim import AimState, LabelAim
from trueward.wire.audit import LabelChoice
from trueward.wire.draw import Cell, Draw, DrawRequest

_SEED = 7919
_MOST_BATCHES = 30
_SLICES = 5
"""The values of a feature with the most responses have cells of their own, all others share theirs: six slices, two
verdicts and three second ones are 36 queries of a draw, which may have 40."""
_WRONG: Mapping[tuple[bool, bool | None], float] = {
    (True, True): 0.03,
    (True, None): 0.05,
    (True, False): 0.5,
    (False, True): 0.5,
    (False, None): 0.8,
    (False, False): 0.8,
}
"""Shares of wrong responses by verdict and second verdict, as they are thought before anything is known."""


class CellKey(NamedTuple):
    """A cell: verdict, second verdict, and the slice, None for all that have none of their own."""

    accepted: bool
    said: bool | None
    slice: str | None


class _Look(NamedTuple):
    """What a batch says when it is labelled."""

    rate: float | None
    low: float
    high: float
    level: float
    labelled: int
    notes: list[str]


class Aims:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._draws = DrawsService(db)
        self._repository = DrawsRepository(db)

    async def pursue(self, aim: LabelAim, owner: str | None) -> AimState:
        """Where the newest batch is labelled, looks at it, and draws the next one unless the target is reached.

        Raises :class:`InvalidRequest` where there is nothing to draw from, and where labels cannot be used.
        """
        batches = [draw for draw in await self._repository.of_cells() if _is_of(draw.spec, aim)]
        look = None
        for _ in range(_MOST_BATCHES):
            newest = await self._draws.show(batches[-1].id) if batches else None
            if newest is not None and newest.states.get("open", 0):
                return _state(aim, newest, len(batches), look, "label")
            records, keys = await self._read(aim, batches)
            if newest is None:
                cells = await asyncio.to_thread(_cells, aim, records, keys, None)
                expected = np.array([_expected(aim, key) for key in _kinds(keys)])
                chance = pilot(cells, expected, aim.first)
            else:
                truth = await self._truth(newest.id, records)
                before = _before(newest.spec, _kinds(keys))
                looks = max(len(batches) - 1, 1)
                # the first batch is for planning, unless nothing is left to draw
                if len(batches) > 1 or before.min() >= 1:
                    look = await asyncio.to_thread(_look, aim, records, truth, level_of(looks, aim.level))
                    if look.rate is not None and _target(aim).is_reached(look.low, look.high):
                        return _state(aim, newest, len(batches), look, "reached")
                    if before.min() >= 1:
                        return _state(aim, newest, len(batches), look, "exhausted")
                cells = await asyncio.to_thread(_cells, aim, records, keys, truth)
                level = level_of(len(batches), aim.level)
                chance = await asyncio.to_thread(top_up, cells, before, _target(aim), level)
            batches.append(await self._draws.make(_request(aim, _kinds(keys), chance, len(batches) + 1), owner))
        raise InvalidRequest("every batch was labelled before: nothing can be learnt from drawing more")

    async def _read(self, aim: LabelAim, batches: Sequence[Draw]) -> tuple[Records, list[CellKey | None]]:
        """What the ledger has, and the cell of each record; None for one without a verdict.

        The slices are those of the first batch, for records go on coming.
        """
        features = [] if aim.by is None else [aim.by]
        check_names(features, "by")
        records = await read_records(self._db, aim.subject, aim.population, features)
        slices: Sequence[str | None] = [None] * len(records)
        if aim.by is not None:
            named = _slices(batches[0].spec) if batches else _largest(records.features[aim.by], records.accepted)
            slices = [value if value in named else None for value in records.features[aim.by].values()]
        said: dict[str, bool | None] = {}
        if aim.second is not None:
            said = await acceptances(self._db, aim.second, aim.subject, aim.population)
        keys = [
            None if np.isnan(accepted) else CellKey(bool(accepted), said.get(sample), slice_)
            for accepted, sample, slice_ in zip(records.accepted.tolist(), records.sample, slices, strict=True)
        ]
        if not any(keys):
            raise InvalidRequest(await describe_absence(StoredLedger(self._db), aim.subject))
        return records, keys

    async def _truth(self, draw: str, records: Records) -> Truth:
        """By the labels of the newest batch, which has those of all others."""
        truth = await truth_of_labels(self._db, LabelChoice(draw=draw), records)
        if truth.design is None:
            raise InvalidRequest(
                f"the draws of this aim cannot be computed again: records were deleted since {draw}, or nothing of it "
                "has a label"
            )
        return truth


def _target(aim: LabelAim) -> Target:
    return Target(aim.width, aim.limit)


def _is_of(spec: DrawRequest, aim: LabelAim) -> bool:
    cells = [query for query in spec.queries if isinstance(query, Cell)]
    others = {None if cell.other is None else cell.other.model_dump_json() for cell in cells}
    second = None if aim.second is None else aim.second.model_dump_json()
    by = {cell.feature for cell in cells}
    same = (spec.subject, spec.population, spec.guidelines) == (aim.subject, aim.population, aim.guidelines)
    whole = spec.seed == _SEED and spec.rest == 0 and len(cells) == len(spec.queries)
    return same and whole and (others, by) == ({second}, {aim.by})


def _largest(feature: NameColumn, accepted: Floats) -> set[str]:
    judged = Counter(feature.codes[~np.isnan(accepted)].tolist())
    return {feature.names[code] for code, _ in judged.most_common(_SLICES)}


def _slices(spec: DrawRequest) -> set[str]:
    """The values that have cells of their own."""
    return {value for one in spec.queries if isinstance(one, Cell) for value in one.values}


def _slice_of(cell: Cell) -> str | None:
    return None if cell.feature is None or cell.outside else cell.values[0]


def _request(aim: LabelAim, kinds: Sequence[CellKey], chance: Floats, batch: int) -> DrawRequest:
    named = sorted({key.slice for key in kinds if key.slice is not None})
    queries = [
        Cell(
            accepted=key.accepted,
            other=aim.second,
            said=key.said,
            feature=aim.by,
            values=named if key.slice is None else [key.slice],
            outside=aim.by is not None and key.slice is None,
            probability=float(probability),
        )
        for key, probability in zip(kinds, chance, strict=True)
    ]
    where = f" in {aim.population.run[:80]}" if aim.population.run else ""
    return DrawRequest(
        name=f"rate of {aim.subject.name}{where}, batch {batch}",
        guidelines=aim.guidelines,
        subject=aim.subject,
        population=aim.population,
        queries=queries,
        seed=_SEED,
    )


def _kinds(keys: Sequence[CellKey | None]) -> list[CellKey]:
    return sorted({key for key in keys if key is not None}, key=str)


def _expected(aim: LabelAim, key: CellKey) -> float:
    wrong = _WRONG[key.accepted, key.said]
    return wrong if aim.rate == "false_positive" else 1 - wrong


def _before(spec: DrawRequest, kinds: Sequence[CellKey]) -> Floats:
    """With which probability the draw took responses of each cell; 0 where it knew none."""
    cells = [one for one in spec.queries if isinstance(one, Cell)]
    known = {CellKey(one.accepted, one.said, _slice_of(one)): float(one.probability) for one in cells}
    return np.array([known.get(key, 0.0) for key in kinds])


def _cells(aim: LabelAim, records: Records, keys: Sequence[CellKey | None], truth: Truth | None) -> Cells:
    """Each response by its latest record with a verdict."""
    kinds = {key: place for place, key in enumerate(_kinds(keys))}
    count = len(kinds)
    latest = {
        sample: row for row, (sample, key) in enumerate(zip(records.sample, keys, strict=True)) if key is not None
    }
    rows = np.array(list(latest.values()), dtype=np.int64)
    standing = Counter(sample for sample, key in zip(records.sample, keys, strict=True) if key is not None)
    stands = np.array([standing[sample] for sample in latest], dtype=np.float64)
    judged = np.flatnonzero([key is not None for key in keys])
    of_row = np.array([kinds.get(key, 0) if key is not None else 0 for key in keys], dtype=np.int64)
    labels, members = np.zeros(count), np.zeros(count)
    if truth is not None and truth.design is not None:
        told = rows[truth.design.labelled[rows] & ~np.isnan(truth.right[rows])]
        member = truth.right[told] == (0.0 if aim.rate == "false_positive" else 1.0)
        labels += np.bincount(of_row[told], minlength=count)
        members += np.bincount(of_row[told], weights=member, minlength=count)
    errors = [accepted == (aim.rate == "false_positive") for accepted, *_ in kinds]
    return Cells(
        error=np.array(errors, dtype=np.float64),
        units=np.maximum(np.bincount(of_row[rows], minlength=count), 1).astype(np.float64),
        records=np.maximum(np.bincount(of_row[judged], minlength=count), 1).astype(np.float64),
        squares=np.maximum(np.bincount(of_row[rows], weights=stands**2, minlength=count), 1.0),
        labels=labels,
        members=members,
    )


def _look(aim: LabelAim, records: Records, truth: Truth, level: float) -> _Look:
    rates = Framed(records, truth, level, at_large=aim.at_large).rates()
    found = rates.false_positive() if aim.rate == "false_positive" else rates.false_negative()
    assert truth.design is not None
    labelled = truth.design.labelled & truth.known
    samples = len(np.unique(truth.sample[labelled]))
    return _Look(found.rate, found.interval.low, found.interval.high, level, samples, truth.notes)


def _state(aim: LabelAim, draw: Draw, batch: int, look: _Look | None, state: str) -> AimState:
    left, done = draw.states.get("open", 0), draw.states.get("done", 0)
    found = AimState.model_validate(
        {
            "state": state,
            "draw": draw.id,
            "batch": batch,
            "labelled": done,
            "left": left,
            "population": draw.population,
        }
    )
    if look is None:
        return found
    interval = None if look.rate is None else (look.low, look.high)
    below = None
    if aim.limit is not None and state == "reached":
        below = look.high < aim.limit
    said = {"rate": look.rate, "interval": interval, "level": look.level, "below": below, "notes": look.notes}
    return found.model_copy(update={**said, "claim": _claim(aim, look, below)})


def _claim(aim: LabelAim, look: _Look, below: bool | None) -> str:
    name = aim.rate.replace("_", "-")
    of = "of the verifier at large" if aim.at_large else "of these responses themselves, not of others to come"
    if look.rate is None:
        return f"no response is known that a {name} rate could be of"
    shown = f"{name} rate {look.rate:.2%} [{look.low:.2%}, {look.high:.2%}], {of}"
    if aim.limit is None:
        return f"{shown}; {look.high - look.low:.2%} wide"
    side = "not told from" if below is None else "below" if below else "above"
    return f"{shown}; {side} {float(aim.limit):g}"
