"""The comparison of two single answers without an algebra system: numbers, regions, relations, expressions.

None where no exact means tells: an expression that is not read here, or one that is equal at every probe and
not proved so.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from verifiers.math import unit
from verifiers.math.compare import Tolerance, compare
from verifiers.math.decision import Decision
from verifiers.math.family import family, holds
from verifiers.math.family import same as same_family
from verifiers.math.form import Form
from verifiers.math.grammar import expression
from verifiers.math.identity import identical, parallel
from verifiers.math.interval import same
from verifiers.math.node import CONSTANTS, DEGREE, PI, I, Node, Number, Product, replaced, symbols
from verifiers.math.probe import SAFETY, NoValue, Value, number, unanswered
from verifiers.math.quantity import PERCENT
from verifiers.math.region import bounded_twice, region, regional, variable
from verifiers.math.relation import equivalent, pieces, relation


def single(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    found = compare(answer, reference, tolerance)
    if found is not None:
        return found
    if regional(answer.text) or regional(reference.text):
        return regions(answer, reference) or _related(answer, reference)
    if "=" in answer.text or "=" in reference.text:
        return _equations(answer, reference, tolerance)
    return _expressions(answer, reference, tolerance)


def probed(answer: Form, reference: Form) -> bool:
    """Whether both are expressions that are read here, so that no probe refuted them when they were compared.

    Raises :class:`NoValue` where the reference has values at the probes and the answer has none.
    """
    ours, theirs = expression(answer.core), expression(reference.core)
    if ours is None or theirs is None:
        return False
    if unanswered(ours, theirs):
        raise NoValue("the answer has no value where the reference has one")
    return True


def regions(answer: Form, reference: Form) -> Decision | None:
    """Of two sets of numbers, in whatever notation; None where one is none that is read."""
    ours, theirs = region(answer.text), region(reference.text)
    if ours is None or theirs is None:
        return None
    names = variable(answer.text), variable(reference.text)
    if all(names) and names[0] != names[1]:
        return Decision(False, "unequal_variable")
    if bounded_twice(answer.text) and not bounded_twice(reference.text):
        return Decision(False, "unequal_region")
    found = same(ours, theirs)
    return None if found is None else Decision(found, "equal_region" if found else "unequal_region")


_OF_X = re.compile(r"[a-zA-Z]\(x\)")
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
    """Of two inequalities in several variables."""
    ours, theirs = relation(answer.text), relation(reference.text)
    if ours is not None and theirs is not None:
        return equivalent(ours, theirs)
    if (expression(answer.core) is not None and theirs is not None) or (
        ours is not None and expression(reference.core)
    ):
        return Decision(False, "unequal_relation")
    return None


def _equations(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    if answer.variable and answer.variable == reference.variable:
        found = _expressions(answer, reference, tolerance)
        if found is None or found.equal:
            return found
    if _same_function(answer.variable, reference.variable):
        return _expressions(replace(answer, variable=""), replace(reference, variable=""), tolerance)
    if "=" in answer.text and "=" in reference.text:
        ours, theirs = relation(answer.text), relation(reference.text)
        if ours is not None and theirs is not None:
            return equivalent(ours, theirs)
        return _expressions(answer, reference, tolerance) if answer.variable and reference.variable else None
    if "=" not in answer.core and "=" not in reference.core:
        return _expressions(answer, reference, tolerance)  # the name is no part of the core
    if "=" in answer.text:
        return _chain(answer, reference, tolerance)
    return _chain(reference, answer, tolerance, turned=True)


def _same_function(one: str, other: str) -> bool:
    """``y = 2x`` and ``f(x) = 2x`` say the same of x."""
    return (one == "y" and _OF_X.fullmatch(other) is not None) or (other == "y" and _OF_X.fullmatch(one) is not None)


def _chain(equation: Form, other: Form, tolerance: Tolerance, *, turned: bool = False) -> Decision | None:
    """An equation against an expression: of ``x = 5`` its value, of an identity its sides, else unequal."""
    nodes = [expression(side) for side in pieces(equation.core)[::2]]
    if any(node is None for node in nodes):
        return None
    read = [node for node in nodes if node is not None]
    for one, following in pairwise(read):
        found = identical(one, following)
        if found is None:
            return None
        if not found.equal:
            constant = not (symbols(one) | symbols(following)) - CONSTANTS
            return Decision(False, "false_equation" if constant else "unequal_relation", found.witness)
    theirs = expression(other.core)
    if theirs is None:
        return None
    if turned:
        return _nodes(theirs, read[0], other, equation, tolerance)
    return _nodes(read[0], theirs, equation, other, tolerance)


def _expressions(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    if answer.variable and reference.variable and answer.variable != reference.variable:
        return Decision(False, "unequal_variable")
    ours, theirs = expression(answer.core), expression(reference.core)
    if ours is None or theirs is None:
        return None
    if {answer.unit, reference.unit} == {"degree", "radian"}:
        ours, theirs = _in_radians(ours, answer), _in_radians(theirs, reference)
        return _nodes(ours, theirs, answer, reference, tolerance)
    size = unit.factor(answer.unit, reference.unit) if answer.unit and reference.unit else None
    if answer.unit and reference.unit and size is None:
        return Decision(False, "unequal_unit")
    ours, theirs = _imaginary(ours, theirs), _imaginary(theirs, ours)
    if {answer.unit, reference.unit} == {"degree", ""}:
        ours, theirs = _turned(ours, answer, theirs), _turned(theirs, reference, ours)
    if size is not None and size != 1:
        ours = Product((Number(size), ours))
    if (answer.unit == PERCENT) != (reference.unit == PERCENT):
        ours, theirs = _percent(ours, answer), _percent(theirs, reference)
    return _nodes(ours, theirs, answer, reference, tolerance)


def _nodes(ours: Node, theirs: Node, answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    found = parallel(ours, theirs) if tolerance.constant else identical(ours, theirs)
    if found is not None and found.equal:
        return found
    half = tolerance.rounded(answer, reference)
    if not (tolerance.relative or tolerance.absolute or half):
        return found
    mine, other = number(ours), number(theirs)
    if mine is None or other is None:
        return found
    if _within(mine, other, float(tolerance.allowed(Fraction(abs(other[0]))))):
        return Decision(True, "within_tolerance")
    return Decision(True, "equal_rounded") if half and _within(mine, other, float(half)) else found


def _within(one: Value, other: Value, allowed: float) -> bool:
    return abs(one[0] - other[0]) + SAFETY * (one[1] + other[1]) <= allowed


def _percent(node: Node, written: Form) -> Node:
    return Product((node, Number(Fraction(1, 100)))) if written.unit == PERCENT else node


def _in_radians(node: Node, written: Form) -> Node:
    return Product((node, DEGREE)) if written.unit == "degree" else node


def _imaginary(node: Node, other: Node) -> Node:
    """``3 + 4j`` beside ``3 + 4i``: engineers' imaginary unit."""
    names, others = symbols(node), symbols(other)
    engineers = "j" in names and I.name not in names and I.name in others and "j" not in others
    return replaced(node, "j", I) if engineers else node


def _turned(node: Node, written: Form, other: Node) -> Node:
    r"""Degrees beside a multiple of pi are an angle in radians; beside a bare number they are that number."""
    return Product((node, DEGREE)) if written.unit == "degree" and PI.name in symbols(other) else node
