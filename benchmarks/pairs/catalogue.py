"""The sets of pairs: an open one to develop against, and a sealed one that nobody looks at.

Labels come by construction alone (see :mod:`benchmarks.pairs.pair`). The forms take turns, so each has the same share;
right and wrong pairs are as many. The sealed set is drawn from the hash of the release's tag and shares no pair of
reference and answer with the open one.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

from benchmarks.pairs import (
    alternatives,
    assignments,
    bases,
    complexes,
    currency,
    dates,
    decimals,
    degrees,
    endings,
    equations,
    inequalities,
    integers,
    intervals,
    logarithms,
    matrices,
    percents,
    piecewise,
    plus_minus,
    polynomials,
    radicals,
    rational_functions,
    ratios,
    scientific,
    sets,
    surface,
    texts,
    thousands,
    trigonometry,
    tuples,
    units,
    words,
)
from benchmarks.pairs.pair import Pair, Source

TAG = "trueward-v0.1.0"
"""The release whose sealed set this is."""

OPEN_EACH = 2_500
SEALED_EACH = 1_000
_OPEN = "open"

FORMS: dict[str, tuple[Source, ...]] = {
    "integers": (integers.FAMILY,),
    "decimals": (decimals.DECIMALS,),
    "rounded decimals": (decimals.ROUNDED,),
    "fractions": (ratios.FRACTIONS,),
    "mixed numbers": (ratios.MIXED,),
    "percent": (percents.FAMILY,),
    "thousands": (thousands.INTEGERS, thousands.INTEGERS, thousands.DECIMALS),
    "scientific": (scientific.FAMILY,),
    "units": (units.FAMILY,),
    "degrees": (degrees.FAMILY,),
    "currency": (currency.FAMILY,),
    "dates": (dates.DAYS,),
    "times": (dates.TIMES,),
    "surface": (surface.VULGAR, surface.DIGITS, surface.TERMS),
    "sets": (sets.FAMILY,),
    "tuples": (tuples.FAMILY,),
    "intervals": (intervals.FAMILY,),
    "unions": (intervals.UNIONS,),
    "plus-minus": (plus_minus.FAMILY,),
    "matrices": (matrices.MATRICES,),
    "vectors": (matrices.VECTORS,),
    "polynomials": (polynomials.POLYNOMIALS, polynomials.POLYNOMIALS, polynomials.TWO_VARIABLES),
    "rational functions": (rational_functions.FAMILY,),
    "equations": (equations.LINES, equations.LINES, equations.CIRCLES),
    "assignments": (assignments.VALUES, assignments.VALUES, assignments.NAMES),
    "systems": (assignments.SYSTEMS,),
    "inequalities": (inequalities.FAMILY,),
    "piecewise": (piecewise.FAMILY,),
    "complex numbers": (complexes.CARTESIAN, complexes.POLAR),
    "bases": (bases.FAMILY,),
    "logarithms": (logarithms.NATURAL, logarithms.BASED),
    "radicals": (radicals.SURDS, radicals.SUMS),
    "trigonometric values": (trigonometry.VALUES,),
    "multiples of pi": (trigonometry.MULTIPLES_OF_PI,),
    "words": (words.FAMILY,),
    "texts": (texts.TEXTS,),
    "choices": (texts.CHOICES,),
    "several references": (alternatives.draw,),
    "endings": (endings.draw,),
}


def open_pairs(each: int = OPEN_EACH) -> list[Pair]:
    """As many right as wrong; a smaller set is the beginning of a larger one."""
    return _first(each, _drawn(_OPEN), frozenset())


def sealed_pairs(each: int = SEALED_EACH) -> list[Pair]:
    """For rates only: whoever reads these pairs to mend the verifier spends the set."""
    known = frozenset((pair.references, pair.answer) for pair in open_pairs())
    return _first(each, _drawn(hashlib.sha256(TAG.encode()).hexdigest()), known)


def _first(each: int, drawn: Iterator[Pair], known: frozenset[tuple[tuple[str, ...], str]]) -> list[Pair]:
    room = {True: each, False: each}
    pairs: list[Pair] = []
    while len(pairs) < 2 * each:
        pair = next(drawn)
        if room[pair.right] and (pair.references, pair.answer) not in known:
            room[pair.right] -= 1
            pairs.append(pair)
    return pairs


def _drawn(seed: str) -> Iterator[Pair]:
    """Pairs without end, form by form, right and wrong in turn; none twice while its form has others."""
    dice = random.Random(seed)
    seen: set[tuple[tuple[str, ...], str]] = set()
    while True:
        for sources in FORMS.values():
            for right in (True, False):
                yield _fresh(dice.choice(sources), dice, right, seen)


def _fresh(source: Source, dice: random.Random, right: bool, seen: set[tuple[tuple[str, ...], str]]) -> Pair:
    pair = source(dice, right)
    for _ in range(20):
        key = (pair.references, pair.answer)
        if key not in seen:
            seen.add(key)
            break
        pair = source(dice, right)
    return pair
