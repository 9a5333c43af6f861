r"""Sine and cosine in a ring: exact at multiples of pi/12, else by the theorems of addition.

An angle ``n/d * m`` becomes the n-fold of ``m/d``, so ``\sin 2x`` and ``2 \sin x \cos x`` are the same.
"""

from __future__ import annotations

from fractions import Fraction

from verifiers.math.algebra.polynomial import UNIT, Monomial, Polynomial, atom, constant, key
from verifiers.math.algebra.ring import COSINE, SINE, Quotient, Ring, name_of

MOST_FOLDS = 8
Pair = tuple[Quotient, Quotient]
"""Cosine and sine."""

_PI: Monomial = (("\\pi", 1),)
_ONE = constant(1)
_HALF = constant(2)
_ROOT_2: Polynomial = {(("#2", Fraction(1, 2)),): 1}
_ROOT_3: Polynomial = {(("#3", Fraction(1, 2)),): 1}
# cosine and sine of 30, 45, 60 and 90 degrees, in twelfths of pi
_KNOWN: dict[int, Pair] = {
    2: (Quotient(_ROOT_3, _HALF), Quotient(_ONE, _HALF)),
    3: (Quotient(_ROOT_2, _HALF), Quotient(_ROOT_2, _HALF)),
    4: (Quotient(_ONE, _HALF), Quotient(_ROOT_3, _HALF)),
    6: (Quotient({}, _ONE), Quotient(_ONE, _ONE)),
}
_STEPS = {0: (), 1: (4, -3), 2: (2,), 3: (3,), 4: (4,), 5: (2, 3)}


def cosine_and_sine(ring: Ring, angle: Quotient) -> Pair:
    found: Pair = (Quotient(_ONE, _ONE), Quotient({}, _ONE))
    if angle.below.keys() != {UNIT}:
        ring.exact = False
        return _turned(ring, found, _atoms(name_of(angle)), 1)
    for monomial, coefficient in angle.above.items():
        share = Fraction(coefficient, angle.below[UNIT])
        if monomial == _PI and 12 % share.denominator == 0:
            found = _twelfths(ring, found, int(share * 12) % 24)
            continue
        ring.exact = False
        if monomial == _PI:
            share = (share + 1) % 2 - 1
        if abs(share.numerator) > MOST_FOLDS:
            found = _turned(ring, found, _atoms(f"{key({monomial: 1})}*{abs(share)}"), 1 if share > 0 else -1)
        else:
            found = _turned(ring, found, _atoms(f"{key({monomial: 1})}/{share.denominator}"), share.numerator)
    return found


def _atoms(name: str) -> Pair:
    return Quotient(atom(COSINE + name), _ONE), Quotient(atom(SINE + name), _ONE)


def _twelfths(ring: Ring, found: Pair, count: int) -> Pair:
    for _ in range(count // 6):
        found = _turned(ring, found, _KNOWN[6], 1)
    for step in _STEPS[count % 6]:
        found = _turned(ring, found, _KNOWN[abs(step)], 1 if step > 0 else -1)
    return found


def _turned(ring: Ring, pair: Pair, by: Pair, folds: int) -> Pair:
    """The angle-sum formulas, ``folds`` times; a negative count turns back."""
    cosine, sine = pair
    c, s = by if folds > 0 else (by[0], Quotient({m: -k for m, k in by[1].above.items()}, by[1].below))
    minus = Quotient({m: -k for m, k in s.above.items()}, s.below)
    for _ in range(abs(folds)):
        cosine, sine = (
            ring.sum(ring.times(cosine, c), ring.times(sine, minus)),
            ring.sum(ring.times(sine, c), ring.times(cosine, s)),
        )
    return cosine, sine
