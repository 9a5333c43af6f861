"""Poisson sampling of a population's responses: each is drawn on its own, with its own probability, by a hash.

The unit is the content of a sample, which is what a label speaks of: however often it was judged, it is one item. So a
seed draws the same responses again, and two draws of one seed overlap (permanent random numbers: Ohlsson 1995).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.labels.queries import QueriedPopulation, probabilities
from audits.statistics.arrays import Floats, Ints, codes
from trueward.wire.draw import DrawRequest

REST = "rest"


class DrawnItem(NamedTuple):
    """A response that was drawn, by one of its records."""

    record: str
    sample: str
    query: str
    probability: float


class Sampled(NamedTuple):
    """``items`` are in an order that tells nothing of why they were drawn."""

    items: list[DrawnItem]
    population: int
    expected: float
    notes: list[str]


class DrawChances(NamedTuple):
    """Of each content one of its records (``places``), with which probability it is drawn, and by which of the queries
    (the last number is the rest)."""

    places: list[int]
    chance: Floats
    which: Ints
    notes: list[str]


def chances(spec: DrawRequest, view: QueriedPopulation) -> DrawChances:
    """Raises :class:`InvalidRequest` for a query that lacks what it needs."""
    records = view.records
    by_query = [probabilities(query, view) for query in spec.queries]
    chance: Floats = np.max(by_query, axis=0) if by_query else np.zeros(len(records))
    which = np.argmax(by_query, axis=0) if by_query else np.zeros(len(records), dtype=np.int64)
    one_each = _likeliest(records.sample, chance)
    chance, which = chance[one_each], which[one_each]
    which = np.where(chance > 0, which, len(by_query))
    chance = np.where(chance > 0, chance, float(spec.rest))
    notes = [
        f"the query {query.query} matches nothing"
        for query, found in zip(spec.queries, by_query, strict=True)
        if not found.any()
    ]
    unseen = int(np.count_nonzero(chance == 0))
    if unseen:
        notes.append(f"nothing is drawn of the rest: the draw says nothing of {unseen} of {len(chance)} responses")
    if spec.limit is not None and chance.sum() > spec.limit:
        factor = spec.limit / float(chance.sum())
        chance = chance * factor
        notes.append(f"all probabilities are made smaller by the factor {factor:.4g}, for the limit of {spec.limit}")
    missing = np.isnan(records.accepted[one_each])
    if wasted := round(float(chance[missing].sum())):
        notes.append(
            f"{np.count_nonzero(missing)} of {len(chance)} responses were neither accepted nor rejected; about "
            f"{wasted} of these are drawn, whose labels say nothing of error rates"
        )
    return DrawChances(one_each, chance, which, notes)


def draw_items(spec: DrawRequest, view: QueriedPopulation) -> Sampled:
    """Raises :class:`InvalidRequest` for a query that lacks what it needs."""
    records, found = view.records, chances(spec, view)
    names = [*(query.query for query in spec.queries), REST]
    items = [
        DrawnItem(records.record[place], records.sample[place], names[query], float(probability))
        for place, query, probability in zip(found.places, found.which, found.chance, strict=True)
        if _uniform(spec.seed, "drawn", records.sample[place]) < probability
    ]
    items.sort(key=lambda item: _uniform(spec.seed, "order", item.sample))
    return Sampled(items, len(found.places), float(found.chance.sum()), found.notes)


def _likeliest(samples: Sequence[str], chance: Floats) -> list[int]:
    """Of each sample the record that is likeliest drawn, the latest of those."""
    code = codes("samples", samples)
    order = np.lexsort((np.arange(len(code)), chance, code))
    last = np.append(code[order][1:] != code[order][:-1], True)
    return [int(place) for place in order[last]]


def _uniform(seed: int, use: str, sample: str) -> float:
    """A number in [0, 1) that follows from its arguments alone."""
    digest = hashlib.blake2b(f"{seed}/{use}/{sample}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / 2**53
