"""Error rates by slice: worst first for people, and keyed for recipes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from audits.labelled.columns import NameColumn, NameNumbers
from audits.labelled.measured import Items, Labelled, rate_of_items
from audits.labelled.records import Records
from audits.labelled.slice_pooling import right_high
from audits.statistics.comparisons import benjamini_hochberg, holm
from audits.statistics.drawn import DrawnRate
from audits.statistics.proportion import Interval
from audits.statistics.slices import SliceTest, slices
from rewards.noise.rates import Rate, format_slice_value

MOST = 50
"""Slices of one feature that are told apart; rarer values are one slice together."""
MOST_RATES = 500
"""Slices that a recipe gets rates for; the rarer ones take the pooled rates."""
OTHER = "(other)"

Guard = Literal["holm", "benjamini_hochberg"]
Kind = Literal["false_positive", "false_negative"]


class SliceRate(NamedTuple):
    """One slice with one of its rates. ``adjusted`` is guarded against all slices of all features and both rates;
    ``interval`` is that of the labelled items, by group; ``weighted`` is the rate over the run where items were
    drawn."""

    feature: str
    value: str
    kind: Kind
    slice: SliceTest
    adjusted: float
    interval: Interval
    weighted: DrawnRate | None

    @property
    def name(self) -> str:
        return f"{self.feature}={self.value}"


def by_feature(
    labelled: Labelled, features: dict[str, NameColumn], guard: Guard, level: float
) -> tuple[list[SliceRate], list[str]]:
    """Every slice of every feature of which the labelled items have more than one value; and notes."""
    found: list[SliceRate] = []
    notes = []
    for name, column in features.items():
        kept, rare = _common(column, labelled.items)
        if rare:
            notes.append(f"{name}: {rare} rarer values are one slice, {OTHER}")
        if len(np.unique(kept.codes[labelled.items.rows])) < 2:
            notes.append(f"{name}: nothing to slice by, {_alike(kept, labelled.items)}")
            continue
        found += _of_feature(name, kept, labelled, guard, level)
    adjusted = (holm if guard == "holm" else benjamini_hochberg)([one.slice.p_value for one in found])
    guarded = [one._replace(adjusted=float(value)) for one, value in zip(found, adjusted, strict=True)]
    guarded.sort(key=lambda one: (one.adjusted, one.slice.p_value, -(one.slice.proportion.rate or 0.0)))
    return guarded, notes


def _alike(column: NameColumn, items: Items) -> str:
    """A misspelt name is an entry that no evidence has."""
    value = column.names[column.codes[items.rows[0]]]
    if value == format_slice_value(None):
        return (
            "no labelled response has it: neither a feature of responses nor an entry of these verdicts' evidence "
            "(`form` and `extracted` need the entry `extracted`, the answer that a verifier read)"
        )
    return f"all labelled responses have the same value, {value}"


def _of_feature(name: str, column: NameColumn, labelled: Labelled, guard: Guard, level: float) -> Iterator[SliceRate]:
    items, framed = labelled.items, labelled.framed
    rates = {code: framed.rates(column.codes == code) for code in np.unique(column.codes[items.rows]).tolist()}
    kinds: tuple[tuple[Kind, bool], ...] = (("false_positive", False), ("false_negative", True))
    for kind, right in kinds:
        some = items.of((items.right == right) & items.judged)
        errors = (some.accepted == 1) != right
        for one in slices(errors, column.codes[some.rows], some.groups, guard=guard, level=level):
            assert isinstance(one.name, int)
            found = rates[one.name].false_negative() if right else rates[one.name].false_positive()
            interval = one.interval if framed.claims else found.interval
            yield SliceRate(name, column.names[one.name], kind, one, 1.0, interval, found if framed.claims else None)


def _common(column: NameColumn, items: Items) -> tuple[NameColumn, int]:
    """The values that are commonest among the items, the others together; how many these are."""
    counts = np.bincount(column.codes[items.rows], minlength=len(column.names))
    if np.count_nonzero(counts) <= MOST:
        return column, 0
    kept = np.argsort(-counts, kind="stable")[:MOST]
    codes = np.full(len(counts), MOST)
    codes[kept] = np.arange(MOST)
    names = [column.names[code] for code in kept.tolist()]
    return NameColumn(codes[column.codes], [*names, OTHER]), int(np.count_nonzero(counts)) - MOST


def measure_slices(
    labelled: Labelled, records: Records, by: Sequence[str], level: float, seed: int
) -> tuple[dict[str, Rate], list[str]]:
    """The rates of each slice with a labelled item, each by itself; and notes. Keys are :meth:`Rates.slice_of`'s."""
    if not by:
        return {}, []
    items = labelled.items
    keys = NameNumbers()
    values = [records.features[name] for name in by]
    keys.add(list(zip(*(column.codes[items.rows].tolist() for column in values), strict=True)))
    place = keys.codes()
    tuples = [codes for codes in keys.known if isinstance(codes, tuple)]
    kept = np.argsort(-np.bincount(place, minlength=len(tuples)), kind="stable")[:MOST_RATES].tolist()
    found = {}
    for code in kept:
        inside = np.logical_and.reduce([column.codes == one for column, one in zip(values, tuples[code], strict=True)])
        some = place == code
        rate = rate_of_items(labelled, inside, some, level, seed)
        high = right_high(labelled, inside, some, level)
        found[_key(by, values, tuples[code])] = rate.model_copy(update={"right_high": high})
    left = len(tuples) - len(found)
    return found, [
        f"{left} rarer slices have no rates of their own: recipes take there what the measured ones make likely"
    ] if left else []


def _key(by: Sequence[str], values: Sequence[NameColumn], codes: Sequence[int]) -> str:
    return ",".join(f"{name}={column.names[code]}" for name, column, code in zip(by, values, codes, strict=True))
