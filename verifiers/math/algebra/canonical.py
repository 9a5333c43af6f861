r"""The canonical form of an expression: a quotient of polynomials in atoms, see :mod:`verifiers.math.algebra.ring`.

Variables count as positive: ``\sqrt{x^2}`` becomes ``x``. Where that loses a sign, numbers tell (see
:mod:`verifiers.math.algebra.probe`), so equal forms prove equality together with agreeing probes at both signs.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, prod

from verifiers.math.algebra.node import Call, Node, Number, Power, Product, Sum, Symbol
from verifiers.math.algebra.polynomial import (
    UNIT,
    Exponent,
    Monomial,
    Polynomial,
    TooMuch,
    atom,
    common,
    constant,
    content,
    divide_by,
    key,
    monomial_of,
    multiply_monomials,
    plus,
    raise_monomial,
    shift_by,
    whole,
)
from verifiers.math.algebra.radical import factors
from verifiers.math.algebra.ring import I_ATOM, POWER, PRIME, Quotient, Ring, rational, value

LARGEST_EXPONENT = 100_000
LARGEST_INDEX = 60
HALF = Fraction(1, 2)
LARGEST_RADICAND = 200
"""In bits."""


class Canonical:
    """Evaluates trees in one ring. Raises :class:`TooMuch` or :class:`~verifiers.math.algebra.ring.Undefined`."""

    def __init__(self) -> None:
        self.ring = Ring()
        self.logarithms: dict[str, Quotient] = {}
        """What stands inside the logarithm that an atom is: ``e`` to that atom is it again."""
        self.powers: dict[str, tuple[Polynomial, Monomial]] = {}
        """Base and exponent of an atom that is a power with a variable above."""

    def of(self, node: Node) -> Quotient:
        if isinstance(node, Number):
            return rational(node.value)
        if isinstance(node, Symbol):
            return self._symbol(node.name)
        if isinstance(node, Sum):
            found = self.of(node.terms[0])
            for term in node.terms[1:]:
                found = self.ring.sum(found, self.of(term))
            return found
        if isinstance(node, Product):
            found = self.of(node.factors[0])
            for factor in node.factors[1:]:
                found = self.ring.times(found, self.of(factor))
            return found
        if isinstance(node, Power):
            return self.power(self.of(node.base), self.of(node.exponent))
        return self._call(node)

    def _symbol(self, name: str) -> Quotient:
        return Quotient(atom(I_ATOM if name == "i" else name), constant(1))

    def _call(self, node: Call) -> Quotient:
        from verifiers.math.algebra.elementary import call  # elementary functions need this class

        return call(self, node.name, [self.of(argument) for argument in node.arguments])

    def power(self, base: Quotient, exponent: Quotient) -> Quotient:
        number = value(exponent)
        return self._exponential(base, exponent) if number is None else self.raise_to(base, number)

    def raise_to(self, base: Quotient, exponent: Fraction) -> Quotient:
        if abs(exponent.numerator) > LARGEST_EXPONENT or exponent.denominator > LARGEST_INDEX:
            raise TooMuch
        if exponent.denominator == 1:
            return self.ring.raise_to(base, exponent.numerator)
        return self.root(base, exponent)

    def root(self, base: Quotient, exponent: Fraction) -> Quotient:
        if exponent < 0:
            base, exponent = self.ring.inverse(base), -exponent
        if base.below == {UNIT: 1}:
            return Quotient(self._root(base.above, exponent), base.below)
        return Quotient(self._root(base.above, exponent), self._root(base.below, exponent))

    def _root(self, one: Polynomial, exponent: Fraction) -> Polynomial:
        """Content and common atoms leave the root; a sum that remains is an atom of its own."""
        if not one:
            return {}
        outer = common(one)
        factor = content(one)
        rest = shift_by(divide_by(one, factor), monomial_of((name, -power) for name, power in outer))
        found = self._root_of_number(factor, exponent)
        if any(name[0].isalpha() or name[0] == "\\" for name, _ in outer):
            self.ring.exact = False
        negative = rest == {UNIT: -1}
        if negative and outer and exponent.denominator % 2 == 0:
            return self.ring.product(found, self.ring.root_of({outer: -1}, exponent))
        found = self.ring.product(found, self._monomial(raise_monomial(outer, exponent)))
        if negative:
            return self.ring.product(found, self._root_of_minus_one(exponent))
        return found if rest == {UNIT: 1} else self.ring.product(found, self._root_of_sum(rest, exponent))

    def _monomial(self, monomial: Monomial) -> Polynomial:
        return self.ring.power({monomial: 1}, 1)

    def _root_of_number(self, number: int, exponent: Fraction) -> Polynomial:
        if number == 1:
            return constant(1)
        if number.bit_length() > LARGEST_RADICAND:
            raise TooMuch
        bases, prime = factors(number)
        self.ring.exact &= prime
        return self._monomial(monomial_of((f"{PRIME}{base}", power * exponent) for base, power in bases))

    def _root_of_minus_one(self, exponent: Fraction) -> Polynomial:
        if exponent.denominator % 2:
            return constant(-1 if exponent.numerator % 2 else 1)
        if exponent.denominator == 2:
            return self.ring.power(atom(I_ATOM), exponent.numerator)
        raise TooMuch

    def _root_of_sum(self, rest: Polynomial, exponent: Fraction) -> Polynomial:
        plain = self._denested(rest) if exponent == HALF else None
        if plain is not None:
            return plain
        full = exponent.numerator // exponent.denominator
        part: Exponent = whole(exponent - full)
        found = self.ring.root_of(rest, part)
        return self.ring.product(found, self.ring.power(rest, full)) if full else found

    def _denested(self, rest: Polynomial) -> Polynomial | None:
        r"""``\sqrt{a + b\sqrt{m}}`` as ``\sqrt{x} + \sqrt{y}`` where x and y are whole numbers, else None."""
        if len(rest) != 2 or rest.get(UNIT, 0) <= 0:
            return None
        a = rest[UNIT]
        [(monomial, b)] = [(term, coefficient) for term, coefficient in rest.items() if term]
        if any(name[0] != PRIME or power != HALF for name, power in monomial):
            return None
        square = a * a - b * b * prod(int(name[1:]) for name, _ in monomial)
        d = isqrt(square) if square >= 0 else -1
        if d * d != square or (a + d) % 2 or not self.ring.exact:
            return None
        high, low = (self._root_of_number(number, HALF) for number in ((a + d) // 2, (a - d) // 2))
        return plus(high, low, 1 if b > 0 else -1)

    def _exponential(self, base: Quotient, exponent: Quotient) -> Quotient:
        """A variable above: a product of one atom for each term of the exponent and each factor of the base."""
        self.ring.exact = False
        if len(exponent.below) != 1:
            raise TooMuch
        [(low, divisor)] = exponent.below.items()
        under = monomial_of((name, -power) for name, power in low)
        found = rational(Fraction(1))
        for monomial, coefficient in exponent.above.items():
            term = multiply_monomials(monomial, under)
            for part, power in ((base.above, coefficient), (base.below, -coefficient)):
                found = self.ring.times(found, self._term_power(part, Fraction(power, divisor), term))
        return found

    def _term_power(self, base: Polynomial, power: Fraction, term: Monomial) -> Quotient:
        if term == UNIT:
            return self.raise_to(Quotient(base, constant(1)), power)
        if len(base) != 1 or next(iter(base.values())) < 0:
            return self._power_atom(base, power, term)
        [(monomial, coefficient)] = base.items()
        if coefficient.bit_length() > LARGEST_RADICAND:
            raise TooMuch
        found = rational(Fraction(1))
        for name, exponent in (*monomial, *((f"{PRIME}{prime}", count) for prime, count in factors(coefficient)[0])):
            found = self.ring.times(found, self._atom_power(name, power * exponent, term))
        return found

    def _atom_power(self, name: str, power: Fraction, term: Monomial) -> Quotient:
        r"""``e^{2 \ln 3}`` is 9, ``e^{i\pi/2}`` is ``i``; the rest stays an atom."""
        if name == "e" and len(term) == 1 and term[0][1] == 1 and term[0][0] in self.logarithms:
            return self.raise_to(self.logarithms[term[0][0]], power)
        if name == "e" and term == ((I_ATOM, 1), ("\\pi", 1)):
            return self._unit_root(power)
        return self._power_atom(atom(name), power, term)

    def _unit_root(self, turns: Fraction) -> Quotient:
        from verifiers.math.algebra.angle import cosine_and_sine

        cosine, sine = cosine_and_sine(
            self.ring, Quotient({(("\\pi", 1),): turns.numerator}, constant(turns.denominator))
        )
        return self.ring.sum(cosine, self.ring.times(sine, Quotient(atom(I_ATOM), constant(1))))

    def _power_atom(self, base: Polynomial, power: Fraction, term: Monomial) -> Quotient:
        name = f"{POWER}{key(base)}^{key({term: 1})}"
        self.powers[name] = (base, term)
        one = atom(name, whole(abs(power)))
        return Quotient(one, constant(1)) if power > 0 else Quotient(constant(1), one)
