"""Sums and products up to a letter: equal where their values are, up to one, two, ... of it. Runs in workers only."""

from __future__ import annotations

import sympy

from verifiers.math.algebra.decision import Decision
from verifiers.math.endless import AGREE, DIGITS, compare_endless, has_values, is_as_near, is_endless
from verifiers.math.guard import TooHeavy
from verifiers.math.reading.indexed import is_indexed, is_long, with_indices, with_values

_MOST_SUMMED = 6
_MOST_BOUNDS = 2


def decide_sums(given: sympy.Basic, gold: sympy.Basic) -> Decision | None:
    """Of two sums whose only signs of equality are those of their indices."""
    given, gold = with_indices(given, gold)
    if has_values_alone(given, gold):
        return decide_by_values(given, gold)
    return compare_values(given, gold) or Decision(False, "unequal_symbolic")


def has_indexed(given: sympy.Basic, gold: sympy.Basic) -> bool:
    """Whether there are letters with an index, of which the algebra system would write out all terms."""
    return is_indexed(given) or is_indexed(gold)


def has_values_alone(given: sympy.Basic, gold: sympy.Basic) -> bool:
    """Whether the algebra system's no says nothing: of letters with an index and of series."""
    return has_indexed(given, gold) or is_endless(given) or is_endless(gold)


def decide_by_values(given: sympy.Basic, gold: sympy.Basic) -> Decision | None:
    """By their values. Where these do not tell: unequal if the letters are not the same, undecided if the reference
    cannot be worked out, or is known no more nearly than the answer. Raises :class:`TooHeavy` if it is the answer that
    cannot.
    """
    if (summed := compare_values(given, gold)) is not None:
        return summed
    if given.as_dummy() == gold.as_dummy():
        return Decision(True, "equal_symbolic")
    if is_indexed(given) != is_indexed(gold) or given.free_symbols != gold.free_symbols:
        return Decision(False, "unequal_symbolic")
    if not _is_worked_out(gold) or is_as_near(given, gold):
        return None
    raise TooHeavy("a sum that cannot be worked out")


def _is_worked_out(one: sympy.Basic) -> bool:
    if is_endless(one):
        return has_values(one)
    return not one.has(sympy.Sum, sympy.Product) or compare_values(one, one) is not None


def compare_values(given: sympy.Basic, gold: sympy.Basic) -> Decision | None:
    """None of anything but two sums or products whose values can be worked out."""
    given, gold = with_indices(given, gold)
    endless = is_endless(given) or is_endless(gold)
    found = compare_endless(given, gold) if endless else _at_whole_numbers(given, gold)
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
