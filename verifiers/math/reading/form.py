r"""A final answer read as far as exact means go: its plain text, its value where it is rational, its unit.

``x = 3 + 4 = 7`` has the variable ``x`` and the value 7; ``7 = 42`` is a false equation; ``1/3 = 0.333`` has
the value 1/3 and the rounded value 0.333, because the decimal is the fraction's to its last place. What is
not rational (radicals, letters, sets, words) keeps its text for the symbolic stage.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from verifiers.math.algebra.node import CONSTANTS
from verifiers.math.algebra.token import GREEK, PLAIN, wordy
from verifiers.math.reading.choose import rewrite_binomials
from verifiers.math.reading.compound import compound
from verifiers.math.reading.decimals import as_fractions, remove_separators
from verifiers.math.reading.determinant import expand_determinants
from verifiers.math.reading.matrix_algebra import is_same_matrix
from verifiers.math.reading.moment import Moment, moment
from verifiers.math.reading.numeral import value as in_base
from verifiers.math.reading.quantity import BASE, PERCENT, quantity
from verifiers.math.reading.surface import plain
from verifiers.math.reading.tight import tight
from verifiers.math.reading.words import parse_words
from verifiers.rational import rational

# commands that name nothing: \\not = 5 says what the answer is not
_NO_NAME = (
    "not|neg|n?exists|forall|infty|pm|mp|sim|simeq|approx|cong|equiv|n?[lg]eq?|n?[lg]t|neq?|in|notin|to|cdot|times"
    "|[lcv]?dots"
)
_VARIABLE = re.compile(
    rf"(?:\\(?!(?:{_NO_NAME})(?![A-Za-z])))?[A-Za-z]+(?:_\{{?\w{{1,8}}\}}?)?'{{0,2}}(?:\([^()=]{{1,20}}\))?"
)
# variables side by side, an equation in which says nothing of a value
_PRODUCT = re.compile(r"[a-d]{2,3}|[m-n]{2}|[p-s]{2,3}|[u-z]{2,4}")
# what a value is called: no variable that the other side's could differ from
_LABEL = re.compile(
    r"\\text\s?\{[^{}=]{1,60}\}|(?:[A-Za-z]{2,20} ){0,5}[A-Za-z]{3,20}|m?\s?\\angle\s?[A-Z]{1,3}"
    r"|\\?\|\s?[A-Za-z]{1,2}\s?\\?\||[A-Za-z]{1,2}(?:\s?:\s?[A-Za-z]{1,2}){1,3}"
    r"|\\overline\s?\{[A-Z]{2}\}|\\frac\s?\{(?:d|\\partial)\s?(?:\^\{?\d\}?)?\s?[A-Za-z]\}\s?\{(?:(?:d|\\partial)\s?[a-z]\s?(?:\^\{?\d\}?)?){1,2}\}"
)
# a function's value, a length, a variance: what is equal to something without being solved for
_QUANTITY = re.compile(
    r"\\text\s?\{[A-Za-z]{2,8}\}\s?[(\[][^()\[\]{}=]{1,20}[)\]]|[A-Z]\^\{?(?:-1|T)\}?|\\frac\s?\{?\s?[A-Za-z]\s?\}?\s?\{?\s?[A-Za-z]\s?\}?|\\Delta\s?[A-Za-z](?:_\{?\w{1,6}\}?)?|\\sigma\^\{?2\}?"
    r"|\\(?:bar|hat|tilde|vec|dot|ddot|overline)\s?\{?\s?(?:[A-Za-z]|\\[A-Za-z]+)\s?\}?"
    r"|\\(?:sin|cos|tan|cot|sec|csc)\s?\(?\s?\d{0,2}\s?(?:[A-Za-z]|\\[a-z]{2,8}|\\angle\s?[A-Z]{1,3})\s?\)?"
    rf"|(?:(?:[A-Za-z]{{1,2}}|\\(?:{'|'.join(GREEK)}))(?:_\{{?\w{{1,8}}\}}?)?'{{0,2}}"
    r"|\([a-zA-Z]\s?\\circ\s?[a-zA-Z]\)|[a-zA-Z]\s?\\circ\s?[a-zA-Z])"
    r"(?:\^\{?\(?-1\)?\}?)?\s?[(\[](?:[^()\[\]{};]|\{[^{}]{0,20}\}|\([^()]{1,20}\)){1,40}[)\]]"
)
_ONE = r"(?:[A-Za-z]|\\(?:bar|hat|overline)\{\s?[A-Za-z]\s?\})(?:_\{?\w\}?)?"
_NAMED = re.compile(rf"(\(\s?{_ONE}(?:\s?[,;]\s?{_ONE})+\s?\)|\(\s?r\s?[,;]\s?\\theta\s?\))\s?=")
# x \in \{2, 5\}, where the set names its members
_MEMBER = re.compile(
    r"(\\?[A-Za-z](?:_\{?\w\}?)?)\s?\\in\s?(?=\\\{(?:[^|:\\]|\\(?!mid|vert|colon|in(?![a-z])|[{}]))*\\\}\Z)"
)
_FUNCTION = re.compile(r"[A-Za-z]'{0,2}\([a-z]\)")
_POINT = re.compile(r"[A-Z]'{0,2}\s?=?\s?(?=\([^()]{0,60},)")
_VECTOR = re.compile(
    r"\\(?:vec|overrightarrow)\s?\{\s?([A-Z]\s?[A-Z])\s?\}\s?=\s?(?=\\langle|\(|\\begin|-?\d{0,9}\s?\\hat)"
)
_ENVIRONMENT = re.compile(
    r"(?:(?P<name>\\?[A-Za-z](?:_\{?\w\}?)?'?(?:\^\{?(?:-1|T)\}?)?(?:\s?\([^()=]{1,20}\))?"
    r"|-?\d?[A-Z](?:\s?[+-]?\s?\d?[A-Z]){1,3})\s?=\s?)?\\begin(?![A-Za-z])"
)
_SPACED = re.compile(r"[-+]?[1-9]\d{0,2}(?: \d{3})+(?:\.\d+)?", re.ASCII)
_COMMAND = re.compile(r"\\(?:begin|end)\{[A-Za-z]+\*?\}|\\(?!text)[A-Za-z]+")
_LIST = re.compile(r";|,(?!\d{3}(?!\d))|(?<!\d),")
_DECIMAL = re.compile(r"[-+]?\d*\.(\d{1,40})")
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Form:
    """One side of the comparison; ``core`` is the text without what is set aside, which has each its field.

    ``variable``: the name of what the core is (``x`` of ``x = 5``). ``label``: what else is called so, as it is written
    (``P(X=5)``, ``\\text{Area}``). ``unit``; ``letters``: a number and the letters after it that may be its unit or
    factors; ``product``: what was read as a number and its unit, where the letters could be factors.
    ``approximate``: the decimal behind an approximation sign. ``false``: an equation that does not hold.
    ``beyond``: a number that is not evaluated, as it is beyond the bounds.
    """

    text: str
    core: str
    value: Fraction | None = None
    unit: str = ""
    variable: str = ""
    rounded: Fraction | None = None
    false: bool = False
    moment: Moment | None = None
    label: str = ""
    letters: tuple[str, str] | None = None
    approximate: str = ""
    product: str = ""
    beyond: bool = False

    def read_unit(self) -> Form:
        """With the letters after its number as its unit."""
        if self.letters is None:
            return self
        number, unit = self.letters
        return replace(self, core=number, value=rational(number), unit=unit, letters=None)

    @property
    def shown(self) -> str:
        """The exact value where there is one that is short enough, else the text."""
        if self.value is None or self.value.denominator.bit_length() > 200 or len(self.text) > 60:
            return self.text.replace(",\\lor ", " or ").replace(",\\land ", " and ")
        if self.value.numerator.bit_length() > 200 or self.unit.startswith(BASE):
            return self.text
        return f"{self.value} {self.unit}".strip()

    @property
    def wordy(self) -> bool:
        """True where the text is words rather than mathematics."""
        if "\\text" in self.core or self.core in PLAIN:
            return True
        runs = _LETTERS.findall(_COMMAND.sub(" ", self.core))
        return any(len(run) > 2 and wordy(run) for run in runs) or self.core.lower() == "no"


@lru_cache(maxsize=1024)
def form(text: str) -> Form:
    """Reads a text. Raises :class:`~verifiers.rational.TooLarge` where a number is beyond the bounds."""
    text = plain(text)
    if "matrix" in text and ("vmatrix" in text or "\\det" in text or "|" in text):
        text = expand_determinants(text)
    if ("C" in text or "P" in text or "A_" in text or "choose" in text) and not _POINT.match(text):
        text = rewrite_binomials(text)
    bare = "=" not in text and ("\\" not in text or ("\\begin" not in text and _ABOUT.search(text) is None))
    member = _MEMBER.match(text) if "\\in" in text else None
    if member is not None:
        return _single(text, core=text[member.end() :], variable=member[1])
    if bare and not text.endswith(")"):
        return _single(text)
    environment = _ENVIRONMENT.match(text)
    if "matrix" in text and text.count("\\begin") > 1 and (chain := _matrix_chain(text)) is not None:
        return chain
    if environment is not None:
        name = environment["name"] or ""
        return Form(
            text, text[environment.end("name") + 1 if name else 0 :].strip(" ="), variable=name.replace(" ", "")
        )
    vector = _VECTOR.match(text)
    if vector is not None:
        return replace(_single(text, core=text[vector.end() :].strip()), label=f"\\vec{{{vector[1]}}}")
    point = _POINT.match(text)
    if point is not None and text.endswith(")"):
        return _single(text, core=text[point.end() :])
    named = _NAMED.match(text)
    if named is not None:
        return _single(text, core=text[named.end() :].strip(), variable=named[1].replace(" ", "").replace(";", ","))
    if bare:
        return _single(text)
    if _LIST.search(text) and _listed(text):
        return _single(text)
    sides, marks = _sides(text)
    if len(sides) < 2 or not all(sides):
        return _single(text)
    return _equation(text, sides, marks)


# A + B, 2A - B, AB: what a matrix is called
_OF_MATRICES = re.compile(r"-?\d?[A-Z](?:\^\{?(?:-1|T|\d)\}?)?(?:\s?[+-]?\s?\d?[A-Z](?:\^\{?(?:-1|T|\d)\}?)?){0,3}")


def _matrix_chain(text: str) -> Form | None:
    """``A + B = (matrix) + (matrix) = (matrix)`` as the last, where the numbers in all are the same; else None."""
    sides = [side.strip() for side in text.split("=")]
    name = sides.pop(0).replace(" ", "") if _OF_MATRICES.fullmatch(sides[0]) else ""
    if len(sides) < 2 or any(side.count("\\begin") != side.count("\\end") for side in sides):
        return None
    found = [is_same_matrix(side, sides[-1]) for side in sides[:-1]]
    if None in found or sides[-1].count("\\begin") != 1:
        return None
    return Form(text, sides[-1] if all(found) else text, variable=name, false=not all(found))


_ABOUT = re.compile(r"approx|simeq|doteq")
_MARK = re.compile(
    r"\\(?P<about>approx|simeq|doteq|thickapprox)(?![A-Za-z])|(?P<equals>(?<![<>!\\:=])=(?!=))"
    r"|\\[{}]|(?P<open>[({\[]|\\langle)|(?P<close>[)}\]]|\\rangle)|(?P<comma>[,;])|\\."
)


def _sides(text: str) -> tuple[list[str], list[str]]:
    """What stands between the signs of equality outside all brackets, and these signs: ``=`` or ``~``."""
    sides: list[str] = []
    marks: list[str] = []
    depth = start = 0
    for mark in _MARK.finditer(text):
        depth += (mark["open"] is not None) - (mark["close"] is not None)
        if depth == 0 and (mark["equals"] or mark["about"]):
            sides.append(text[start : mark.start()].strip())
            marks.append("=" if mark["equals"] else "~")
            start = mark.end()
    return [*sides, text[start:].strip()], marks


def equates(text: str) -> bool:
    r"""Whether a sign of equality stands outside all brackets: not that of ``\sum_{k=1}``."""
    return "=" in text and "=" in _sides(text)[1]


def _listed(text: str) -> bool:
    """Whether a comma or semicolon that is none of a number's stands outside all brackets."""
    depth = 0
    for mark in _MARK.finditer(text):
        depth += (mark["open"] is not None) - (mark["close"] is not None)
        if depth == 0 and mark["comma"] and _LIST.match(text, mark.start()):
            return True
    return False


def _equation(text: str, sides: list[str], marks: list[str]) -> Form:
    variable = label = approximate = ""
    if marks[0] == "=" and _is_label(sides[0]):
        label, sides, marks = sides[0], sides[1:], marks[1:]
    elif _is_variable(sides[0]) and sides[0].lower() != "no":
        variable, sides, marks = _name(sides[0]), sides[1:], marks[1:]
    elif len(sides) == 2 and _is_variable(sides[1]):
        variable, sides, marks = _name(sides[1]), sides[:1], []
    elif marks[0] == "=" and _QUANTITY.fullmatch(sides[0]):
        label, sides, marks = sides[0], sides[1:], marks[1:]
    while len(sides) > 1 and _FUNCTION.fullmatch(sides[0]):  # y = f(x) = 2x
        sides, marks = sides[1:], marks[1:]
    if "~" in marks and marks[-1] == "~" and marks.count("~") == 1 and len(sides) > 1:
        approximate, sides = sides[-1], sides[:-1]
    found = _single(text, sides[0], variable) if len(sides) == 1 else _chain(text, sides, variable)
    if approximate and found.value is not None:  # a rounding of a number tells whether it is one
        again = _chain(text, [*sides, approximate], variable)
        return replace(again, label=label, approximate=approximate)
    return replace(found, label=label, approximate=approximate) if label or approximate else found


def _name(text: str) -> str:
    return tight(text.replace("\\cdot", " ")).replace(" ", "")


def _is_variable(text: str) -> bool:
    return _VARIABLE.fullmatch(text) is not None and text not in CONSTANTS and not _PRODUCT.fullmatch(text)


def _is_label(text: str) -> bool:
    """``Area``, ``|AB|``, ``dy/dx``, but no number in words and no word that denies."""
    if _LABEL.fullmatch(text) is None:
        return False
    words = text.removeprefix("\\text").strip("{ }").lower()
    return words not in ("no", "not", "pi") and "not " not in words and parse_words(words) is None


def _single(text: str, core: str = "", variable: str = "") -> Form:
    when = moment(core or text)
    if when is not None:
        return Form(text, core or text, variable=variable, moment=when)
    core = remove_separators(as_fractions(core or text))
    if " " in core and _SPACED.fullmatch(core):
        core = core.replace(" ", "")
    value = rational(core)
    if value is not None:
        return Form(text, core, value, variable=variable)
    several = compound(core)
    if several is not None:
        return Form(text, core, several[0], several[1], variable)
    said = _said_again(core) if core.endswith((")", "}")) else None
    if said is not None:
        return Form(text, core, said, variable=variable)
    measured = quantity(core)
    if not measured.unit:
        return Form(text, core, parse_words(core), variable=variable, letters=measured.letters)
    if measured.unit.startswith(BASE):
        value = in_base(measured.core, int(measured.unit[len(BASE) :]))
        if value is None:  # a digit is none of the base: 7_2 is not 7
            return Form(text, core, variable=variable, false=True)
    else:
        value = rational(measured.core)
        if value is None:
            value = parse_words(measured.core)  # $1.5 million, two weeks
    product = core if value is not None and core.isascii() and core[-1:].isalpha() and "\\" not in core else ""
    return Form(text, measured.core, value, measured.unit, variable, product=product)


_AGAIN = re.compile(
    r"(?P<one>[^()]{1,60}?)\s?(?:\\text\s?\{\s?)?\(\s?(?:\\text\s?\{\s?)?(?P<other>[^()]{1,60}?)\s?\}?\)\s?\}?"
)


def _said_again(text: str) -> Fraction | None:
    """The number that is said in digits and again in words: ``42 (forty-two)``, ``forty-two (42)``."""
    found = _AGAIN.fullmatch(text)
    if found is None:
        return None
    in_words = [parse_words(part) for part in found.groups()]
    if in_words == [None, None]:
        return None
    one, other = (said or rational(part) for said, part in zip(in_words, found.groups(), strict=True))
    return one if one == other else None


def _chain(text: str, sides: list[str], variable: str) -> Form:
    """``3 + 4 = 7``: all sides equal, or the last one a rounding; a chain that is not all numbers is text."""
    read = [_single(side) for side in sides]
    if any("\\pi" in side.core for side in read) and any(side.unit == "degree" for side in read):
        sides = [f"\\frac{{\\pi}}{{180}}({side.core})" if side.unit == "degree" else side.core for side in read]
        return Form(text, " = ".join(sides), variable=variable)
    if any(side.unit == PERCENT for side in read) and not all(side.unit == PERCENT for side in read):
        read = [_as_share(side) for side in read]  # 1/8 = 12.5%
    first, last = read[0], read[-1]
    if any(side.value is None for side in read):
        return Form(text, " = ".join([*sides[:-1], last.core]), variable=variable, unit=last.unit)
    assert first.value is not None
    if not all(_same(first.value, side) for side in read[1:]):
        return Form(text, text, first.value, variable=variable, false=True)
    rounded = None if last.value == first.value else last.value
    return Form(text, last.core, first.value, last.unit or first.unit, variable, rounded)


def _as_share(side: Form) -> Form:
    """A percentage as the number that it is."""
    if side.unit != PERCENT or side.value is None:
        return side
    literal = re.fullmatch(r"\d+\.\d+", side.core)  # a rounding is told by its places
    core = format(Decimal(side.core).scaleb(-2), "f") if literal else f"({side.core})/100"
    return replace(side, core=core, value=side.value / 100, unit="")


def _same(value: Fraction, side: Form) -> bool:
    """Whether a side has the value, or is a decimal that differs by at most half of its last place."""
    assert side.value is not None
    if side.value == value:
        return True
    decimals = _DECIMAL.fullmatch(side.core)
    return decimals is not None and abs(side.value - value) * 2 * 10 ** len(decimals[1]) <= 1
