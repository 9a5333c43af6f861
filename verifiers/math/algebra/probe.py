"""Numeric evaluation at fixed points, each value with a bound on its rounding error: for refutation, never for proof.

Real numbers where no ``i`` occurs (an odd root of a negative number is negative, an even one has no value), else
complex ones on the principal branches. The same expression gives the same values on every machine run.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from verifiers.math.algebra.node import APPLIED, CONSTANTS, Call, Node, Number, Power, Product, Sum, Symbol, symbols

EPSILON = 2.3e-16
SAFETY = 8.0
LARGEST_EXACT = 2**53
Scalar = float | complex
Value = tuple[Scalar, float]
"""A value and a bound on its absolute error."""

_CONSTANTS: dict[str, Scalar] = {"\\pi": math.pi, "e": math.e, "i": 1j}
_MAGNITUDES = ((0.2, 0.9), (1.1, 2.9), (4.0, 20.0))
_MEANINGLESS = 1e-3
"""A bound on the error, of the value or of 1, from which on no digit of it is told: ``tan(pi/2)``, ``cos(10^50)``."""
_VARIED = 3
"""The signs of so many variables are tried in all combinations; the rest follow in turn."""


class NoValue(ArithmeticError):
    """There is no value here, or none with any digit that means something."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Where two expressions differ, and their values there."""

    at: dict[str, float]
    answer: str
    reference: str


def points(names: list[str]) -> list[dict[str, float]]:
    """Fixed scattered points: three positive ones, then each pattern of signs. One empty point without names."""
    if not names:
        return [{}]
    varied = min(len(names), _VARIED)
    others = {1: 3, 2: 2}.get(varied, 1)
    return [
        _point(names, varied, pattern, turn)
        for pattern in range(2**varied)
        for turn in range(others if pattern else len(_MAGNITUDES))
    ]


def _point(names: list[str], varied: int, pattern: int, turn: int) -> dict[str, float]:
    low, high = _MAGNITUDES[(turn + pattern) % len(_MAGNITUDES)]
    return {
        name: (-1 if pattern >> (place % varied) & 1 else 1) * (low + (high - low) * _scattered(place, pattern, low))
        for place, name in enumerate(names)
    }


def _scattered(place: int, turn: int, low: float) -> float:
    """In [0, 1): the multiples of the golden ratio, as even as they are irregular."""
    return ((place + 1) * 0.6180339887498949 + turn * 0.31 + low * 0.17) % 1.0


def differ(answer: Node, reference: Node, where: list[dict[str, float]]) -> Witness | None:
    """The first point at which both have a value and the values are certainly different."""
    kind: type[Scalar] = complex if "i" in symbols(answer) | symbols(reference) else float
    for point in where:
        try:
            (ours, our_error), (theirs, their_error) = evaluate(answer, point, kind), evaluate(reference, point, kind)
        except (NoValue, OverflowError, ZeroDivisionError, ValueError):
            continue
        if abs(ours - theirs) > SAFETY * (our_error + their_error):
            return Witness({name: round(at, 6) for name, at in point.items()}, _shown(ours), _shown(theirs))
    return None


def lacks_values(answer: Node, reference: Node) -> bool:
    """Whether the reference has values at the fixed points, and the answer has none at any of these."""
    names = symbols(answer) | symbols(reference)
    kind: type[Scalar] = complex if "i" in names else float
    asked = [point for point in points(sorted(names - CONSTANTS)) if _has_value(reference, point, kind)]
    return bool(asked) and not any(_has_value(answer, point, kind) for point in asked)


def has_value(node: Node) -> bool:
    """Whether it has a value at one of the fixed points."""
    names = symbols(node)
    kind: type[Scalar] = complex if "i" in names else float
    return any(_has_value(node, point, kind) for point in points(sorted(names - CONSTANTS)))


def _has_value(node: Node, point: dict[str, float], kind: type[Scalar]) -> bool:
    try:
        value, error = evaluate(node, point, kind)
    except (NoValue, OverflowError, ZeroDivisionError, ValueError):
        return False
    return error < _MEANINGLESS * max(1.0, abs(value))


def number(node: Node) -> Value | None:
    """The value of an expression without variables, else None."""
    names = symbols(node)
    if names - CONSTANTS:
        return None
    try:
        return evaluate(node, {}, complex if "i" in names else float)
    except (NoValue, OverflowError, ZeroDivisionError, ValueError):
        return None


def _shown(value: Scalar) -> str:
    return f"{value:.10g}"


def evaluate(node: Node, point: dict[str, float], kind: type[Scalar] = float) -> Value:
    """Raises NoValue, or what the arithmetic of floats raises."""
    if isinstance(node, Number):
        value = node.value.numerator / node.value.denominator
        exact = node.value.denominator == 1 and abs(value) < LARGEST_EXACT
        return value, 0.0 if exact else abs(value) * EPSILON
    if isinstance(node, Symbol):
        known = _CONSTANTS.get(node.name)
        return (known, abs(known) * EPSILON) if known is not None else (point[node.name], 0.0)
    if isinstance(node, Sum):
        return _sum([evaluate(term, point, kind) for term in node.terms])
    if isinstance(node, Product):
        return _product([evaluate(factor, point, kind) for factor in node.factors])
    if isinstance(node, Power):
        return _power(evaluate(node.base, point, kind), evaluate(node.exponent, point, kind), node.exponent, kind)
    return _call(node, [evaluate(argument, point, kind) for argument in node.arguments], kind)


def _finite(value: Scalar, error: float) -> Value:
    if not (cmath.isfinite(value) and math.isfinite(error)):
        raise NoValue
    return value, error


def _sum(terms: list[Value]) -> Value:
    total: Scalar = 0.0
    error = 0.0
    for value, apart in terms:
        total += value
        error += apart + abs(total) * EPSILON
    return _finite(total, error)


def _product(factors: list[Value]) -> Value:
    total, error = factors[0]
    for value, apart in factors[1:]:
        error = abs(total) * apart + abs(value) * error + error * apart
        total *= value
        error += abs(total) * EPSILON
    return _finite(total, error)


def _power(base: Value, exponent: Value, written: Node, kind: type[Scalar]) -> Value:
    value, error = base
    size = abs(value)
    if size <= 2 * error:
        return _power_of_zero(error, exponent, exact=size == 0 == error)
    power, apart = exponent
    sign = 1
    if kind is float and value.real < 0:  # an int or float has .real
        sign = _sign(written)
    raised = sign * size**power if kind is float else value**power
    relative = abs(power) * error / (size - error) + (abs(cmath.log(value)) + 1) * apart + 4 * EPSILON
    relative += EPSILON * abs(power * math.log(size))
    return _finite(raised, abs(raised) * relative)


def _sign(exponent: Node) -> int:
    """Of a power of a negative number. Raises NoValue where it is no real number."""
    if isinstance(exponent, Number) and exponent.value.denominator % 2:
        return -1 if exponent.value.numerator % 2 else 1
    raise NoValue


def _power_of_zero(error: float, exponent: Value, *, exact: bool) -> Value:
    power = exponent[0].real
    if power <= 0 or (isinstance(exponent[0], complex) and exponent[0].imag):
        raise NoValue
    return 0.0, 0.0 if exact else float((3 * error) ** min(power, 1.0))


_FUNCTIONS: dict[
    str, tuple[Callable[[float], float], Callable[[complex], complex] | None, Callable[[Scalar], float]]
] = {
    # the function of a real and of a complex number, and a bound on its slope
    "sin": (math.sin, cmath.sin, lambda x: 1.0 + abs(x.imag) * 9),
    "cos": (math.cos, cmath.cos, lambda x: 1.0 + abs(x.imag) * 9),
    "tan": (math.tan, cmath.tan, lambda x: 1.0 + abs(cmath.tan(x)) ** 2),
    "ln": (math.log, cmath.log, lambda x: 1.0 / abs(x)),
    "lg": (math.log10, cmath.log10, lambda x: 0.44 / abs(x)),
    "log": (math.log10, cmath.log10, lambda x: 0.44 / abs(x)),
    "arcsin": (math.asin, cmath.asin, lambda x: abs(1 - x * x) ** -0.5),
    "arccos": (math.acos, cmath.acos, lambda x: abs(1 - x * x) ** -0.5),
    "arctan": (math.atan, cmath.atan, lambda x: 1.0 / abs(1 + x * x)),
    "sinh": (math.sinh, cmath.sinh, lambda x: abs(cmath.cosh(x))),
    "cosh": (math.cosh, cmath.cosh, lambda x: abs(cmath.sinh(x)) + 1.0),
    "tanh": (math.tanh, cmath.tanh, lambda _: 1.0),
    "arsinh": (math.asinh, cmath.asinh, lambda x: abs(1 + x * x) ** -0.5),
    "arcosh": (math.acosh, cmath.acosh, lambda x: abs(x * x - 1) ** -0.5),
    "artanh": (math.atanh, cmath.atanh, lambda x: 1.0 / abs(1 - x * x)),
    "abs": (abs, None, lambda _: 1.0),
}
_RECIPROCAL = {"cot": "tan", "sec": "cos", "csc": "sin", "coth": "tanh", "sech": "cosh", "csch": "sinh"}
_ARC_OF_RECIPROCAL = {"arcsec": "arccos", "arccsc": "arcsin"}


def _call(node: Call, arguments: list[Value], kind: type[Scalar]) -> Value:
    name = node.name
    if name in _FUNCTIONS:
        return _function(name, arguments[0], kind)
    if name.startswith(APPLIED):
        return _applied(name, arguments, kind)
    if name in _RECIPROCAL:
        return _inverse(_function(_RECIPROCAL[name], arguments[0], kind))
    if name in _ARC_OF_RECIPROCAL:
        return _function(_ARC_OF_RECIPROCAL[name], _inverse(arguments[0]), kind)
    if name == "arccot":
        arc = _function("arctan", arguments[0], kind)
        return _sum([(math.pi / 2, EPSILON), (-arc[0], arc[1])])
    if any(value.imag for value, _ in arguments):
        raise NoValue
    return _of_reals(name, [(float(value.real), error) for value, error in arguments])


def _applied(name: str, arguments: list[Value], kind: type[Scalar]) -> Value:
    """Of a function that nobody knows: of all its arguments, another for each name, and nowhere 0."""
    seed = sum((place + 1) * ord(letter) for place, letter in enumerate(name)) % 89 / 7
    parts = [((0.9 + 0.7 * place) * value, 2 * error) for place, (value, error) in enumerate(arguments)]
    wave = _function("sin", _sum([(seed, 0.0), *parts]), kind)
    return _sum([(2.5, 0.0), wave])


def _inverse(value: Value) -> Value:
    return _power(value, (-1.0, 0.0), _MINUS_ONE, complex if isinstance(value[0], complex) else float)


_MINUS_ONE = Number(Fraction(-1))


def _function(name: str, argument: Value, kind: type[Scalar]) -> Value:
    value, error = argument
    real, complex_function, slope = _FUNCTIONS[name]
    found: Scalar
    if isinstance(value, complex) or kind is complex:
        found = complex_function(complex(value)) if complex_function else abs(value)
    else:
        found = real(value)
    bound = slope(value) * (error + abs(value) * EPSILON) * 1.5 + abs(found) * 2 * EPSILON
    return _finite(found, bound)


_LARGEST_CHOICE = 1_000


def _of_reals(name: str, arguments: list[tuple[float, float]]) -> Value:
    values = [value for value, _ in arguments]
    error = max(error for _, error in arguments)
    if name in ("max", "min"):
        return (max if name == "max" else min)(values), error
    if name in ("floor", "ceil", "sgn"):
        return _step(name, values[0], error), 0.0
    if name == "double_factorial":
        return _double_factorial(values[0], error), 0.0
    if name == "binomial" and (error or any(value != int(value) for value in values)):
        return _choice(values[0], values[1], error)
    if name == "factorial":
        return _factorial(values[0], error)
    if all(value == int(value) for value in values) and error == 0:
        known = {"gcd": math.gcd, "lcm": math.lcm, "binomial": math.comb}.get(name)
        if known is not None and (name != "binomial" or max(values) <= _LARGEST_CHOICE):
            found = float(known(*map(int, values)))
            return found, 2 * EPSILON * found
    raise NoValue


def _step(name: str, value: float, error: float) -> float:
    """Raises NoValue beside a step, where rounding may fall on either side."""
    if name == "sgn":
        if abs(value) <= SAFETY * error:
            raise NoValue
        return math.copysign(1.0, value)
    if error and abs(value - round(value)) <= SAFETY * error:
        raise NoValue
    return float(math.floor(value) if name == "floor" else math.ceil(value))


def _factorial(value: float, error: float) -> Value:
    if value < 0 or value > 150:
        raise NoValue
    found = math.gamma(value + 1)
    return found, found * ((math.log(value + 2) + 1) * error + 20 * EPSILON)


def _double_factorial(value: float, error: float) -> float:
    if error or value != int(value) or not 0 <= value <= 40:
        raise NoValue
    return float(math.prod(range(int(value), 1, -2)))


def _choice(above: float, below: float, error: float) -> Value:
    """Between whole numbers, by the gamma function; of a whole number below also with a negative one above."""
    if below == int(below) and 0 <= below <= _LONGEST_PRODUCT:
        found = math.prod(above - place for place in range(int(below))) / math.factorial(int(below))
        slope = sum(abs(found / (above - place)) for place in range(int(below)) if abs(above - place) > _CLOSE)
    elif below > 0 and above - below > 0 and above < _LARGEST_GAMMA:
        found = math.gamma(above + 1) / math.gamma(below + 1) / math.gamma(above - below + 1)
        slope = abs(found) * 3 * (math.log(above + 2) + 1)
    else:
        raise NoValue
    return found, abs(found) * 60 * EPSILON + 4 * slope * error


_LONGEST_PRODUCT = 40
_LARGEST_GAMMA = 150.0
_CLOSE = 1e-6
