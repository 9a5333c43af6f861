"""Two expressions at many points to some fifty digits: what decides where no proof is found. In workers only.

Elementary formulas that agree to so many digits at scattered points are the same formula: no pair is known that does
so by chance. Points are taken from hundredths to millions, of both signs, on both sides of each number that the
expressions name, and at small whole numbers, where some have values alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import mpmath

from verifiers.math.algebra.applied import functions
from verifiers.math.algebra.constants import without_added
from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.node import (
    APPLIED,
    CONSTANTS,
    Call,
    I,
    Node,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    count_nodes,
    symbols,
    walk,
)
from verifiers.math.reading.form import Form

DIGITS, MORE_DIGITS = 60, 90
LEAST = 6
"""Points at which both have values, of expressions with variables."""
_AGREE, _AGREE_ALONE = 1e-40, 1e-75
"""Times the value; the latter of numbers, of which there is one point."""
_NOISE = 1e-25
"""Of a value's change from 60 to 90 digits, what may be left of it."""
_MAGNITUDES = ("0.013", "0.37", "0.71", "1.9", "2.7", "5.3", "17.9", "213.7", "8713", "1273519")
_MOST_VALUES = 40_000
"""Of all parts of both at all points; of long expressions fewer points are tried."""
_WHOLE = (1, 2, 3, 4, 7, 10)
_MOST_NUMBERS = 6
_LARGEST_POWER = 10**6
"""Of the logarithm of a power."""
_LARGEST_ANGLE = 10**9
_LARGEST_FACTORIAL = 10**4

_Number = Any  # what a context of mpmath computes with has no types


class _NoValue(ArithmeticError):
    """There is no real value here, or it is beyond the bounds."""


def by_digits(answer: Form, reference: Form) -> Decision | None:
    """Of two expressions in one unit; None where one is none that is read, and where too few points tell."""
    if answer.unit and reference.unit and answer.unit != reference.unit:
        return None
    named = functions(answer.core, reference.core)
    ours, theirs = expression(answer.core, named), expression(reference.core, named)
    if ours is None or theirs is None:
        return None
    rests = without_added(ours, theirs)
    found = agree(*rests, shifted=True) if rests is not None else agree(ours, theirs)
    return None if found is None else Decision(found, "equal_numeric" if found else "unequal_numeric")


def is_within(answer: Form, reference: Form, allowed: Fraction) -> bool:
    """Whether two expressions without variables are numbers no farther apart."""
    ours, theirs = expression(answer.core), expression(reference.core)
    if ours is None or theirs is None or symbols(Sum((ours, theirs))) - (CONSTANTS - {I.name}):
        return False
    few, many = _context(DIGITS), _context(MORE_DIGITS)
    try:
        (our_value, our_noise), (their_value, their_noise) = (_value(node, {}, few, many) for node in (ours, theirs))
    except (ArithmeticError, ValueError):
        return False
    most = many.mpf(allowed.numerator) / allowed.denominator
    return bool(abs(our_value - their_value) + our_noise + their_noise <= most)


def agree(answer: Node, reference: Node, *, shifted: bool = False) -> bool | None:
    """Whether they are equal wherever they were tried, or ``shifted`` by one number everywhere; None where too few
    points tell."""
    used = symbols(answer) | symbols(reference)
    if I.name in used:
        return None
    names = sorted(used - CONSTANTS)
    few, many = _context(DIGITS), _context(MORE_DIGITS)
    found = 0
    shift, shift_noise = (None if shifted else many.mpf(0)), many.mpf(0)
    points = list(_points(names, answer, reference))
    step = 1 + len(points) * (count_nodes(answer) + count_nodes(reference)) // _MOST_VALUES
    for point in points[::step]:
        try:
            ours, our_noise = _value(answer, point, few, many)
            theirs, their_noise = _value(reference, point, few, many)
        except (_NoValue, ArithmeticError, ValueError):
            continue
        if shift is None:
            shift, shift_noise = ours - theirs, our_noise + their_noise
        apart, size = abs(ours - theirs - shift), max(abs(ours), abs(theirs), abs(shift))
        noise = our_noise + their_noise + shift_noise
        if apart <= max((_AGREE if names else _AGREE_ALONE) * size, _NOISE * noise):
            found += 1
        elif apart > noise:
            return False
    return True if found >= (LEAST if names else 1) else None


def _context(digits: int) -> Any:
    context = mpmath.MPContext()  # of its own: the algebra system computes with the common one
    context.dps = digits
    return context


def _points(names: list[str], *nodes: Node) -> Iterator[dict[str, Fraction]]:
    if not names:
        yield {}
        return
    sizes = [Fraction(size) for size in _MAGNITUDES]
    for near in sorted(_numbers(nodes))[:_MOST_NUMBERS]:
        sizes += [near * Fraction(31, 32), near * Fraction(33, 32), near + Fraction(3, 11)]
    for at in range(len(sizes)):
        for signs in range(4 if len(names) > 1 else 2):
            # each variable has another size and, in turn, another sign
            yield {
                name: sizes[(at + 3 * place) % len(sizes)]
                * (1 + Fraction(place, 13))
                * (-1 if signs >> (place % 2) & 1 else 1)
                for place, name in enumerate(names)
            }
    for at in range(len(_WHOLE)):
        yield {name: Fraction(_WHOLE[(at + place) % len(_WHOLE)]) for place, name in enumerate(names)}


def _numbers(nodes: Iterable[Node]) -> set[Fraction]:
    return {abs(one.value) for node in nodes for one in walk(node) if isinstance(one, Number) and one.value}


def _value(node: Node, point: dict[str, Fraction], few: Any, many: Any) -> tuple[_Number, _Number]:
    """And by how much it changes with the digits."""
    first, second = (_evaluate(node, point, context) for context in (few, many))
    if not (few.isfinite(first) and many.isfinite(second)):
        raise _NoValue
    return second, abs(many.mpf(first) - second)


def _evaluate(node: Node, point: dict[str, Fraction], context: Any) -> _Number:
    if isinstance(node, Number):
        return context.mpf(node.value.numerator) / node.value.denominator
    if isinstance(node, Symbol):
        if node.name in CONSTANTS:
            return context.pi * 1 if node.name == "\\pi" else context.e * 1
        return context.mpf(point[node.name].numerator) / point[node.name].denominator
    if isinstance(node, Sum):
        return sum((_evaluate(term, point, context) for term in node.terms), context.mpf(0))
    if isinstance(node, Product):
        found = context.mpf(1)
        for factor in node.factors:
            found *= _evaluate(factor, point, context)
        return found
    if isinstance(node, Power):
        return _power(_evaluate(node.base, point, context), node.exponent, point, context)
    return _call(node, [_evaluate(argument, point, context) for argument in node.arguments], context)


def _power(base: _Number, exponent: Node, point: dict[str, Fraction], context: Any) -> _Number:
    """Real roots alone: an odd root of a negative number is negative, an even one has no value."""
    power = _evaluate(exponent, point, context)
    if base == 0:
        if power <= 0:
            raise _NoValue
        return base
    if abs(power * context.log(abs(base))) > _LARGEST_POWER:
        raise _NoValue
    if base > 0 or context.isint(power):
        return base**power
    if isinstance(exponent, Number) and exponent.value.denominator % 2:
        return (-1) ** exponent.value.numerator * (-base) ** power
    raise _NoValue


def _call(node: Call, arguments: list[_Number], context: Any) -> _Number:
    name, first = node.name, arguments[0]
    if name.startswith(APPLIED):
        seed = sum((place + 1) * ord(letter) for place, letter in enumerate(name)) % 89
        terms = [(place + 2) * argument / 3 for place, argument in enumerate(arguments)]
        return context.mpf("2.5") + context.sin(sum(terms, context.mpf(seed) / 7))
    if name in ("max", "min"):
        return max(arguments) if name == "max" else min(arguments)
    if name == "binomial" and max(map(abs, arguments)) < _LARGEST_FACTORIAL:
        return context.binomial(*arguments)
    if name == "arccot":  # mpmath's has a jump at 0
        return context.pi / 2 - context.atan(first)
    if len(arguments) > 1 or name not in _FUNCTIONS:
        raise _NoValue
    if abs(first) > _LIMITS.get(name, _LARGEST_POWER):
        raise _NoValue
    if name in ("floor", "ceil", "sgn") and context.almosteq(first, context.nint(first)):
        raise _NoValue  # beside a step
    found = getattr(context, _FUNCTIONS[name])(first)
    if isinstance(found, context.mpc):  # outside of what has real values
        raise _NoValue
    return found


_CIRCULAR = ("sin", "cos", "tan", "cot", "sec", "csc")
_NAMES = (
    "sin=sin cos=cos tan=tan cot=cot sec=sec csc=csc sinh=sinh cosh=cosh tanh=tanh coth=coth sech=sech csch=csch "
    "arcsin=asin arccos=acos arctan=atan arcsec=asec arccsc=acsc arsinh=asinh arcosh=acosh artanh=atanh "
    "ln=ln lg=log10 log=log10 abs=fabs floor=floor ceil=ceil sgn=sign factorial=factorial"
)
_FUNCTIONS = dict(pair.split("=") for pair in _NAMES.split())
"""Names in mpmath."""
_LIMITS: dict[str, float] = {
    **dict.fromkeys(_CIRCULAR, _LARGEST_ANGLE),
    **dict.fromkeys(("ln", "lg", "log", "abs", "floor", "ceil", "sgn", "arctan"), float("inf")),
    "factorial": _LARGEST_FACTORIAL,
}
