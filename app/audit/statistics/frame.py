"""A population of responses of which some were drawn for labelling, each with a known probability, and labelled.

The unit is a content with one verdict: however many records of a run have it, it was drawn and labelled once, and it
counts as many times as it has records. Rates are those of the records.

Units are put into strata by what is known of all of them: the verdict, the band (a factor of two) of the probability
with which each could be drawn, the band of the number of records, and ``stratum``, such as what other verifiers said.
How many records a stratum has is then known, so that only the share of wrong ones in it has to be estimated. This is
post-stratification, which for verdicts is what prediction-powered inference with a tuned power comes to (arXiv
2301.09633, 2311.01453): each combination of verdicts is its own predictor.

Drawn units that have no label yet are taken to be like the labelled ones of the same probability: a queue shows its
items in an order that says nothing of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.audit.statistics.arrays import Bools, Floats, Ints, same_length


@dataclass(frozen=True, slots=True)
class Frame:
    """N units. ``accepted`` is 1, 0, or NaN for no verdict; ``right`` 1, 0, or NaN where there is no label; ``records``
    how many records a unit stands for; ``group`` numbers what shares its errors.

    ``chance`` is the probability in [0, 1] with which a unit could be drawn, NaN where that is not known, as it is for
    units without a label when labels were drawn elsewhere. ``drawn`` says which were. ``stratum`` is any further code.
    """

    accepted: Floats
    right: Floats
    records: Floats
    group: Ints
    chance: Floats
    drawn: Bools
    stratum: Ints

    def __post_init__(self) -> None:
        same_length(**{name: getattr(self, name) for name in self.__dataclass_fields__})
        labelled = ~np.isnan(self.right)
        if not (self.records > 0).all():
            raise ValueError("records must be above 0: a unit without a record is none")
        if not (self.chance[labelled] > 0).all():
            raise ValueError("chance must be above 0 where there is a label: else it stands for nothing")
        if (labelled & ~self.drawn).any():
            raise ValueError("a labelled unit must be drawn: leave out labels that were chosen")

    def of(self, some: Bools) -> Frame:
        return Frame(**{name: getattr(self, name)[some] for name in self.__dataclass_fields__})

    @property
    def labelled(self) -> Bools:
        return ~np.isnan(self.right)


class Strata(NamedTuple):
    """S strata: ``accepted`` (1, 0, NaN), ``records`` in the population, labelled units (``labelled``), what these are
    worth (``trials``, a number of independent draws from an endless stratum), and ``wrong``, the share of wrong records.

    ``further`` is the squared standard error of the wrong records of each verdict (accepted, rejected) that comes from
    not knowing the sizes of strata. ``weight`` is how many records a record of each of the frame's labelled units
    stands for, in the order of the frame.
    """

    accepted: Floats
    records: Floats
    labelled: Ints
    trials: Floats
    wrong: Floats
    further: tuple[float, float]
    weight: Floats


def strata(frame: Frame) -> Strata:
    labelled = frame.labelled
    known = not np.isnan(frame.chance).any()
    verdict = np.where(np.isnan(frame.accepted), 2, frame.accepted).astype(np.int64)
    cell_keys = [verdict, frame.stratum, _band(frame.records)]
    chance_band = np.where(np.isnan(frame.chance), 0, _band(np.where(frame.chance > 0, frame.chance, 1.0)))
    cells = _codes([*cell_keys, chance_band] if known else cell_keys)
    parts = _codes([cells, chance_band])
    size = int(parts.max()) + 1 if len(parts) else 0
    cell_of, accepted_of = np.zeros(size, dtype=np.int64), np.zeros(size)
    cell_of[parts], accepted_of[parts] = cells, frame.accepted
    effective = _answered(frame)
    # how many records each labelled unit stands for, before that is made to fit what is known of the cells
    raw = frame.records[labelled] / effective[labelled]
    place = parts[labelled]
    stands = np.bincount(place, weights=raw, minlength=size)
    squares = np.bincount(place, weights=raw**2, minlength=size)
    counted = np.bincount(place, minlength=size)
    wrong = np.bincount(place, weights=raw * (frame.right[labelled] == 0), minlength=size)
    population = np.bincount(cells, weights=frame.records, minlength=int(cells.max(initial=-1)) + 1)
    in_cell = np.bincount(cell_of, weights=stands, minlength=len(population))
    records = population[cell_of] * np.where(
        in_cell[cell_of] > 0, stands / np.where(in_cell > 0, in_cell, 1.0)[cell_of], 1.0
    )
    # a cell without any label is one stratum of which nothing is known
    first = np.zeros(size, dtype=np.bool_)
    first[np.unique(cell_of, return_index=True)[1]] = True
    kept = np.where(in_cell[cell_of] > 0, stands > 0, first)
    share = np.where(stands > 0, wrong / np.where(stands > 0, stands, 1.0), 0.5)
    unseen = np.bincount(place, weights=raw * (1 - effective[labelled]), minlength=size)
    open_ = np.clip(np.where(stands > 0, unseen / np.where(stands > 0, stands, 1.0), 1.0), 0.0, 1.0)
    if known:
        units = np.bincount(parts, minlength=size)
        open_ = np.clip(1 - counted / np.maximum(units, 1), 0.0, 1.0)
    worth = np.where(squares > 0, stands**2 / np.where(squares > 0, squares, 1.0), 0.0)
    trials = np.where(worth > 0, worth / np.maximum(open_, 1e-12), 0.0)
    mean = np.bincount(cell_of, weights=records * share, minlength=len(population)) / np.maximum(population, 1e-300)
    spread = np.bincount(place, weights=raw**2 * (1 - effective[labelled]), minlength=size)
    scale = (population / np.where(in_cell > 0, in_cell, 1.0))[cell_of]
    square = np.where(kept & (in_cell[cell_of] > 0), (scale * (share - mean[cell_of])) ** 2 * spread, 0.0)
    weight = (records / np.where(stands > 0, stands, 1.0))[place] / effective[labelled]
    return Strata(
        accepted_of[kept],
        records[kept],
        counted[kept],
        trials[kept],
        share[kept],
        (float(square[accepted_of == 1].sum()), float(square[accepted_of == 0].sum())),
        weight,
    )


def joint_chance(first: Floats, second: Floats, *, same_seed: bool) -> Floats:
    """With which probability either of two draws takes a unit. Draws of one seed compare the same random number."""
    return np.maximum(first, second) if same_seed else 1 - (1 - first) * (1 - second)


def _answered(frame: Frame) -> Floats:
    """The chance of being drawn and labelled: of the units drawn with one chance, the labelled share."""
    chance = np.where(frame.drawn, frame.chance, np.nan)
    drawn = np.flatnonzero(frame.drawn)
    _, code = np.unique(frame.chance[drawn], return_inverse=True)
    share = np.bincount(code, weights=frame.labelled[drawn]) / np.maximum(np.bincount(code), 1)
    chance[drawn] *= share[code] if len(drawn) else 1.0
    return chance


def _band(values: Floats) -> Ints:
    return np.floor(np.log2(values) + 1e-9).astype(np.int64)


def _codes(keys: list[Ints]) -> Ints:
    """Different combinations as 0, 1, 2, ..."""
    code = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        _, inverse = np.unique(key, return_inverse=True)
        code = code * (int(inverse.max(initial=0)) + 1) + inverse
        _, code = np.unique(code, return_inverse=True)
    return code.astype(np.int64)
