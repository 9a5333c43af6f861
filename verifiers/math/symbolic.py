"""Symbolic comparison with math-verify: runs in killable workers only, its own timeouts switched off.

Before math-verify is asked, what it is known to get wrong is decided here: numbers that differ by more than
their precision (it rounds at six decimals), equations against numbers, values that are not defined.

Importing this module imports SymPy (about half a second).
"""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from math import log2

import sympy
from latex2sympy2_extended.latex2sympy2 import NormalizationConfig, normalize_latex
from math_verify.grader import verify
from math_verify.parser import parse_latex_cached
from sympy.core.relational import Relational

from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.identity import FREE_CONSTANTS
from verifiers.math.compare import Tolerance
from verifiers.math.decide import decide
from verifiers.math.endless import AGREE, DIGITS
from verifiers.math.guard import TooHeavy, danger
from verifiers.math.precise import by_digits
from verifiers.math.reading.form import Form, equates, form
from verifiers.math.reading.indexed import with_indices
from verifiers.math.reading.latex import latex
from verifiers.math.reading.tight import tight
from verifiers.math.single import is_probed, single
from verifiers.math.solutions.relation import pieces
from verifiers.math.sums import compare_values, decide_by_values, decide_sums, has_indexed, has_values_alone

# math-verify warns that its own time limit is off: ours is the worker's
logging.getLogger("math_verify").setLevel(logging.ERROR)

_NORMAL = NormalizationConfig(
    basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="none", equations=False
)
_MOST_BITS = 20_000.0
_MOST_NODES = 3_000
_MOST_OF_ROOTS = 40


# the parser passes over dots, primes of what is no name, and a number's index, and says nothing
_DROPPED = re.compile(
    r"\\(?:[lcvd]?dots|hdots|dotsb|dotsc)(?![A-Za-z])|\.\.|…|(?<=[\d)}\]])\s?'(?!\d{3})|(?<![\w}])\d+_"
)


_MODULO = re.compile(r"\\[pb]?mod(?![A-Za-z])")

_UNWORKED = (sympy.Sum, sympy.Product, sympy.Integral, sympy.Limit)


class Unparsable(ValueError):
    """The text is no mathematics that the parser reads."""


@lru_cache(maxsize=1024)
def parse_expression(text: str) -> sympy.Basic:
    """The expression of a plain text. Raises :class:`Unparsable` or :class:`TooHeavy`."""
    found = danger(text)
    if found is not None:
        raise TooHeavy(found)
    if _DROPPED.search(text):
        raise Unparsable(f"{text[:80]!r} leaves something out")
    try:
        expression = _with_imaginary_unit(parse_latex_cached(normalize_latex(latex(text), config=_NORMAL)))
    except (MemoryError, RecursionError):
        raise
    except Exception as failure:  # the parser's own error types are many and undeclared
        raise Unparsable(f"the algebra system does not read {text[:80]!r}") from failure
    if isinstance(expression, sympy.Basic):
        _weigh(expression)
        if expression.has(sympy.zoo, sympy.nan):
            raise Unparsable(f"{text[:80]!r} has no value")
    return expression


def _with_imaginary_unit(expression: sympy.Basic) -> sympy.Basic:
    """The parser knows no imaginary unit: its ``i`` is a symbol, beside which none is real, and may be an index."""
    symbols = [symbol for symbol in expression.atoms(sympy.Symbol) if symbol.is_real is False]
    known = {symbol: sympy.Symbol(symbol.name, real=True) for symbol in symbols}
    known |= {symbol: sympy.I for symbol in expression.free_symbols if symbol.name == "i"}
    return expression.xreplace(known) if known else expression


def symbolic(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    """A leaf of the comparison: exact means first, then numbers, then proof.

    None: neither proved equal nor refuted. Raises what :func:`parse_expression` raises for the answer; the
    reference was parsed before.
    """
    exact = single(answer, reference, tolerance)
    if exact is not None:
        return exact
    if answer.unit and reference.unit and answer.unit != reference.unit:
        return Decision(False, "unequal_unit")
    if "=" in answer.core and "=" in reference.core:
        if equates(answer.core) or equates(reference.core):
            return _sides_of_both(answer, reference, tolerance)
        ours, theirs = parse_expression(answer.core), parse_expression(reference.core)
        other = _diverges(ours) and not _diverges(theirs)
        return Decision(False, "unequal_symbolic") if other else decide_sums(ours, theirs)
    keep_names = answer.variable != reference.variable and (
        (answer.variable and "=" in reference.text) or (reference.variable and "=" in answer.text)
    )
    gold = parse_expression(reference.text if keep_names else reference.core)
    given = parse_expression(answer.text if keep_names else answer.core)
    # the parser takes the modulus of x + 1 \bmod 2 for that of 1 alone
    if given.free_symbols and _MODULO.search(answer.core) and not _MODULO.search(reference.core):
        return Decision(False, "unequal_symbolic")
    if isinstance(given, sympy.Eq) and not isinstance(gold, (Relational, sympy.logic.boolalg.Boolean)):
        sides = _sides(given)
        if sides is None:
            return Decision(False, "unequal_symbolic")
        infinite = bool(sides[0].is_infinite) != bool(sides[1].is_infinite)
        if not sides[0].free_symbols and (infinite or _agree(*sides, Tolerance()) is False):
            return Decision(False, "false_equation")
        given = sides[1]
    if _diverges(given) and not (_diverges(gold) or _is_infinite(gold)):
        return Decision(False, "unequal_symbolic")
    if tolerance.constant and isinstance(gold, sympy.Expr) and gold.free_symbols:
        return _parallel(given, gold)
    found = _expressions(given, gold, tolerance)
    # what was read before and refuted nowhere is undecided: this algebra system's no is no proof
    if found is None or (found.code == "unequal_symbolic" and is_probed(answer, reference)):
        return by_digits(answer, reference)
    return found


def _sides_of_both(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    """Of two equations or chains: every side of the answer's is one of the reference's, and as many."""
    ours, theirs = (pieces(one.core) for one in (answer, reference))
    if ours[1::2] != theirs[1::2]:
        return Decision(False, "unequal_symbolic")
    left = theirs[::2]
    undecided = False
    for side in ours[::2]:
        found = [_side(side, other, tolerance) for other in left]
        if True in found:
            del left[found.index(True)]
        elif None in found:
            undecided = True
        else:
            return Decision(False, "unequal_symbolic")
    return None if undecided else Decision(True, "equal_symbolic")


def _side(one: str, other: str, tolerance: Tolerance) -> bool | None:
    if tight(one) == tight(other):
        return True
    try:
        found = decide(form(one), form(other), lambda ours, theirs: symbolic(ours, theirs, tolerance))
    except Unparsable:
        return False  # other than the reference's, and of no value
    return None if found is None else found.equal


def _diverges(one: sympy.Basic) -> bool:
    """Whether one and the same number is added up or multiplied for ever. Its digits are looked for in vain."""
    endless = [each for each in one.atoms(sympy.Sum, sympy.Product) if each.limits[0][-1].is_infinite]
    return any(not each.function.has(each.limits[0][0]) and each.function not in (0, 1) for each in endless)


def _parallel(given: sympy.Basic, gold: sympy.Basic) -> Decision | None:
    """Whether two functions differ by a constant: each derivative of their difference vanishes.

    None where no proof is found and no derivative is surely another number than 0 anywhere. Raises :class:`TooHeavy`
    where it is the answer that cannot be worked out.
    """
    if not gold.has(*_UNWORKED) and gold.doit().has(sympy.nan, sympy.zoo):
        return None  # what has no value judges nothing
    if not isinstance(given, sympy.Expr):
        return Decision(False, "unequal_symbolic")
    gap = given - gold
    gap = gap.xreplace({symbol: sympy.Integer(0) for symbol in gap.free_symbols if str(symbol) in FREE_CONSTANTS})
    slopes = [sympy.diff(gap, symbol) for symbol in sorted(gap.free_symbols, key=str)]
    infinite = not gap.has(*_UNWORKED) and _is_infinite(gap)
    if infinite or any(one.has(sympy.nan, sympy.zoo) for one in (gap, *slopes)):
        return Decision(False, "unequal_symbolic")
    if any(_is_somewhere(slope) for slope in slopes):
        return Decision(False, "unequal_numeric")
    if all(sympy.simplify(slope) == 0 for slope in slopes):
        return Decision(True, "equal_up_to_constant")
    if given.has(*_UNWORKED) and not gold.has(*_UNWORKED):
        raise TooHeavy("an operation that cannot be worked out")
    return None


def _is_somewhere(slope: sympy.Expr) -> bool:
    """Whether an expression is surely another number than 0 at one of some points."""
    free = sorted(slope.free_symbols, key=str)
    for k in (1, 4, 9):
        value = _number(slope.subs({symbol: sympy.Rational(k + 2 * n, 7) for n, symbol in enumerate(free, 1)}))
        if value is not None and abs(value) > sympy.Float("1e-20", DIGITS):
            return True
    return False


def _sides(equation: sympy.Eq) -> tuple[sympy.Basic, sympy.Basic] | None:
    """Of ``x = 5``, an equation between numbers, or an identity; None where it is a relation of variables."""
    left, right = equation.args
    named = isinstance(left, (sympy.Symbol, sympy.core.function.AppliedUndef))
    if named or not equation.free_symbols:
        return left, right
    identity = isinstance(left, sympy.Expr) and isinstance(right, sympy.Expr) and sympy.simplify(left - right) == 0
    return (left, right) if identity else None


def _expressions(given: sympy.Basic, gold: sympy.Basic, tolerance: Tolerance) -> Decision | None:
    given, gold = with_indices(given, gold)
    if has_indexed(given, gold):
        return decide_by_values(given, gold)
    if not (given.has(*_UNWORKED) or gold.has(*_UNWORKED)) and _is_infinite(given) != _is_infinite(gold):
        return Decision(False, "unequal_symbolic")
    if _varies_alone(given, gold) or _varies_alone(gold, given) or {_kind(given), _kind(gold)} == {"points", "span"}:
        return Decision(False, "unequal_symbolic")
    if _other_kind(given, gold) or _other_kind(gold, given):
        return Decision(False, "unequal_symbolic")
    near = _agree(given, gold, tolerance)
    if near is False:
        return Decision(False, "unequal_numeric")
    if verify(
        gold,
        given,
        float_rounding=15,
        numeric_precision=30,
        allow_set_relation_comp=True,
        timeout_seconds=None,
        raise_on_error=True,
    ):
        return Decision(True, "equal_symbolic")
    if (summed := compare_values(given, gold)) is not None:
        return summed
    if near and (tolerance.relative or tolerance.absolute):
        return Decision(True, "within_tolerance")
    if near and _vanishes(_with_real_roots(given) - _with_real_roots(gold)):
        return Decision(True, "equal_symbolic")
    if near is None and has_values_alone(given, gold):
        return decide_by_values(given, gold)
    return None if near else Decision(False, "unequal_symbolic")


def _varies_alone(one: sympy.Basic, other: sympy.Basic) -> bool:
    """Whether one is a series or integral in a variable that the other, a plain expression, has not.

    To simplify such a difference takes seconds, and it never vanishes for every value of the variable.
    """
    both = isinstance(one, sympy.Expr) and isinstance(other, sympy.Expr)
    return both and one.has(*_UNWORKED) and not other.has(*_UNWORKED) and bool(one.free_symbols - other.free_symbols)


def _other_kind(one: sympy.Basic, other: sympy.Basic) -> bool:
    """Whether one is a relation between variables and the other a range, or a number and an expression that varies.

    The algebra system simplifies both for seconds to say no.
    """
    if isinstance(one, sympy.Eq):
        return not isinstance(one.lhs, sympy.Symbol) and isinstance(one.rhs, sympy.Expr) and _kind(other) == "span"
    if not (isinstance(one, sympy.Expr) and isinstance(other, sympy.Expr)) or one.free_symbols or other.has(*_UNWORKED):
        return False
    return _varies(other)


def _varies(expression: sympy.Expr) -> bool:
    """Whether two points give numbers that differ for sure."""
    free = sorted(expression.free_symbols, key=str)
    points = [{symbol: sympy.Rational(k + 2 * n, 7) for n, symbol in enumerate(free, 1)} for k in (1, 4)]
    values = [expression.xreplace(point).evalf(DIGITS) for point in points]
    if not free or not all(isinstance(value, sympy.Float) for value in values):
        return False
    return bool(abs(values[0] - values[1]) > sympy.Float("1e-10", DIGITS) * (abs(values[0]) + abs(values[1])))


def _is_infinite(one: sympy.Basic) -> bool:
    return isinstance(one, sympy.Expr) and bool(one.has(sympy.oo, sympy.S.NegativeInfinity))


def _kind(one: sympy.Basic) -> str:
    """``points``: some values, or one tuple; ``span``: what lies between two. The comparison confuses these."""
    if isinstance(one, sympy.Eq):
        return _kind(one.rhs)
    if isinstance(one, (sympy.FiniteSet, sympy.Tuple)):
        return "points"
    if isinstance(one, sympy.And) and one.args and all(isinstance(each, sympy.Eq) for each in one.args):
        return ""
    inequality = isinstance(one, (Relational, sympy.logic.boolalg.Boolean))
    return "span" if inequality or isinstance(one, sympy.Set) else ""


def _agree(given: sympy.Basic, gold: sympy.Basic, tolerance: Tolerance) -> bool | None:
    """Whether two numbers agree to some 25 digits or within the tolerance; None where one is no number."""
    ours, theirs = _number(given), _number(gold)
    if ours is None or theirs is None:
        return None
    apart = abs(ours - theirs)
    allowed = [AGREE * max(abs(ours), abs(theirs)), _float(tolerance.absolute)]
    return bool(apart <= max(*allowed, _float(tolerance.relative) * abs(theirs)))


def _number(expression: sympy.Basic) -> sympy.Expr | None:
    if not isinstance(expression, sympy.Expr) or expression.free_symbols:
        return None
    value = _with_real_roots(expression).evalf(DIGITS)
    parts = value.as_real_imag()
    if not all(isinstance(part, (sympy.Float, sympy.Integer, sympy.Rational)) for part in parts):
        return None
    # a sum that cancels leaves digits that mean nothing
    if any(isinstance(part, sympy.Float) and part._prec < 100 for part in parts):
        return None
    return value


def _vanishes(gap: sympy.Expr) -> bool:
    """Whether a number made of roots is zero, by its minimal polynomial."""
    if not gap.is_algebraic or sum(1 for _ in sympy.preorder_traversal(gap)) > _MOST_OF_ROOTS:
        return False
    unknown = sympy.Dummy("x")
    return bool(sympy.minimal_polynomial(gap, unknown) == unknown)


def _with_real_roots(expression: sympy.Expr) -> sympy.Expr:
    """An odd root of a negative number is negative where no ``i`` occurs: as in :mod:`verifiers.math.algebra.probe`."""
    if expression.has(sympy.I):
        return expression

    def negative(node: sympy.Basic) -> bool:
        return (
            isinstance(node, sympy.Pow)
            and isinstance(node.exp, sympy.Rational)
            and bool(node.exp.q % 2)
            and node.exp.q > 1
            and node.base.is_negative is True
        )

    found = expression.replace(negative, lambda node: (-1) ** node.exp.p * (-node.base) ** node.exp)
    return found if isinstance(found, sympy.Expr) else expression


def _float(number: object) -> sympy.Float:
    return sympy.Float(str(sympy.Rational(str(number)).evalf(DIGITS)), DIGITS)


def _weigh(expression: sympy.Basic) -> None:
    """Raises :class:`TooHeavy` where evaluating would need numbers beyond the bounds."""
    for count, node in enumerate(sympy.preorder_traversal(expression)):
        if count > _MOST_NODES:
            raise TooHeavy(f"more than {_MOST_NODES} nodes")
        if isinstance(node, sympy.Pow) and node.exp.is_number and node.exp.free_symbols == set():
            if _bits(node) > _MOST_BITS:
                raise TooHeavy("a power beyond the bounds")
        elif isinstance(node, sympy.factorial) and _bits(node.args[0]) > 11:
            raise TooHeavy("a factorial beyond the bounds")


def _bits(node: sympy.Basic) -> float:
    """An upper estimate of ``log2 |value|`` from the shape alone; nothing is evaluated."""
    if isinstance(node, sympy.Rational):
        return float(max(node.p.bit_length(), node.q.bit_length()))
    if isinstance(node, sympy.Pow):
        exponent = _bits(node.exp)
        return float("inf") if exponent > 60 else max(1.0, _bits(node.base)) * 2**exponent
    if isinstance(node, sympy.factorial):
        argument = _bits(node.args[0])
        return float("inf") if argument > 20 else argument * 2**argument
    if isinstance(node, sympy.Mul):
        return sum(map(_bits, node.args))
    if node.args:
        return max(map(_bits, node.args)) + log2(len(node.args) + 1)
    return 2.0
