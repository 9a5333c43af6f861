"""The comparison of two single answers without an algebra system: numbers, regions, relations, expressions.

None where no exact means tells: an expression that is not read here, or one that is equal at every probe and
not proved so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from verifiers.math.algebra.applied import functions
from verifiers.math.algebra.constants import is_same_family
from verifiers.math.algebra.curves import is_same_curves
from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.identity import identical, parallel
from verifiers.math.algebra.node import CONSTANTS, DEGREE, PI, I, Node, Number, Product, replace_symbol, symbols
from verifiers.math.algebra.probe import SAFETY, NoValue, Value, has_value, lacks_values, number
from verifiers.math.algebra.series import is_same_series
from verifiers.math.algebra.token import FUNCTIONS
from verifiers.math.compare import Tolerance, compare, read_unit
from verifiers.math.reading import unit
from verifiers.math.reading.approximate import compare_approximations, compare_stated
from verifiers.math.reading.form import Form
from verifiers.math.reading.quantity import PERCENT
from verifiers.math.solutions.family import family, holds
from verifiers.math.solutions.family import same as same_family
from verifiers.math.solutions.interval import Region, same, union
from verifiers.math.solutions.region import (
    MOST_PIECES,
    is_bounded_twice,
    is_redundant,
    region,
    regional,
    unknowns,
    variable,
)
from verifiers.math.solutions.relation import equivalent, pieces, relation, same_chain


def single(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    found = _single(answer, reference, tolerance)
    if found is None or not found.equal:
        return found
    rules = _set_aside(answer, reference)
    return replace(found, rules=(*found.rules, *rules)) if rules else found


def _set_aside(answer: Form, reference: Form) -> list[str]:
    """What one side says and the other does not, by the rules that let it pass."""
    rules = []
    if bool(answer.variable) != bool(reference.variable):
        rules.append("variable")
    if bool(answer.label) != bool(reference.label):
        rules.append("label")
    if bool(answer.unit) != bool(reference.unit):
        rules.append("unit")
    if (answer.letters is None) != (reference.letters is None):
        both = answer.read_unit().value, reference.read_unit().value
        if None not in both:
            rules.append("unit_letters")
    return rules


def _single(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    answer = _as_argued(answer, reference) or answer
    if answer.approximate and answer.value is None and (found := compare_approximations(answer, reference)) is not None:
        return found
    if answer.letters or reference.letters or answer.product or reference.product:
        answer, reference = read_unit(answer, reference, tolerance), read_unit(reference, answer, tolerance)
    found = compare(answer, reference, tolerance)
    if found is not None:
        return found
    if reference.approximate and answer.value is not None and (found := compare_stated(answer, reference)) is not None:
        return found
    if "\\sum" in answer.core and "\\sum" in reference.core and is_same_series(answer.core, reference.core):
        clash = answer.variable and reference.variable and answer.variable != reference.variable
        return Decision(False, "unequal_variable") if clash else Decision(True, "equal_canonical")
    if regional(answer.text) or regional(reference.text):
        return regions(answer, reference) or _related(answer, reference)
    if "=" in answer.text or "=" in reference.text:
        return _equations(answer, reference, tolerance)
    return _expressions(answer, reference, tolerance)


def is_probed(answer: Form, reference: Form) -> bool:
    """Whether both are expressions that are read here, so that no probe refuted them when they were compared.

    Raises :class:`NoValue` where the reference has values at the probes and the answer has none.
    """
    named = functions(answer.core, reference.core)
    ours, theirs = expression(answer.core, named), expression(reference.core, named)
    if ours is None or theirs is None:
        return False
    if lacks_values(ours, theirs):
        raise NoValue("the answer has no value where the reference has one")
    return True


def regions(answer: Form, reference: Form) -> Decision | None:
    """Of two sets of numbers, in whatever notation; None where one is none that is read."""
    if any(len(unknowns(one.text)) > 1 for one in (answer, reference)):
        return None
    ours, theirs = (_region(one.text, other.text) for one, other in ((answer, reference), (reference, answer)))
    if ours is None or theirs is None:
        return None
    names = variable(answer.text), variable(reference.text)
    if all(names) and names[0] != names[1]:
        return Decision(False, "unequal_variable")
    if any(hedges(answer.text) and not hedges(reference.text) for hedges in (is_bounded_twice, is_redundant)):
        return Decision(False, "unequal_region")
    found = same(ours, theirs)
    return None if found is None else Decision(found, "equal_region" if found else "unequal_region")


_BETWEEN = re.compile(r"(?<=[\])])\s?,\s?(?:\\land(?![A-Za-z]))?\s?(?=[\[(])")


def _region(text: str, beside: str) -> Region | None:
    """Intervals in a row without a common number, ``(-\\infty, 1), (2, \\infty)``, are their union beside a union."""
    found = region(text)
    if found is not None or "\\cup" not in beside:
        return found
    intervals = _BETWEEN.split(text)
    parts = [region(part) for part in intervals] if len(intervals) <= MOST_PIECES else []
    joined = union(parts)
    return joined if joined and len(joined) == len(parts) else None


_OF_X = re.compile(r"[a-zA-Z]\(x\)")
_OF_LETTERS = re.compile(r"([a-zA-Z]'{0,2})\(([a-z](?:,[a-z]){0,5})\)")
_PERIODIC = re.compile(r"\\mathbb\s?\{?\s?Z|integer|mod(?![a-z])|\\Z(?![A-Za-z])|\\in\s?Z")


def families(answer: Form, reference: Form) -> Decision | None:
    """Of infinite families of numbers; None where neither text says that it is one, or one is not read."""
    said = _PERIODIC.search(answer.text) or _PERIODIC.search(reference.text)
    if not said and not ("\\pi" in answer.text and "\\pi" in reference.text):
        return None
    ours, theirs = family(answer.text), family(reference.text)
    if ours is not None and theirs is not None:
        if not (ours.declared or theirs.declared) and ours.parameter == theirs.parameter:
            return None
        found = same_family(ours, theirs)
        # a union of too many progressions to write out is the reference's only where it was written like it
        return Decision(bool(found), "equal_family" if found else "unequal_family")
    one, other = (ours, reference) if ours is not None else (theirs, answer)
    if one is None or not one.declared:
        return None
    if other.value is not None:
        found = not one.parameter and holds(one, other.value)
        return Decision(found, "equal_family" if found else "unequal_family")
    return Decision(False, "unequal_family") if expression(other.core) is not None else None


def _related(answer: Form, reference: Form) -> Decision | None:
    """Of two inequalities in several variables; of an expression beside inequalities or a union of intervals."""
    if "\\cup" in reference.text and expression(answer.core) is not None:
        wide = any(part.low.at < part.high.at for part in region(reference.text) or ())
        return Decision(False, "unequal_region") if wide else None  # the algebra system takes seconds for it
    ours, theirs = relation(answer.text), relation(reference.text)
    if ours is not None and theirs is not None:
        return equivalent(ours, theirs)
    if (found := same_chain(answer.text, reference.text)) is not None:
        return found
    if (expression(answer.core) is not None and theirs is not None) or (
        ours is not None and expression(reference.core)
    ):
        return Decision(False, "unequal_relation")
    return None


def _equations(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    found = _compare_equations(answer, reference, tolerance)
    unequal = found is not None and not found.equal
    if unequal and is_same_curves(answer.text, reference.text):
        return Decision(True, "equal_relation", rules=("constants",))
    return found


def _compare_equations(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    several = "=" in answer.core, "=" in reference.core
    if not any(several):  # the name is no part of the core
        if answer.variable == reference.variable or not (answer.variable and reference.variable):
            return _expressions(answer, reference, tolerance)
        if _same_function(answer.variable, reference.variable):
            return _expressions(replace(answer, variable=""), replace(reference, variable=""), tolerance)
    if "=" in answer.text and "=" in reference.text:
        found = _sides(answer, reference)
        return (
            found if found is not None or not (answer.variable and reference.variable) else _unread(answer, reference)
        )
    if "=" in answer.text:
        return _chain(answer, reference, tolerance)
    return _chain(reference, answer, tolerance, turned=True)


def _unread(answer: Form, reference: Form) -> Decision | None:
    """Of two named values that are no expressions that are read here."""
    return Decision(False, "unequal_variable") if answer.variable != reference.variable else None


def _sides(answer: Form, reference: Form) -> Decision | None:
    """Of two equations: up to a factor where they have two sides; of chains of equals every side counts."""
    named = functions(answer.text, reference.text)
    ours, theirs = relation(answer.text, named), relation(reference.text, named)
    if ours is not None and theirs is not None:
        return equivalent(ours, theirs)
    read = [[expression(side, named) for side in pieces(one.core)[::2]] for one in (answer, reference)]
    mine, other = ([node for node in nodes if node is not None] for nodes in read)
    if any(node is None for nodes in read for node in nodes):
        return None
    if answer.variable and reference.variable and answer.variable != reference.variable:
        return Decision(False, "unequal_variable")
    if all((found := identical(one, other[-1])) is not None and found.equal for one in (*mine, *other)):
        return Decision(True, "equal_canonical")
    if len(mine) != len(other):
        return _every(mine, [other[-1]] * len(mine))
    return _every(mine, other)


def _every(ours: list[Node], theirs: list[Node]) -> Decision | None:
    found = [identical(one, other) for one, other in zip(ours, theirs, strict=True)]
    unequal = next((one for one in found if one is not None and not one.equal), None)
    if unequal is not None:
        return unequal
    return None if None in found else Decision(True, "equal_canonical")


def _as_argued(answer: Form, reference: Form) -> Form | None:
    """``f(t) = t^2`` beside ``f(x) = x^2`` with the reference's arguments; None where they are no such pair.

    A letter that one side takes as an argument and the other as a constant makes two functions.
    """
    ours, theirs = (_OF_LETTERS.fullmatch(one.variable) for one in (answer, reference))
    if ours is None or theirs is None or ours[1] != theirs[1] or ours[2] == theirs[2]:
        return None
    mine, other = ours[2].split(","), theirs[2].split(",")
    if len(mine) != len(other) or len(set(mine)) < len(mine) or len(set(other)) < len(other):
        return None
    if _letters(answer.core) & (set(other) - set(mine)) or _letters(reference.core) & (set(mine) - set(other)):
        return None
    named = str.maketrans(dict(zip(mine, other, strict=True)))
    core = _RUN.sub(lambda found: found[0] if found[0].startswith("\\") else found[0].translate(named), answer.core)
    return replace(answer, core=core, variable=reference.variable)


_RUN = re.compile(
    rf"\\[A-Za-z]+|(?<![A-Za-z\\])(?!(?:{'|'.join(FUNCTIONS)}|pi|mod|det)(?![A-Za-z]))[A-Za-z]{{1,4}}(?![A-Za-z])"
)
"""Letters that are factors side by side, or a command."""


def _letters(text: str) -> set[str]:
    return {letter for run in _RUN.findall(text) if run[0] != "\\" for letter in run}


def _same_function(one: str, other: str) -> bool:
    """``y = 2x`` and ``f(x) = 2x`` say the same of x."""
    return (one == "y" and _OF_X.fullmatch(other) is not None) or (other == "y" and _OF_X.fullmatch(one) is not None)


def _chain(equation: Form, other: Form, tolerance: Tolerance, *, turned: bool = False) -> Decision | None:
    """An equation against an expression: of ``x = 5`` its value, of an identity its sides, else unequal."""
    named = functions(equation.core, other.core)
    nodes = [expression(side, named) for side in pieces(equation.core)[::2]]
    read = [node for node in nodes if node is not None]
    if len(read) < len(nodes) or _DERIVATIVE.match(equation.core):
        return _carried_out(pieces(equation.core)[::2], nodes, equation, other, tolerance, turned=turned)
    if turned and (equation.variable or equation.label) and not _varies(read[-1]):
        read = [node for node in read if not _varies(node)]  # V = lwh = 24: a formula, then its value
    for one, following in pairwise(read):
        found = identical(one, following)
        if found is None:
            return None
        if not found.equal:
            constant = not (_varies(one) or _varies(following))
            return Decision(False, "false_equation" if constant else "unequal_relation", found.witness)
    theirs = expression(other.core, named)
    if theirs is None:
        return None
    if other.unit == "degree" and "\\pi" in equation.core:
        theirs = _in_radians(theirs, other)
    if turned:
        return _nodes(theirs, read[0], other, equation, tolerance)
    return _nodes(read[0], theirs, equation, other, tolerance)


_OPERATION = re.compile(r"\\(?:i{0,3}nt|oint|lim|sum|prod)(?![A-Za-z])|\d[\d^{} ]*\\b?mod(?![A-Za-z])")
# the grammar reads it as a quotient of products
_DERIVATIVE = re.compile(r"\\frac\s?\{\s?d\s?(?:\^\{?\d\}?)?\s?\}\s?\{\s?d")


def _carried_out(
    sides: Sequence[str],
    nodes: Sequence[Node | None],
    equation: Form,
    other: Form,
    tolerance: Tolerance,
    *,
    turned: bool,
) -> Decision | None:
    """``\\int 2x dx = x^2 + C`` beside ``x^2 + C``: the task, then its value. None where it is unequal."""
    operation = _DERIVATIVE.match(sides[0]) or (nodes[0] is None and _OPERATION.match(sides[0]))
    if len(sides) != 2 or nodes[1] is None or not operation:
        return None
    theirs = expression(other.core, functions(equation.core, other.core))
    if theirs is None:
        return None
    ours, theirs = (theirs, nodes[1]) if turned else (nodes[1], theirs)
    found = _nodes(ours, theirs, other if turned else equation, equation if turned else other, tolerance)
    return found if found is not None and found.equal else None


def _varies(node: Node) -> bool:
    return bool(symbols(node) - CONSTANTS)


def _expressions(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    if answer.variable and reference.variable and answer.variable != reference.variable:
        return Decision(False, "unequal_variable")
    named = functions(answer.core, reference.core)
    ours, theirs = expression(answer.core, named), expression(reference.core, named)
    if ours is None or theirs is None:
        return None
    if {answer.unit, reference.unit} == {"degree", "radian"}:
        ours, theirs = _in_radians(ours, answer), _in_radians(theirs, reference)
        return _nodes(ours, theirs, answer, reference, tolerance)
    size = unit.factor(answer.unit, reference.unit) if answer.unit and reference.unit else None
    if answer.unit and reference.unit and size is None:
        return Decision(False, "unequal_unit")
    if "j" in answer.core or "j" in reference.core:
        ours, theirs = _imaginary(ours, theirs), _imaginary(theirs, ours)
    if {answer.unit, reference.unit} == {"degree", ""}:
        ours, theirs = _turned(ours, answer, theirs), _turned(theirs, reference, ours)
    if size is not None and size != 1:
        ours = Product((Number(size), ours))
    if (answer.unit == PERCENT) != (reference.unit == PERCENT):
        ours, theirs = _percent(ours, answer), _percent(theirs, reference)
    return _nodes(ours, theirs, answer, reference, tolerance)


def _nodes(ours: Node, theirs: Node, answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    # a number is no antiderivative, but a definite integral
    constant = tolerance.constant and _varies(theirs)
    if constant and not has_value(theirs):
        return None
    found = parallel(ours, theirs) if constant else identical(ours, theirs)
    if found is not None and found.equal:
        return found
    family = is_same_family(ours, theirs) if found is not None else False
    if family is None:
        return None
    if family:
        return Decision(True, "equal_canonical", rules=("constants",))
    half = tolerance.compute_rounding(answer, reference)
    if not (tolerance.relative or tolerance.absolute or half):
        return found
    mine, other = number(ours), number(theirs)
    if mine is None or other is None:
        return found
    if _within(mine, other, float(tolerance.compute_margin(Fraction(abs(other[0]))))):
        return Decision(True, "within_tolerance")
    if half and _within(mine, other, float(half)):
        return Decision(True, "equal_rounded")
    # of the last places of a long decimal only more digits tell
    return None if half and _within(mine, other, float(half) + 2 * _noise(mine, other)) else found


def _within(one: Value, other: Value, allowed: float) -> bool:
    return abs(one[0] - other[0]) + _noise(one, other) <= allowed


def _noise(one: Value, other: Value) -> float:
    return SAFETY * (one[1] + other[1])


def _percent(node: Node, written: Form) -> Node:
    return Product((node, Number(Fraction(1, 100)))) if written.unit == PERCENT else node


def _in_radians(node: Node, written: Form) -> Node:
    return Product((node, DEGREE)) if written.unit == "degree" else node


def _imaginary(node: Node, other: Node) -> Node:
    """``3 + 4j`` beside ``3 + 4i``: engineers' imaginary unit."""
    names, others = symbols(node), symbols(other)
    engineers = "j" in names and I.name not in names and I.name in others and "j" not in others
    return replace_symbol(node, "j", I) if engineers else node


def _turned(node: Node, written: Form, other: Node) -> Node:
    r"""Degrees beside a multiple of pi are an angle in radians; beside a bare number they are that number."""
    return Product((node, DEGREE)) if written.unit == "degree" and PI.name in symbols(other) else node
