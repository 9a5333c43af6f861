"""What exact means decide of two forms, in microseconds; None where only symbolic means can tell.

Percent: a value with the sign equals the fraction that it stands for (``50%`` = ``0.5``); a whole number of
percent, or one above 1, also equals the bare number (``50%`` = ``50``), because questions often ask "what percent".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ulp

from verifiers.math.algebra.applied import functions
from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.identity import identical
from verifiers.math.reading import moment, unit
from verifiers.math.reading.form import Form
from verifiers.math.reading.notation import same_figure
from verifiers.math.reading.option import letter, read_letter
from verifiers.math.reading.quantity import BASE, PERCENT
from verifiers.math.reading.statement import same_formula, same_shells, same_statement
from verifiers.math.reading.tight import tight
from verifiers.math.solutions.region import is_empty

MORE_PLACES = 2
"""A decimal with fewer than that more is another number, not the same one less rounded."""

_DECIMAL = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)?\.(\d{2,40})", re.ASCII)
_LITERAL = re.compile(
    r"[-+]?[\d.,]+(?:[eE][-+]?\d+|\s?(?:\\times|\\cdot|\*)\s?10\s?\^\s?\{?\s?[-+]?\d+\s?\}?)?", re.ASCII
)
_WORDS = re.compile(r"\\text\s?\{[^{}]*\}|[A-Za-z]{3,}(?: [A-Za-z]+)*|[A-Za-z]+(?: [A-Za-z]+)+")
_LABEL_WORD = re.compile(r"[a-z]{2,}")
_SAY_NOTHING = frozenset("the of is an in for and value answer result final total number".split())  # noqa: SIM905 - words
_ARTICLE = re.compile(r"(?:an?|the)\s(?=\w{2})")
_STOP = re.compile(r"[.:!](?= |$)")
_SYNONYMS = {
    "dne": "does not exist",
    "doesn't exist": "does not exist",
    "no solutions": "no solution",
    "\\nexists": "does not exist",
}
_SYNONYMS |= dict.fromkeys(("limit does not exist", "it does not exist", "limit doesn't exist"), "does not exist")
_SYNONYMS |= dict.fromkeys(("undefined", "not defined", "is undefined", "is not defined"), "does not exist")
_SYNONYMS |= dict.fromkeys(("not possible", "it is impossible", "it is not possible"), "impossible")
_SYNONYMS |= dict.fromkeys(
    (
        "cannot be determined", "can not be determined", "can't be determined", "it cannot be determined",
        "undetermined",
        "insufficient information", "not enough info", "there is not enough information", "indeterminate",
    ),
    "not enough information",
)  # fmt: skip
_MODIFIED = re.compile(
    r"\\(?:bar|tilde|dot|ddot|overline)\s?\{?\s?([A-Za-z]|\\[A-Za-z]+)\s?\}?"
    r"|([A-Za-z](?:_\{?\w\}?)?)\^\{?\(?(?:-1|T)\)?\}?(?:\([^()]*\))?|(\\sigma)\^\{?2\}?"
    r"|\\(?:sin|cos|tan|cot|sec|csc)\s?\(?\s?([A-Za-z]|\\[a-z]{2,8})\s?\)?"
    r"|\\frac\s?\{(?:d|\\partial)\^?\{?\d?\}?\s?([A-Za-z])\}.*"
    r"|\\?\|\s?([A-Za-z]|\\[a-z]{2,8})\s?\\?\||\\Delta\s?\{?\s?([A-Za-z]|\\[a-z]{2,8})\s?\}?"
)
# pH and pOH, pK_a and pK_b
_NEGATIVE_POWER = re.compile(r"[ {]{0,3}p[ {}]{0,3}(H|OH|K_?[abw])[ }]{0,3}")
_DERIVATIVE = re.compile(r"\\frac\s?\{(?:d|\\partial)\s?(?:\^\s?\{?(\d)\}?)?\s?[A-Za-z]\}")
_ANGLE = re.compile(r"m?\s?\\angle\s?\{?\s?([A-Z])\s?([A-Z])\s?([A-Z])\s?\}?")
_RATIO = re.compile(r"\d+\s?:\s?\d+", re.ASCII)
_INFINITE = re.compile(r"([-+]?)\s?\\infty")
_DIGITS_OF_DOUBLE = (16, 17)
"""Of a decimal that a program prints, where fewer do not tell it from its neighbours."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a value may be from the reference: ``max(absolute, relative * |reference|)``.

    With ``rounding`` a reference that is written as a decimal of two or more places also accepts what rounds to
    it and is no decimal, or one of at least :data:`MORE_PLACES` more places: 0.33 accepts 1/3 and 0.3333. Not the
    reverse: an exact reference asks for its value. With ``constant`` two functions may differ by a constant.
    With ``letters`` the ``m`` of ``6 m`` is a unit beside a bare number too. With ``bases`` digits with the sign of a
    base are those digits beside bare ones. With ``years`` a date without its year is none beside one that has it.
    """

    relative: Fraction = Fraction(0)
    absolute: Fraction = Fraction(0)
    rounding: bool = False
    constant: bool = False
    letters: bool = False
    bases: bool = False
    years: bool = False

    @classmethod
    def of(
        cls, relative: float | None, absolute: float | None, *, rounding: bool = False, constant: bool = False
    ) -> Tolerance:
        """From parameters, each number read as the decimal that it is written as."""
        return cls(Fraction(repr(relative or 0)), Fraction(repr(absolute or 0)), rounding, constant)

    def admits(self, answer: Fraction, reference: Fraction) -> bool:
        return abs(answer - reference) <= self.compute_margin(abs(reference))

    def compute_margin(self, size: Fraction) -> Fraction:
        """The greatest difference from a reference of that size."""
        return max(self.absolute, self.relative * size)

    def compute_rounding(self, answer: Form, reference: Form) -> Fraction | None:
        """Half a unit of the reference's last place where it may be the rounding of the answer, else None."""
        places = _DECIMAL.fullmatch(reference.core) if self.rounding else None
        if places is None or (answer.unit == PERCENT) != (reference.unit == PERCENT):
            return None
        if _LITERAL.fullmatch(answer.core):
            more = _DECIMAL.fullmatch(answer.core)
            if more is None or len(more[1]) < len(places[1]) + MORE_PLACES:
                return None
        return max(Fraction(1, 2 * 10 ** len(places[1])), _double(reference.core))


def _double(decimal: str) -> Fraction:
    """The space between doubles where a decimal is written as one: 1.4142135623730951 is next to the root of 2."""
    digits = len(decimal.replace(".", "").lstrip("-+0"))
    return Fraction(ulp(float(decimal))) if digits in _DIGITS_OF_DOUBLE and "," not in decimal else Fraction(0)


def compare(answer: Form, reference: Form, tolerance: Tolerance) -> Decision | None:
    if has_other_name(answer, reference):
        return Decision(False, "unequal_variable")
    angles = {answer.unit, reference.unit} == {"degree", "radian"}
    if answer.value is not None and reference.value is not None and not answer.false and not angles:
        return _rationals(answer, reference, tolerance)
    # what is no time at all is not a time's equal; 3:30 alone may be a ratio
    if reference.moment is not None and (answer.moment is not None or not _RATIO.fullmatch(reference.core)):
        found = answer.moment is not None and moment.same(answer.moment, reference.moment, years=tolerance.years)
        return Decision(found, "equal_moment" if found else "unequal_moment")
    if "^" in reference.text and (shells := same_shells(answer.text, reference.text)) is not None:
        return Decision(shells, "equal_text" if shells else "unequal_text")
    # an angle in degrees beside one in radians
    turned = {answer.unit, reference.unit} == {"degree", ""} and "\\pi" in reference.core
    if not turned and _same_text(answer, reference):
        return Decision(True, "equal_text")
    if reference.wordy and is_empty(answer.text) and is_empty(reference.text):
        return Decision(True, "equal_text")
    if not turned and (same_formula(answer.text, reference.text) or same_formula(answer.core, reference.core)):
        return Decision(True, "equal_text")
    if "angle" in reference.core and (figure := same_figure(answer.core, reference.core)) is not None:
        return Decision(figure, "equal_text" if figure else "unequal_text")
    chosen = _option(answer.text, reference.text)
    if chosen is not None:
        return chosen
    if answer.false:
        return Decision(False, "false_equation")
    if reference.wordy:
        return Decision(False, "unequal_text")
    ours, theirs = _INFINITE.fullmatch(answer.core), _INFINITE.fullmatch(reference.core)
    if ours and theirs:
        same = (ours[1] == "-") == (theirs[1] == "-")
        return Decision(same, "equal_text" if same else "unequal_numeric")
    if (ours and reference.value is not None) or (theirs and answer.value is not None):
        return Decision(False, "unequal_numeric")
    return None


def _rationals(answer: Form, reference: Form, tolerance: Tolerance) -> Decision:
    a, r = answer.value, reference.value
    assert a is not None
    assert r is not None
    if answer.variable and reference.variable and answer.variable != reference.variable:
        return Decision(False, "unequal_variable")
    if answer.unit or reference.unit:
        if (answer.unit == PERCENT) != (reference.unit == PERCENT):
            if answer.unit and reference.unit:
                return Decision(False, "unequal_unit")
            found = _percent(a, r, answer.unit == PERCENT, tolerance)
            if found.equal or answer.rounded is None:
                return found
            return _percent(answer.rounded, r, answer.unit == PERCENT, tolerance)
        converted = unit.convert(a, answer.unit, reference.unit) if answer.unit and reference.unit else a
        if converted is None:
            return Decision(False, "unequal_unit")
        a = converted
    if a == r or answer.rounded == r:
        return Decision(True, "equal_integer" if r.denominator == 1 else "equal_rational")
    if tolerance.admits(a, r):
        return Decision(True, "within_tolerance")
    based = answer.unit.startswith(BASE) and not tolerance.bases
    if answer.core == reference.core and bool(answer.unit) != bool(reference.unit) and not based:
        return Decision(True, "equal_text")  # 1011 for 1011_2
    half = tolerance.compute_rounding(answer, reference)
    if half is not None and abs(a - r) <= half:
        return Decision(True, "equal_rounded")
    return Decision(False, "unequal_rational")


def read_unit(one: Form, other: Form, tolerance: Tolerance) -> Form:
    """``179 g`` beside grams is a weight, beside formulas 179 times g, beside a bare number what the caller says."""
    if one.letters is None:
        return _whole(one, other)
    beside = other.unit or other.letters or (other.value is not None and tolerance.letters)
    return one.read_unit() if beside and other.unit != PERCENT else one


def _whole(one: Form, other: Form) -> Form:
    """``16nm`` beside ``16 m n`` is a product, whatever a nanometre is."""
    if not one.product or other.unit or other.letters or other.value is not None or not other.core.isascii():
        return one
    return replace(one, core=one.product, value=None, unit="")


def has_other_name(answer: Form, reference: Form) -> bool:
    """Whether both are values of a name, at least one of them of no plain variable, and of two things."""
    if not (answer.label or answer.variable or reference.label or reference.variable):
        return False
    if answer.label and reference.label:
        return _other_label(answer.label, reference.label)
    powers = [_NEGATIVE_POWER.fullmatch(tight(one.label or one.variable)) for one in (answer, reference)]
    if all(powers) and powers[0][1] != powers[1][1]:  # type: ignore[index]
        return True
    label, variable = answer.label or reference.label, answer.variable or reference.variable
    if not label or not variable:
        return False
    applied = label.endswith(")") and variable.endswith(")")
    return _modifies(label, variable) or (applied and _other_label(label, variable))


def _other_label(one: str, other: str) -> bool:
    """Whether two labels name two things; a label with further words may name the same more exactly."""
    if _WORDS.fullmatch(one) or _WORDS.fullmatch(other):
        words = [
            set(_LABEL_WORD.findall(label.lower().replace("\\text", " "))) - _SAY_NOTHING for label in (one, other)
        ]
        return not (words[0] <= words[1] or words[1] <= words[0]) if all(words) else not any(words)
    if tight(one) == tight(other) or _corner(one) == _corner(other) is not None:
        return False
    if ":" in one or ":" in other:
        return True
    named = functions(one, other)
    ours, theirs = expression(one, named), expression(other, named)
    found = identical(ours, theirs) if ours is not None and theirs is not None else None
    return found is None or not found.equal


def _corner(label: str) -> frozenset[str] | None:
    """The points of an angle's sides with its corner: ``ABC`` is ``CBA``; None of what is no angle of three points."""
    found = _ANGLE.fullmatch(label)
    return frozenset((found[2], f"{found[1]}{found[3]}", f"{found[3]}{found[1]}")) if found is not None else None


def _modifies(label: str, variable: str) -> bool:
    """Whether a label is a conjugate, derivative, inverse, square or angle function of just that name."""
    derivative = _DERIVATIVE.match(label)
    if derivative is not None and "'" in variable:
        return int(derivative[1] or 1) != variable.count("'")
    found = _MODIFIED.fullmatch(label) if variable and "'" not in variable else None
    stem = variable.partition("(")[0]
    return found is not None and any(tight(name) == tight(stem) for name in found.groups() if name)


def _option(answer: str, reference: str) -> Decision | None:
    """Of two texts that name options, one of them by its letter alone or both with brackets."""
    if len(answer) == len(reference) == 1 or not (read_letter(reference) or read_letter(answer)):
        return None
    ours, theirs = letter(answer), letter(reference)
    if ours is None or theirs is None:
        return None
    return Decision(ours == theirs, "equal_option" if ours == theirs else "unequal_option")


def _percent(a: Fraction, r: Fraction, answer_is_percent: bool, tolerance: Tolerance) -> Decision:
    percents = a if answer_is_percent else r
    whole = percents.denominator == 1 or abs(percents) > 1  # beyond one it is no share
    a_value, r_value = (a / 100, r) if answer_is_percent else (a, r / 100)
    if a_value == r_value or (whole and a == r):
        return Decision(True, "equal_rational")
    if tolerance.admits(a_value, r_value):
        return Decision(True, "within_tolerance")
    return Decision(False, "unequal_rational")


def _same_text(answer: Form, reference: Form) -> bool:
    if answer.text == reference.text:
        return True
    if reference.wordy:
        ours, theirs = _folded(answer.text), _folded(reference.text)
        bare = (tight(_STOP.sub("", one)) for one in (ours, theirs))
        same = tight(ours) == tight(theirs) or tight(answer.text) == tight(reference.text)
        return same or same_statement(ours, theirs) or next(bare) == next(bare)
    if tight(answer.text) == tight(reference.text):
        return True
    if answer.core == answer.text and reference.core == reference.text:
        return False
    units_agree = not (answer.unit and reference.unit) or answer.unit == reference.unit
    variables_agree = not (answer.variable and reference.variable) or answer.variable == reference.variable
    return units_agree and variables_agree and tight(answer.core) == tight(reference.core)


def _folded(text: str) -> str:
    r"""Words without case, ``\text`` and repeated blanks."""
    bare = text.replace("\\text{", "").replace("}", "").replace("{", "") if "\\text" in text else text
    found = _ARTICLE.sub("", " ".join(bare.casefold().split()).rstrip(".")).removeprefix("(").removesuffix(")")
    return _SYNONYMS.get(found, found)
