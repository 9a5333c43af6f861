"""Series by their values: sums without an end at small numbers, or of letters with an index. Runs in workers only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import sympy
from sympy.core.function import AppliedUndef

from verifiers.math.reading.indexed import is_indexed, with_values

DIGITS = 40
"""Of values that are compared."""
AGREE = sympy.Float("1e-25", DIGITS)
"""How far apart values of one number may be, relative to the larger."""
_MORE_DIGITS = 120
"""Of values that agree in :data:`DIGITS`: a sum that ends after dozens of terms does so, too."""
_POINTS = 4
_LAST_LETTER = 12
"""Letters with a higher index are taken as 0; sums of these are written out a little farther."""
_FARTHEST_SHIFT = 8
_PARTIAL = (1_000, 1_501, 2_000, 2_503)
"""Terms of partial sums; far apart from one another in these, two series differ."""
_PLAIN = (
    sympy.Add, sympy.Mul, sympy.Pow, sympy.Number, sympy.NumberSymbol, sympy.sin, sympy.cos, sympy.tan, sympy.asin,
    sympy.acos, sympy.atan, sympy.sinh, sympy.cosh, sympy.tanh, sympy.exp, sympy.log, sympy.Abs, sympy.floor,
    sympy.ceiling, sympy.factorial, sympy.gamma,
)  # fmt: skip
"""What a term may consist of beside its index: it becomes code of Python, in which no name of an answer may stand."""
_SPREADS = 20
"""How many times the spread of partial sums a series may be away from them."""


def is_endless(expression: sympy.Basic) -> bool:
    """Whether a sum in it has no end, and nothing else is left to be worked out."""
    if expression.has(sympy.Integral, sympy.Limit, sympy.Product):
        return False
    return any(_runs_on(one) for one in expression.atoms(sympy.Sum))


def has_values(expression: sympy.Basic) -> bool:
    """Whether the values of an expression with a series can be looked at, if only as partial sums."""
    if not isinstance(expression, sympy.Expr) or any(len(one.limits) > 1 for one in expression.atoms(sympy.Sum)):
        return False
    expression = with_values(expression)
    if is_indexed(expression):
        return all(_depends(one) for one in expression.atoms(sympy.Sum))
    placed = [expression.subs(point, simultaneous=True) for point in _points(sorted(expression.free_symbols, key=str))]
    return all(_exact_value(one) is not None or _partial_values(one) is not None for one in placed)


def is_as_near(given: sympy.Basic, gold: sympy.Basic) -> bool:
    """Whether the reference is known by partial sums alone, and the answer no less nearly: then neither is to blame."""
    both = [with_values(one) for one in (given, gold) if isinstance(one, sympy.Expr)]
    if len(both) < 2 or any(map(is_indexed, both)):
        return False
    for point in _points(sorted(given.free_symbols | gold.free_symbols, key=str)):
        ours, theirs = (one.subs(point, simultaneous=True) for one in both)
        if _exact_value(theirs) is not None:
            return False
        known, other = _partial_values(ours), _partial_values(theirs)
        if known is None or other is None or _spread(known) > max(_spread(other), 1e-9 * abs(other[-1])):
            return False
    return True


def compare_endless(given: sympy.Basic, gold: sympy.Basic) -> bool | None:
    """Whether two expressions, at least one with a series, have the same values; None where these do not tell."""
    both = [one for one in (given, gold) if isinstance(one, sympy.Expr)]
    if len(both) < 2 or any(len(one.limits) > 1 for expression in both for one in expression.atoms(sympy.Sum)):
        return None
    names = sorted(given.free_symbols | gold.free_symbols, key=str)
    both = [with_values(one) for one in both]  # a_0 alone is a letter like any other
    if any(map(is_indexed, both)):
        return _compare_indexed(both, names)
    if is_endless(given) != is_endless(gold) and any(
        _ends_in_sight(one) for one in given.atoms(sympy.Sum) | gold.atoms(sympy.Sum)
    ):
        return False  # however many terms it has, and however near it comes
    found = [_compare_at(both, point) for point in _points(names)]
    if False in found:
        return False
    return None if None in found else True


def _runs_on(one: sympy.Sum) -> bool:
    return any(limit[-1] is sympy.oo for limit in one.limits)


def _ends_in_sight(one: sympy.Sum) -> bool:
    return all(isinstance(end, sympy.Integer) for limit in one.limits for end in limit[1:])


def _points(names: list[sympy.Symbol]) -> Iterator[dict[sympy.Symbol, sympy.Rational]]:
    """Small numbers of both signs, where power series converge."""
    for count in range(1, _POINTS + 1 if names else 2):
        sign = -1 if count % 2 == 0 else 1
        yield {name: sympy.Rational(sign * (3 * place + 4 * count), 41) for place, name in enumerate(names)}


def _compare_indexed(both: list[sympy.Expr], names: list[sympy.Symbol]) -> bool | None:
    """Of letters with an index: where all but the first are 0, the sums have an end."""
    if not all(_depends(one) for expression in both for one in expression.atoms(sympy.Sum)):
        return None
    for point in _points(names):
        near = {name: sympy.Float(value, DIGITS) for name, value in point.items()}
        values = [_written_out(one.subs(near, simultaneous=True)).evalf(DIGITS) for one in both]
        if not all(isinstance(value, (sympy.Float, sympy.Integer)) for value in values):
            return None
        if abs(values[0] - values[1]) > AGREE * max(map(abs, values)):
            return False
    return True


def _depends(one: sympy.Sum) -> bool:
    """Whether each term has a factor that is a letter with the index of the sum, no more than a little shifted."""
    index, first, last = one.limits[0]
    letters = [each for each in one.function.atoms(AppliedUndef) if each.has(index)]
    if not isinstance(first, sympy.Integer) or abs(first) > _LAST_LETTER or last is not sympy.oo or not letters:
        return False
    for letter in letters:
        shift = letter.args[0] - index
        if len(letter.args) > 1 or not isinstance(shift, sympy.Integer) or abs(shift) > _FARTHEST_SHIFT:
            return False
    return bool(one.function.xreplace(dict.fromkeys(letters, sympy.Integer(0))) == 0)


def _written_out(expression: sympy.Expr) -> sympy.Expr:
    last = sympy.Integer(_LAST_LETTER + _FARTHEST_SHIFT)
    ended = {
        one: one.func(one.function, (one.limits[0][0], one.limits[0][1], last)) for one in expression.atoms(sympy.Sum)
    }
    found = expression.xreplace(ended).doit()
    beyond = {
        one: sympy.Integer(0)
        for one in found.atoms(AppliedUndef)
        if isinstance(one.args[0], sympy.Integer) and not 0 <= one.args[0] <= _LAST_LETTER
    }
    return with_values(found.xreplace(beyond))


def _compare_at(both: list[sympy.Expr], point: dict[sympy.Symbol, sympy.Rational]) -> bool | None:
    placed = [one.subs(point, simultaneous=True) for one in both]
    mine, other = (_exact_value(one) for one in placed)
    if (mine is sympy.zoo) != (other is sympy.zoo) and None not in (mine, other):
        return False
    if mine is not None and other is not None and mine is not sympy.zoo:
        if abs(mine - other) > AGREE * max(abs(mine), abs(other)):
            return False
        nearer = [value for one in placed if (value := _exact_value(one, _MORE_DIGITS)) is not None]
        if len(nearer) < len(placed):
            return None
        least = sympy.Float(10, 15) ** (DIGITS - _MORE_DIGITS) * AGREE
        return bool(abs(nearer[0] - nearer[1]) <= least * max(map(abs, nearer)))
    ours, theirs = (_partial_values(one) for one in placed)
    if ours is None or theirs is None:
        return None
    noise = _SPREADS * (_spread(ours) + _spread(theirs)) + 1e-9 * max(abs(ours[-1]), abs(theirs[-1]))
    return False if abs(ours[-1] - theirs[-1]) > noise else None


def _exact_value(expression: sympy.Expr, digits: int = DIGITS) -> sympy.Expr | None:
    """To so many digits, where each series is one whose terms have rational quotients: others take too long.

    Infinity where such a series has no value.
    """
    for one in expression.atoms(sympy.Sum):
        if _runs_on(one) and sympy.hypersimp(one.function, one.limits[0][0]) is None:
            return None
    try:
        value = expression.evalf(digits)
    except ValueError as failure:
        return sympy.zoo if "diverge" in str(failure) else None
    except (ArithmeticError, NotImplementedError):
        return None
    exact = isinstance(value, sympy.Integer) or (isinstance(value, sympy.Float) and value._prec >= 2.5 * digits)
    return value if exact else None


def _spread(values: list[float]) -> float:
    return max(values) - min(values)


def _partial_values(expression: sympy.Expr) -> list[float] | None:
    """The expression with the partial sums of its series; None where a term has no value, or more than numbers."""
    series = [one for one in expression.atoms(sympy.Sum) if _runs_on(one)]
    if any(one.free_symbols or not isinstance(one.limits[0][1], sympy.Integer) for one in series):
        return None
    if not all(map(_is_plain, series)):
        return None
    found: list[float] = []
    try:
        sums = {one: _partial_sums(one) for one in series}
        for place in range(len(_PARTIAL)):
            value = expression.xreplace({one: sympy.Float(sums[one][place]) for one in series}).evalf()
            found.append(float(value))
    except (ArithmeticError, ValueError, TypeError):
        return None
    return found


def _is_plain(one: sympy.Sum) -> bool:
    index = one.limits[0][0]
    return all(node == index or isinstance(node, _PLAIN) for node in sympy.preorder_traversal(one.function))


@lru_cache(maxsize=16)
def _partial_sums(one: sympy.Sum) -> list[float]:
    """Of a series that :func:`_is_plain`. Whoever decides asks for them several times."""
    index, first, _ = one.limits[0]
    place = sympy.Symbol("place")  # an index may be named as code is
    term = sympy.lambdify(place, one.function.xreplace({index: place}), modules="math")
    found, total = [], 0.0
    for count in range(_PARTIAL[-1]):
        total += term(float(int(first) + count))  # whole numbers grow without bounds
        if count + 1 in _PARTIAL:
            found.append(total)
    return found
