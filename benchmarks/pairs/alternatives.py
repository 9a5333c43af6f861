"""Several acceptable references: an answer to any of them is right, one to none of them is wrong."""

from __future__ import annotations

import random
from dataclasses import replace

from benchmarks.pairs import integers, polynomials, radicals, ratios, sets, tuples
from benchmarks.pairs.pair import Pair, Source

_KINDS: tuple[Source, ...] = (
    integers.FAMILY,
    ratios.FRACTIONS,
    sets.FAMILY,
    tuples.FAMILY,
    radicals.SURDS,
    polynomials.POLYNOMIALS,
)
_FAR = ("-987654321", "\\frac{-98765}{43211}")
"""Values that no kind draws or changes into."""


def draw(dice: random.Random, right: bool) -> Pair:
    pair = dice.choice(_KINDS)(dice, right)
    references = [*pair.references, *dice.sample(_FAR, dice.randint(1, 2))]
    dice.shuffle(references)
    return replace(pair, references=tuple(references), form="several references")
