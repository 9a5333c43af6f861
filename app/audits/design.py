"""With which probability each sample of an audit could come to be labelled, by all draws that its labels come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select

from app.kit.db import Database
from app.labels.design import Design, design_of
from app.tables import Draw, DrawItem
from audits.labelled.labels import DrawnLabel
from audits.labelled.records import Records
from audits.statistics.arrays import Bools, Floats, Ints
from audits.statistics.frame import estimate_label_chance, joint_chance
from audits.statistics.sampling import horvitz_thompson
from trueward.errors import InvalidRequest
from trueward.wire.audit import LabelChoice

_SURE = 4
"""Standard errors beyond which a gap is no chance."""
UPLOADED = "(uploaded with a probability)"


@dataclass(frozen=True, slots=True)
class LabelChances:
    """Of S samples. ``chance`` is NaN where it is not known and 0 where no draw could have drawn a sample; ``stratum``
    numbers what the other subjects said that the draws asked about; ``labelled`` are those whose label counts."""

    chance: Floats
    labelled: Bools
    stratum: Ints


async def chances_of(
    db: Database,
    choice: LabelChoice,
    labels: Sequence[DrawnLabel],
    known: Mapping[object, int],
    told: Bools,
    records: Records,
) -> tuple[LabelChances | None, list[str]]:
    """``told`` are the samples of which a truth is known, ``records`` what the audit has read. None, and why, where
    nothing can be said of the run.

    Raises :class:`InvalidRequest` for labels of several draws of which one cannot be computed again.
    """
    names = sorted({label.draw or UPLOADED for label in labels} if choice.draw is None else {choice.draw})
    if not labels:
        return None, []
    designs = [None if name == UPLOADED else await design_of(db, name, records) for name in names]
    found = [design for design in designs if design is not None]
    if len(names) > 1 and len(found) < len(names):
        raise InvalidRequest(
            f"these labels come from {len(names)} draws ({', '.join(names[:10])}): with which probability a "
            "response was drawn by one or the other is not known, for not all of them can be computed again (uploaded "
            "labels, a draw of another database, records deleted since). Name one of them in labels.draw (--draw)"
        )
    if not found:
        return await _stored(db, names[0], labels, known, told)
    if told.all():  # also by labels that no draw asked for; nothing was deleted, for the draws can be computed again
        return LabelChances(np.ones(len(told)), told, np.zeros(len(told), dtype=np.int64)), []
    return _joint(found, labels, known, told)


def _joint(
    designs: Sequence[Design], labels: Sequence[DrawnLabel], known: Mapping[object, int], told: Bools
) -> tuple[LabelChances, list[str]]:
    size = len(told)
    by_seed: dict[int, Floats] = {}
    drawn = np.zeros(size, dtype=np.bool_)
    for design in designs:
        chance = np.zeros(size)
        _put(chance, design.chance, known)
        before = by_seed.get(design.seed)
        by_seed[design.seed] = chance if before is None else joint_chance(before, chance, same_seed=True)
        drawn[[known[sample] for sample in design.drawn if sample in known]] = True
    joint = np.zeros(size)
    for chance in by_seed.values():
        joint = joint_chance(joint, chance, same_seed=False)
    labelled = _of(labels, size) & told & drawn
    notes = _open(drawn, told)
    unseen = int(np.count_nonzero(joint == 0))
    if unseen:
        notes.append(
            f"{unseen} of {size} different responses could not have been drawn: the weighted rates speak of the others"
        )
    return LabelChances(
        estimate_label_chance(joint, drawn, labelled), labelled, _number_strata(designs, known, size)
    ), notes


async def _stored(
    db: Database, draw: str, labels: Sequence[DrawnLabel], known: Mapping[object, int], told: Bools
) -> tuple[LabelChances | None, list[str]]:
    """By the probabilities that are stored with labels and items, where nothing is known of all else."""
    size = len(told)
    chance = np.full(size, np.nan)
    for label in labels:
        chance[label.sample] = label.probability
    query = select(DrawItem.sample, DrawItem.probability).where(DrawItem.draw == draw)
    async with db.read() as connection:
        items = {row.sample: row.probability for row in await connection.execute(query)}
        population = (await connection.execute(select(Draw.population).where(Draw.id == draw))).scalar_one_or_none()
    _put(chance, items, known)
    drawn = ~np.isnan(chance)
    labelled = _of(labels, size) & told
    notes = _open(drawn, told)
    stand_for = horvitz_thompson(np.ones(len(items)), list(items.values()))
    if population is not None and stand_for.total + _SURE * stand_for.error < population:
        notes.append(
            f"draw {draw} could not have drawn every response: its items stand for about {stand_for.total:.0f} of "
            f"{population}, and which ones cannot be told any more, so its labels make no claim about the run"
        )
        return None, notes
    chance[drawn] = estimate_label_chance(chance[drawn], drawn[drawn], labelled[drawn])
    chance[drawn & ~labelled] = np.nan
    return LabelChances(chance, labelled, np.zeros(size, dtype=np.int64)), notes


def _put(chance: Floats, by_sample: Mapping[str, float], known: Mapping[object, int]) -> None:
    for sample, probability in by_sample.items():
        number = known.get(sample)
        if number is not None:
            chance[number] = probability


def _of(labels: Sequence[DrawnLabel], size: int) -> Bools:
    found = np.zeros(size, dtype=np.bool_)
    found[[label.sample for label in labels]] = True
    return found


def _open(drawn: Bools, told: Bools) -> list[str]:
    open_ = int(np.count_nonzero(drawn & ~told))
    if not open_:
        return []
    return [
        f"{open_} drawn responses have no label yet: the weighted rates take them for like the labelled ones of their "
        "probability, which holds while they are labelled in the order of the queue"
    ]


def _number_strata(designs: Sequence[Design], known: Mapping[object, int], size: int) -> Ints:
    code = np.zeros(size, dtype=np.int64)
    for said in (said for design in designs for said in design.others):
        here = np.zeros(size, dtype=np.int64)
        for sample, accepted in said.items():
            number = known.get(sample)
            if number is not None and accepted is not None:
                here[number] = 1 + accepted
        _, code = np.unique(code * 3 + here, return_inverse=True)
    return code.astype(np.int64)
