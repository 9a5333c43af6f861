"""A population of responses of which some were drawn for labelling, each with a known probability, and labelled.

The unit is a content with one verdict: however many records of a run have it, it was drawn and labelled once, and it
counts as many times as it has records. Rates are those of the records.

Units are put into strata by what is known of all of them: the verdict, the band (a factor of two) of the probability
with which each could be drawn, the band (of four) of the number of records, and ``stratum``, such as what other
verifiers said.
How many records a stratum has is then known, so that only the share of wrong ones in it has to be estimated. This is
post-stratification, which for verdicts is what prediction-powered inference with a tuned power comes to (arXiv
2301.09633, 2311.01453): each combination of verdicts is its own predictor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from audits.statistics.arrays import Bools, Floats, Ints, same_length

FEWEST = 5
"""Labels of a stratum of its own."""


@dataclass(frozen=True, slots=True)
class Frame:
    """N units. ``accepted`` is 1, 0, or NaN for no verdict; ``right`` 1, 0, the probability that it is right where that
    is not sure, or NaN where there is no label; ``records`` how many records a unit stands for; ``group`` numbers what
    shares its errors.

    ``chance`` is the probability in [0, 1] with which a unit could come to be labelled (see
    :func:`estimate_label_chance`), NaN where that is not known, as it is of units without a label when labels were
    drawn elsewhere. ``stratum`` is a further code.
    """

    accepted: Floats
    right: Floats
    records: Floats
    group: Ints
    chance: Floats
    stratum: Ints

    def __post_init__(self) -> None:
        same_length(**{name: getattr(self, name) for name in self.__dataclass_fields__})
        labelled = ~np.isnan(self.right)
        if not (self.records > 0).all():
            raise ValueError("records must be above 0: a unit without a record is none")
        if not (self.chance[labelled] > 0).all():
            raise ValueError("chance must be above 0 where there is a label: else it stands for nothing")

    def of(self, some: Bools) -> Frame:
        return Frame(**{name: getattr(self, name)[some] for name in self.__dataclass_fields__})

    def with_labels(self, right: Floats) -> Frame:
        """The same units with other labels."""
        return replace(self, right=right)

    @property
    def labelled(self) -> Bools:
        return ~np.isnan(self.right)


class Strata(NamedTuple):
    """S strata: ``accepted`` (1, 0, NaN), ``records`` in the population, and ``wrong``, the share of wrong records
    among the labelled ones, which are as good as ``trials`` independent draws from an endless stratum: infinite where
    all are labelled, 0 where none is (``wrong`` is then that of its verdict).

    ``unsized`` is the variance of the number of wrong records with each verdict (rejected, accepted) that comes from
    not knowing the sizes of strata. ``weight`` is how many records a record of each labelled unit stands for, in the
    order of the frame; ``place`` is its stratum, and ``stands`` how many records it speaks for there.
    """

    accepted: Floats
    records: Floats
    wrong: Floats
    trials: Floats
    unsized: tuple[float, float]
    weight: Floats
    place: Ints
    stands: Floats


def cells(frame: Frame) -> Ints:
    """The stratum of each unit; where probabilities are not known of all units their bands are left out."""
    chance = np.where(frame.chance > 0, frame.chance, 1.0)
    unknown = bool(np.isnan(frame.chance).any())
    return _cells(frame, np.zeros(len(chance), dtype=np.int64) if unknown else _band(chance, 2))


def strata(frame: Frame) -> Strata:
    if np.isnan(frame.chance).any():
        return _of_unknown_size(frame)
    place = cells(frame)
    some = frame.labelled
    unit, here = frame.of(some), place[some]
    stands = unit.records / unit.chance
    found = _Sums(here, stands, 1 - unit.right, _count(place))
    population: Floats = np.bincount(place, weights=frame.records).astype(np.float64)
    left = np.bincount(place, weights=np.where(some, 0.0, frame.records))
    # the spread of what has no label, and that of the share which it is taken to have
    own = np.bincount(place, weights=np.where(some, 0.0, frame.records**2))
    spread = own + left**2 / np.maximum(found.worth, 1e-300)
    with np.errstate(divide="ignore"):
        trials = np.where(found.worth > 0, population**2 / spread, 0.0)
    accepted = frame.accepted[_first(place)]
    weight = (population / np.where(found.stands > 0, found.stands, 1.0))[here] / unit.chance
    return Strata(accepted, population, _shares(found, accepted), trials, (0.0, 0.0), weight, here, stands)


def _of_unknown_size(frame: Frame) -> Strata:
    """Where the probabilities of units without a label are not known, the sizes of the bands of probability within a
    stratum follow from the labels themselves."""
    cell = cells(frame)
    some = frame.labelled
    unit, chance = frame.of(some), frame.chance[some]
    place = _codes([cell[some], _band(chance, 2)])
    found = _Sums(place, unit.records / chance, 1 - unit.right, _count(place))
    of = cell[some][_first(place)]
    population = np.bincount(cell, weights=frame.records)
    known = np.bincount(of, weights=found.stands, minlength=len(population))
    scale = population / np.where(known > 0, known, 1.0)
    records = scale[of] * found.stands
    share = found.wrong / found.stands
    mean = np.bincount(of, weights=records * share, minlength=len(population)) / population
    unseen = np.bincount(place, weights=unit.records / chance * (1 - chance)) / found.stands
    with np.errstate(divide="ignore"):
        trials = found.worth / np.where(unseen > 1e-9, unseen, 0.0)
    spread = np.bincount(place, weights=(unit.records / chance) ** 2 * (1 - chance))
    square = (scale[of] * (share - mean[of])) ** 2 * spread
    said = frame.accepted[_first(cell)]
    unsized = (float(square[said[of] == 0].sum()), float(square[said[of] == 1].sum()))
    empty = known == 0
    accepted, sizes = np.append(said[of], said[empty]), np.append(records, population[empty])
    nothing = np.zeros(int(empty.sum()))
    every = _Sums.extend(found, nothing)
    weight, stands = scale[cell[some]] / chance, unit.records / chance
    return Strata(accepted, sizes, _shares(every, accepted), np.append(trials, nothing), unsized, weight, place, stands)


class _Sums:
    """Of labelled units by stratum: records that they stand for, the wrong ones of these, and what they are worth."""

    def __init__(self, place: Ints, stands: Floats, wrong: Floats, size: int) -> None:
        self.stands = np.bincount(place, weights=stands, minlength=size)
        self.wrong = np.bincount(place, weights=stands * wrong, minlength=size)
        squares = np.bincount(place, weights=stands**2, minlength=size)
        self.worth = np.where(squares > 0, self.stands**2 / np.where(squares > 0, squares, 1.0), 0.0)

    @staticmethod
    def extend(one: _Sums, nothing: Floats) -> _Sums:
        """With further strata, of which nothing is labelled."""
        more = _Sums.__new__(_Sums)
        more.stands, more.wrong = np.append(one.stands, nothing), np.append(one.wrong, nothing)
        more.worth = np.append(one.worth, nothing)
        return more


def _shares(found: _Sums, accepted: Floats) -> Floats:
    """Of wrong records; where nothing is labelled that of the same verdict, or a half."""
    said = _codes([np.where(np.isnan(accepted), 2, accepted).astype(np.int64)])
    stands, wrong = np.bincount(said, weights=found.stands), np.bincount(said, weights=found.wrong)
    usual = np.where(stands > 0, wrong / np.where(stands > 0, stands, 1.0), 0.5)
    known = found.stands > 0
    return np.where(known, found.wrong / np.where(known, found.stands, 1.0), usual[said])


def _cells(frame: Frame, chance: Ints) -> Ints:
    """The stratum of each unit. One with few labels, and not all of them, joins those beside it: first of the other
    further codes, then of the next lower number of records."""
    verdict = np.where(np.isnan(frame.accepted), 2, frame.accepted).astype(np.int64)
    base = _codes([verdict, chance])
    _, further = np.unique(frame.stratum, return_inverse=True)
    few = _few(frame, _codes([base, further]))
    base = _codes([base, np.where(few, -1, further)])
    band = _band(frame.records, 4)
    for heavy in range(int(band.max(initial=0)), 0, -1):
        band = np.where((band == heavy) & _few(frame, _codes([base, band])), heavy - 1, band)
    return _codes([base, band])


def _few(frame: Frame, cell: Ints) -> Bools:
    """Which units are in a cell with few labels that has others, too."""
    labelled, units = np.bincount(cell, weights=frame.labelled), np.bincount(cell)
    few: Bools = ((labelled < FEWEST) & (labelled < units))[cell]
    return few


def joint_chance(first: Floats, second: Floats, *, same_seed: bool) -> Floats:
    """With which probability either of two draws takes a unit. Draws of one seed compare the same random number."""
    return np.maximum(first, second) if same_seed else 1 - (1 - first) * (1 - second)


def estimate_label_chance(chance: Floats, drawn: Bools, labelled: Bools) -> Floats:
    """The probability of being drawn and labelled: of the units drawn with one probability the labelled share. Where
    none of them is labelled yet, that of being drawn."""
    _, code = np.unique(chance, return_inverse=True)
    have, all_ = np.bincount(code, weights=labelled), np.bincount(code, weights=drawn)
    return chance * np.where(have > 0, have / np.maximum(all_, 1.0), 1.0)[code]


def _band(values: Floats, factor: int) -> Ints:
    bands: Ints = np.floor(np.log(values) / np.log(factor) + 1e-9).astype(np.int64)
    return bands


def _count(place: Ints) -> int:
    return int(place.max(initial=-1)) + 1


def _first(place: Ints) -> Ints:
    """A unit of each code."""
    return np.unique(place, return_index=True)[1]


def _codes(keys: Sequence[Ints]) -> Ints:
    """Different combinations as 0, 1, 2, ..."""
    code = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        low = int(key.min(initial=0))
        span = int(key.max(initial=0)) - low + 1
        code = code * span + (key - low)
        if len(code) and int(code.max()) >= 4 * len(code) + 64:
            _, code = np.unique(code, return_inverse=True)
    _, code = np.unique(code, return_inverse=True)
    return code.astype(np.int64)
