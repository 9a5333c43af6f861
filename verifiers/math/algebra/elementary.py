"""Functions in canonical form: known values and identities; what has none is an atom named by its arguments."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, comb, factorial, floor, gcd, lcm, prod

from verifiers.math.algebra.angle import Pair, cosine_and_sine
from verifiers.math.algebra.canonical import Canonical
from verifiers.math.algebra.polynomial import (
    UNIT,
    Polynomial,
    TooMuch,
    atom,
    common,
    constant,
    content,
    divide_by,
    key,
    leading,
    monomial_of,
    scale_by,
    shift_by,
)
from verifiers.math.algebra.radical import factors
from verifiers.math.algebra.ring import FUNCTION, I_ATOM, PRIME, Quotient, Ring, Undefined, name_of, rational, value

LARGEST_FACTORIAL = 300
LARGEST_CHOICE = 12
"""How many of an unknown number are chosen where that is multiplied out."""

_E = Quotient(atom("e"), constant(1))
_I_PI = Quotient({((I_ATOM, 1), ("\\pi", 1)): 1}, constant(1))
_NUMBERS: dict[str, Callable[..., int | Fraction]] = {
    "floor": floor, "ceil": ceil, "max": max, "min": min, "abs": abs, "sgn": lambda x: (x > 0) - (x < 0),
}  # fmt: skip
_WHOLE_NUMBERS: dict[str, Callable[..., int]] = {"gcd": gcd, "lcm": lcm}
_RATIOS = {"sin": (1, None), "cos": (0, None), "tan": (1, 0), "cot": (0, 1), "sec": (None, 0), "csc": (None, 1)}
_HYPERBOLIC = {
    "sinh": (-1, None),
    "cosh": (1, None),
    "tanh": (-1, 1),
    "coth": (1, -1),
    "sech": (None, 1),
    "csch": (None, -1),
}
_ARCS = {"arcsin": (1, range(-6, 7)), "arccos": (0, range(13)), "arctan": (None, range(-5, 6))}


def call(canonical: Canonical, name: str, arguments: list[Quotient]) -> Quotient:
    ring = canonical.ring
    known = _of_numbers(name, arguments)
    if known is not None:
        return rational(Fraction(known))
    if name == "ln":
        return logarithm(canonical, arguments[0])
    if name in ("log", "lg"):
        return _ratio(ring, logarithm(canonical, arguments[0]), logarithm(canonical, rational(Fraction(10))))
    if name == "binomial" and (below := value(arguments[1])) is not None and below in range(LARGEST_CHOICE + 1):
        return _chosen(ring, arguments[0], int(below))
    if name == "binomial":
        return _of_factorials(ring, *arguments)
    if name in _RATIOS:
        return _trigonometric(ring, name, cosine_and_sine(ring, arguments[0]))
    if name in _HYPERBOLIC:
        return _hyperbolic(canonical, name, arguments[0])
    if name in _ARCS and (arc := _arc(ring, name, arguments[0])) is not None:
        return arc
    return _opaque(ring, name, arguments)


def _of_numbers(name: str, arguments: list[Quotient]) -> int | Fraction | None:
    numbers = [value(argument) for argument in arguments]
    if None in numbers:
        return None
    if name in _NUMBERS:
        return _NUMBERS[name](*numbers)
    if any(number is None or number.denominator != 1 for number in numbers):
        return None
    integers = [int(number or 0) for number in numbers]
    if name in _WHOLE_NUMBERS:
        return _WHOLE_NUMBERS[name](*integers)
    if min(integers) < 0:
        return None
    if name == "factorial":
        if integers[0] > LARGEST_FACTORIAL:
            raise TooMuch
        return factorial(integers[0])
    if name == "double_factorial":
        if integers[0] > LARGEST_FACTORIAL:
            raise TooMuch
        return prod(range(integers[0], 1, -2))
    if name == "binomial":
        if integers[0] > LARGEST_FACTORIAL:
            raise TooMuch
        return comb(*integers)
    return None


def _of_factorials(ring: Ring, above: Quotient, below: Quotient) -> Quotient:
    rest = ring.sum(above, ring.times(rational(Fraction(-1)), below))
    whole, one, other = (_opaque(ring, "factorial", [argument]) for argument in (above, below, rest))
    return _ratio(ring, whole, ring.times(one, other))


def _chosen(ring: Ring, above: Quotient, below: int) -> Quotient:
    """``n (n-1) ... (n-k+1) / k!``"""
    found = rational(Fraction(1, factorial(below)))
    for place in range(below):
        found = ring.times(found, ring.sum(above, rational(Fraction(-place))))
    return found


def _ratio(ring: Ring, above: Quotient, below: Quotient) -> Quotient:
    return ring.times(above, ring.inverse(below))


def _trigonometric(ring: Ring, name: str, pair: Pair) -> Quotient:
    above, below = _RATIOS[name]
    one = rational(Fraction(1))
    return _ratio(ring, one if above is None else pair[above], one if below is None else pair[below])


def _hyperbolic(canonical: Canonical, name: str, argument: Quotient) -> Quotient:
    ring = canonical.ring
    above, below = _HYPERBOLIC[name]
    grown = canonical.power(_E, argument)
    shrunk = ring.inverse(grown)

    def half(sign: int | None) -> Quotient:
        if sign is None:
            return rational(Fraction(1))
        total = ring.sum(grown, Quotient(scale_by(shrunk.above, sign), shrunk.below))
        return ring.times(total, rational(Fraction(1, 2)))

    return _ratio(ring, half(above), half(below))


def logarithm(canonical: Canonical, argument: Quotient) -> Quotient:
    if not argument.above:
        raise Undefined
    above = _logarithm(canonical, argument.above)
    below = _logarithm(canonical, argument.below)
    return canonical.ring.sum(above, Quotient(scale_by(below.above, -1), below.below))


def _logarithm(canonical: Canonical, one: Polynomial) -> Quotient:
    """Of each prime and each atom apart; a sum that remains is an atom."""
    ring = canonical.ring
    outer, factor = common(one), content(one)
    if factor.bit_length() > 200:
        raise TooMuch
    rest = shift_by(divide_by(one, factor), monomial_of((name, -power) for name, power in outer))
    found = _I_PI if rest == {UNIT: -1} else rational(Fraction(0))
    if len(rest) > 1:
        found = _atom(canonical, rest)
    bases = [(f"{PRIME}{prime}", power) for prime, power in factors(factor)[0]]
    for name, power in (*outer, *bases):
        found = ring.sum(found, ring.times(rational(Fraction(power)), _logarithm_of_atom(canonical, name)))
    return found


def _logarithm_of_atom(canonical: Canonical, name: str) -> Quotient:
    if name == "e":
        return rational(Fraction(1))
    if name == I_ATOM:
        return canonical.ring.times(_I_PI, rational(Fraction(1, 2)))
    if name in canonical.powers:
        base, term = canonical.powers[name]
        negative = monomial_of((part, -power) for part, power in term if power < 0)
        positive = monomial_of((part, power) for part, power in term if power > 0)
        return canonical.ring.times(Quotient({positive: 1}, {negative: 1}), _logarithm(canonical, base))
    return _atom(canonical, {((name, 1),): 1} if name[0] != PRIME else constant(int(name[1:])))


def _atom(canonical: Canonical, inside: Polynomial) -> Quotient:
    canonical.ring.exact = False
    name = f"{FUNCTION}ln({key(inside)})"
    canonical.logarithms[name] = Quotient(inside, constant(1))
    return Quotient(atom(name), constant(1))


def _arc(ring: Ring, name: str, argument: Quotient) -> Quotient | None:
    """The multiple of pi/12 whose sine, cosine or tangent the argument is."""
    side, turns = _ARCS[name]
    if any(not atom_name.startswith(PRIME) for monomial in argument.above for atom_name, _ in monomial):
        return None
    for count in turns:
        angle = Quotient({(("\\pi", 1),): count} if count else {}, constant(12))
        pair = cosine_and_sine(ring, angle)
        candidate = _ratio(ring, pair[1], pair[0]) if side is None else pair[side]
        if not ring.difference(candidate, argument):
            return angle
    return None


_ODD = frozenset(("arcsin", "arctan", "arsinh", "artanh", "sgn"))


def _opaque(ring: Ring, name: str, arguments: list[Quotient]) -> Quotient:
    ring.exact = False
    sign = 1
    if name in _ODD or name == "abs":
        argument = arguments[0]
        if argument.above and argument.above[leading(argument.above)] * argument.below[leading(argument.below)] < 0:
            arguments = [Quotient(scale_by(argument.above, -1), argument.below)]
            sign = -1 if name in _ODD else 1
        if name == "abs" and len(arguments[0].above) == len(arguments[0].below) == 1:
            return arguments[0]
    names = ",".join(name_of(argument) for argument in arguments)
    return Quotient(scale_by(atom(f"{FUNCTION}{name}({names})"), sign), constant(1))
