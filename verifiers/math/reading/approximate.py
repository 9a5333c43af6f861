r"""A decimal behind an approximation sign: ``\\sqrt{2} \\approx 1.41``. It has to be one, and it is an answer too."""

from __future__ import annotations

import re
from fractions import Fraction

from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.probe import number
from verifiers.math.reading.form import Form, form
from verifiers.math.reading.quantity import quantity
from verifiers.math.reading.sequence import sequence
from verifiers.math.reading.tight import tight
from verifiers.rational import rational

_DECIMAL = re.compile(r"[-+]?\s?\d[\d,]*(?:\.(\d{1,40}))?(?:\s?\\times\s?10\s?\^\s?\{?-?\d+\}?)?", re.ASCII)

_NEARLY_A_UNIT = 1 - 1e-9


def compare_approximations(answer: Form, reference: Form) -> Decision | None:
    """Unequal where the answer's decimal is no rounding of what stands before it, or not the reference's; else None."""
    if tight(answer.approximate) == tight(reference.approximate):
        return None
    holds = _rounds(answer)
    if holds is False and _rounds(reference) is not False:
        return Decision(False, "false_equation")
    if holds is None and _value(answer.approximate) is None and _is_no_rounding(answer, reference):
        return Decision(False, "unequal_text")
    if holds is None and reference.approximate:
        ours, theirs = _value(answer.approximate), _value(reference.approximate)
        if ours is not None and theirs is not None and ours != theirs:
            return Decision(False, "unequal_rational")
        if ours is None and _value(reference.approximate) is None:
            return Decision(False, "unequal_text")  # formulas on both sides of the sign, other ones
    return None


def contradicts(answer: Form) -> bool:
    """Whether a list is approximated by another list that is no rounding of it: ``(1, 2) \\approx (1, 9)``."""
    ours, theirs = sequence(answer.core), sequence(answer.approximate)
    if ours is None or theirs is None:
        return False
    if ours.brackets != theirs.brackets or len(ours.parts) != len(theirs.parts):
        return True
    pairs = zip(ours.parts, theirs.parts, strict=True)
    stated = [form(f"{one} \\approx {other}") for one, other in pairs if one != other]
    return any(one.false or _rounds(one) is False for one in stated)


def compare_stated(answer: Form, reference: Form) -> Decision | None:
    """Equal where the answer is the rounding that the reference gives; None where it is another number."""
    theirs = _value(reference.approximate)
    return Decision(True, "equal_rounded") if theirs is not None and answer.value == theirs else None


def _rounds(one: Form) -> bool | None:
    """Whether the decimal is within a unit of its last place; None where either has no value."""
    claimed, decimals = _value(one.approximate), _DECIMAL.match(quantity(one.approximate).core)
    node = expression(one.core.rpartition("=")[2])
    exact = number(node) if node is not None else None
    if claimed is None or decimals is None or exact is None or isinstance(exact[0], complex):
        return None
    place = Fraction(1, 10 ** len(decimals[1])) if decimals[1] else Fraction(1, 2)
    if "10" in decimals[0] and "^" in decimals[0]:
        place = abs(claimed) / 100
    elif not decimals[1] and claimed and claimed % 10 == 0:
        place = abs(claimed) / 50  # 5,300,000: how many of the digits count is not said
    # a whole unit away is no rounding, also where the value is exact
    return abs(float(claimed) - exact[0]) < float(place) * _NEARLY_A_UNIT


def _is_no_rounding(answer: Form, reference: Form) -> bool:
    """Whether what the answer approximates by is no number: nobody reads it, or it varies."""
    node = expression(quantity(answer.approximate).core)
    if node is None or _value(reference.approximate) is not None:
        return True
    exact = expression(answer.core.rpartition("=")[2])
    return number(node) is None and exact is not None


def _value(text: str) -> Fraction | None:
    return rational(quantity(text).core.replace("- ", "-").replace("+ ", "+")) if text else None
