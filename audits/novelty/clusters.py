"""Clusters of responses that are alike: those that share half of their triples of words, found by MinHash.

A signature of 32 minima of a response's hashed triples agrees with another's in about the share of the triples that
both have (Broder 1997). Responses that agree in a band of two minima are compared exactly, each with the first of its
cluster and the next few; so the work is linear in the responses.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from audits.novelty.response_features import phrases_of
from audits.novelty.rises import Sides
from trueward.wire.change import ResponseCluster

MINIMA, BAND = 32, 2
ALIKE = 0.5
COMPARED = 8
"""Responses of a band that each further one is compared with."""
SHOWN = 6
_PRIME = 4_294_967_311  # the first above 2 ** 32
_FACTORS = np.random.default_rng(0).integers(1, 2**31, size=(2, MINIMA), dtype=np.uint64)
Shingles = frozenset[str]


def clusters(sides: Sides) -> list[ResponseCluster]:
    """Those of which more responses are of ``after`` than chance explains, the largest first."""
    before, after = sides.before, sides.after
    said = [*before, *after]
    shingles = [_shingles(one.words) for one in said]
    found = []
    for members in _together(shingles):
        later = [place for place in members if place >= len(before)]
        earlier = len(members) - len(later)
        if not sides.has_risen(earlier, len(later)):
            continue
        rewards = [reward for place in later if (reward := said[place].reward) is not None]
        found.append(
            ResponseCluster(
                what=_shared([shingles[place] for place in later]),
                before=earlier / len(before),
                after=len(later) / len(after),
                records=len(later),
                record=said[later[0]].record,
                step=said[later[0]].step,
                ending=said[later[0]].ending,
                reward=fmean(rewards) if rewards else None,
            )
        )
    return sorted(found, key=lambda one: (-one.records, one.record))[:SHOWN]


def _shingles(words: Sequence[str]) -> Shingles:
    """Triples of words in a row; a shorter response is one."""
    if len(words) < 3:
        return frozenset([" ".join(words)]) if words else frozenset()
    return frozenset(map(" ".join, phrases_of(words, 3)))


def _together(shingles: Sequence[Shingles]) -> list[list[int]]:
    """Places of the responses of each cluster of several, in order."""
    root = list(range(len(shingles)))

    def top(place: int) -> int:
        while root[place] != place:
            root[place] = root[root[place]]
            place = root[place]
        return place

    bands: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    for place, each in enumerate(shingles):
        if not each:
            continue
        signature = _signature(each)
        compared: set[int] = set()
        for band in range(0, MINIMA, BAND):
            near = bands[band, signature[band : band + BAND].tobytes()]
            for other in near:
                if other in compared:
                    continue
                compared.add(other)
                if top(other) != top(place) and _likeness(each, shingles[other]) >= ALIKE:
                    root[top(place)] = top(other)
            if len(near) < COMPARED:
                near.append(place)
    members: defaultdict[int, list[int]] = defaultdict(list)
    for place, each in enumerate(shingles):
        if each:
            members[top(place)].append(place)
    return [places for places in members.values() if len(places) > 1]


def _signature(shingles: Shingles) -> NDArray[np.uint64]:
    hashes = np.array([crc32(one.encode("utf-8", "replace")) for one in shingles], dtype=np.uint64)
    mixed = (hashes[:, None] * _FACTORS[0] + _FACTORS[1]) % np.uint64(_PRIME)
    minima: NDArray[np.uint64] = mixed.min(axis=0)
    return minima


def _likeness(one: Shingles, other: Shingles) -> float:
    return len(one & other) / len(one | other)


def _shared(members: Sequence[Shingles]) -> str:
    """The triples that most of them have, up to four."""
    counts = Counter(one for each in members for one in each)
    often = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:4]
    return ", ".join(f"\u201c{one}\u201d" for one, _ in often)
