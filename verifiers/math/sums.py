"""Sums and products up to a letter: equal where their values are, up to one, two, ... of it. Runs in workers only."""

from __future__ import annotations

import sympy

from verifiers.math.algebra.decision import Decision
from verifiers.math.guard import TooHeavy
from verifiers.math.reading.indexed import is_indexed, is_long, with_indices, with_values

DIGITS = 40
"""Of values that are compared."""
AGREE = sympy.Float("1e-25", DIGITS)
"""How far apart values of one number may be, relative to the larger."""
_MOST_SUMMED = 6
_MOST_BOUNDS = 2


def decide_sums(given: sympy.Basic, gold: sympy.Basic) -> Decision | None:
    """Of two sums whose only signs of equality are those of their indices."""
    given, gold = with_indices(given, gold)
    if has_indexed(given, gold):
        return decide_indexed(given, gold)
    return compare_values(given, gold) or Decision(False, "unequal_symbolic")


def has_indexed(given: sympy.Basic, gold: sympy.Basic) -> bool:
    """Whether letters with an index are summed up to an end."""
    return (is_indexed(given) or is_indexed(gold)) and not (given.has(sympy.oo) or gold.has(sympy.oo))


def decide_indexed(given: sympy.Basic, gold: sympy.Basic) -> Decision | None:
    """By their values. Where these do not tell: unequal if the letters are not the same, undecided if the reference
    cannot be worked out beside itself. Raises :class:`TooHeavy` if it can: then it is the answer that cannot.

    Nothing is left to the algebra system, which would write out all terms.
    """
    if (summed := compare_values(given, gold)) is not None:
        return summed
    if given == gold:
        return Decision(True, "equal_symbolic")
    if is_indexed(given) != is_indexed(gold) or given.free_symbols != gold.free_symbols:
        return Decision(False, "unequal_symbolic")
    if compare_values(gold, gold) is None:
        return None
    raise TooHeavy("a sum that cannot be worked out")


def compare_values(given: sympy.Basic, gold: sympy.Basic) -> Decision | None:
    """None of anything but two finite sums or products whose values can be worked out."""
    found = _at_whole_numbers(*with_indices(given, gold))
    return None if found is None else Decision(found, "equal_numeric" if found else "unequal_numeric")


def _at_whole_numbers(given: sympy.Basic, gold: sympy.Basic) -> bool | None:
    """Of sums and products up to a letter: by their values up to one, two, ... of it. None of anything else."""
    both = [one for one in (given, gold) if isinstance(one, sympy.Expr)]
    worked = [node for one in both for node in one.atoms(sympy.Sum, sympy.Product)]
    bounds = {symbol for node in worked for limit in node.limits for end in limit[1:] for symbol in end.free_symbols}
    free = sorted(set().union(*(one.free_symbols for one in both)), key=str)
    # of letters with an index a sum may end at a number
    least = 0 if any(map(is_indexed, both)) else 1
    ends = sorted(bounds, key=str)
    if (
        len(both) < 2
        or not _MOST_BOUNDS >= len(bounds) >= least
        or any(one.has(sympy.oo, sympy.Integral, sympy.Limit) for one in both)
    ):
        return None
    for count in range(1, _MOST_SUMMED + 1):
        point = {
            symbol: sympy.Integer(1 + (count - 1 + 2 * ends.index(symbol)) % _MOST_SUMMED)
            if symbol in bounds
            else sympy.Rational(3 * place + 2 * count, 7)
            for place, symbol in enumerate(free, 1)
        }
        placed = [one.subs(point, simultaneous=True) for one in both]  # an index may have the name of an end
        if any(map(is_indexed, placed)) and any(map(is_long, placed)):
            return None
        values = [with_values(one.doit()).evalf(DIGITS) for one in placed]
        if not all(isinstance(value, (sympy.Float, sympy.Integer)) for value in values):
            return None
        if abs(values[0] - values[1]) > AGREE * max(map(abs, values)):
            return False
    return True
