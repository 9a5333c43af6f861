r"""Is the answer the question in other words, where the reference is worked out? Three rules, each by form alone:

- an operation that somebody has to carry out (an integral, a sum over an index, a limit, a determinant, a greatest
  common divisor) stands in the answer and in the question, and in no reference;
- the answer has the :func:`~verifiers.math.algebra.shape.shape` of a formula of the question, no fewer operands, and is
  not written as a reference is: ``456 * 123``;
- the answer is an equation or inequality of the question, up to a factor, and not solved, the reference is: ``4 = 2x``.

Of a chain of equals (``6 * 7 = 42``) each side has to be such. Called where the answer equals a reference. Linear but
for sorting. Not covered: other sums and products of the same value (``120 * 456 + 3 * 456``), the formula within an
identity (``\sqrt{(2 * 3)^2}``), functions of an angle (``\cos 60°`` for ``\sin 30°``).
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import NamedTuple

from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.node import CONSTANTS, Node, Symbol, symbols
from verifiers.math.algebra.shape import TooDeep, operands, operates, shape
from verifiers.math.question import LONGEST, Question, question
from verifiers.math.reading.form import form
from verifiers.math.reading.option import rest
from verifiers.math.reading.surface import plain
from verifiers.math.solutions.relation import Relation, equivalent, relation
from verifiers.rational import TooLarge


class _Operation(NamedTuple):
    """How an operation is written, and which words of a question ask for it."""

    sign: re.Pattern[str]
    words: re.Pattern[str]


def _operation(sign: str, words: str) -> _Operation:
    return _Operation(re.compile(sign), re.compile(rf"\b(?:{words})", re.IGNORECASE))


_OPERATIONS = (
    _operation(r"(?<![A-Za-z])(?:i{1,3}nt|o?int)(?![A-Za-z])|[∫∬∭∮]", "integra|antiderivative|area under"),
    _operation(r"(?<![A-Za-z])sum(?![A-Za-z])|∑", "sum|series|add"),
    _operation(r"(?<![A-Za-z])prod(?![A-Za-z])|∏", "product"),
    _operation(r"(?<![A-Za-z])lim(?:sup|inf)?(?![A-Za-z])", "limit"),
    _operation(r"(?<![A-Za-z])det(?![A-Za-z])|vmatrix|\|\s?\\begin", "determinant"),
    _operation(
        r"\\end\s?\{[a-zA-Z]{0,6}(?:matrix|array)\}\s?[)\]]?\s?(?:\^\s?\{?\s?\d|[-+*]?[\s\d.(/*]*(?:\\(?:cdot|times)\s?)?[\s\d.()]*\\begin)",
        "matri(?:x|ces)|vectors?",
    ),
    _operation(r"(?<![A-Za-z])(?:gcd|hcf)(?![A-Za-z])", r"(?:greatest|highest|largest) common"),
    _operation(r"(?<![A-Za-z])lcm(?![A-Za-z])", r"(?:least|lowest|smallest) common"),
)
_MARK = re.compile(r"\\.|(?P<open>[({\[])|(?P<close>[)}\]])|(?P<equals>(?<![<>!:=])=(?![=<>]))|(?P<comma>,)", re.DOTALL)
_APPROXIMATELY = re.compile(r"\\(?:approx|simeq|doteq|thickapprox)(?![A-Za-z])")
_NAME = re.compile(r"\\?[A-Za-z]+(?:_\{?\w{1,8}\}?)?'{0,2}|[A-Za-z]'{0,2}\s?\([^()=]{1,20}\)")
_NUMERAL = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")
_NEAR = Fraction(1, 100)
"""How far a decimal behind an approximation sign may be from the reference, relative to it."""


def restates(prompt: str, answer: str, references: tuple[str, ...]) -> bool:
    """Whether an answer that equals a reference only restates the question."""
    written = plain(answer)
    if _NUMERAL.fullmatch(written):
        return False
    asked, operations = question(prompt), _asks(prompt)
    if not (asked.shapes or asked.relations or operations):
        return False
    written = rest(written) or written
    wanted = [plain(reference) for reference in references]
    parts = [[_claimed(side, wanted) for side in sides] for sides in _parts(written)]
    # what no reference has left to carry out
    signs = [one.sign for one in operations if not any(map(one.sign.search, wanted))]
    if any(sides and all(any(sign.search(side) for sign in signs) for side in sides) for sides in parts):
        return True
    return (len(parts) == 1 and _reordered(parts[0], wanted, asked)) or _unsolved(written, wanted, asked)


@lru_cache(maxsize=256)
def _asks(prompt: str) -> tuple[_Operation, ...]:
    """The operations that the question asks to carry out; looked for once a prompt."""
    asked = prompt[:LONGEST]
    return tuple(one for one in _OPERATIONS if one.sign.search(asked) or one.words.search(asked))


def _reordered(sides: list[str], wanted: list[str], asked: Question) -> bool:
    read = [_read(side) for side in sides]
    # several sides with variables are an equation
    if len(read) > 1 and any(node is None or symbols(node) - CONSTANTS for node in read):
        return False
    written_so = {_shape(_read(side), merged=False) for one in wanted for sides in _parts(one) for side in sides}
    return bool(read) and all(
        node is not None
        and operates(node)
        and operands(node) >= asked.shapes.get(_shape(node, merged=True), inf)
        and _shape(node, merged=False) not in written_so
        for node in read
    )


def _unsolved(written: str, wanted: list[str], asked: Question) -> bool:
    given = relation(written)
    if given is None or _solved(given) or any(one and not _solved(one) for one in map(relation, wanted)):
        return False
    found = (equivalent(given, one) for one in asked.relations if _solved(one) is False)
    return any(decision is not None and decision.equal for decision in found)


def _solved(one: Relation) -> bool:
    """Whether one side is a variable that the other is free of."""
    sides = ((one.left, one.right), (one.right, one.left))
    return any(isinstance(a, Symbol) and a.name not in CONSTANTS and a.name not in symbols(b) for a, b in sides)


def _parts(text: str) -> list[list[str]]:
    """The sides of each part of a list, without what only names a value; brackets keep what is in them together."""
    parts: list[list[str]] = [[]]
    depth = start = 0
    for mark in _MARK.finditer(text):
        depth += (mark.lastgroup == "open") - (mark.lastgroup == "close")
        if depth == 0 and mark.lastgroup in ("equals", "comma"):
            parts[-1].append(text[start : mark.start()].strip())
            start = mark.end()
            if mark.lastgroup == "comma":
                parts.append([])
    parts[-1].append(text[start:].strip())
    return [[side for side in sides if side and not _NAME.fullmatch(side)] for sides in parts]


def _claimed(side: str, wanted: list[str]) -> str:
    """What is compared of ``a \\approx b``: ``b`` where it is near a reference, else ``a``."""
    exact, *rounded = _APPROXIMATELY.split(side)
    values = [value for one in wanted if rounded and (value := _value(one)) is not None]
    for one in rounded[:1]:
        found = _value(one)
        if found is not None and any(abs(found - value) <= _NEAR * abs(value) for value in values):
            return one
    return exact


def _value(text: str) -> Fraction | None:
    try:
        return form(text).value
    except TooLarge:
        return None


def _read(side: str) -> Node | None:
    """The side's tree, without its unit."""
    try:
        return expression(form(side).core)
    except TooLarge:
        return None


def _shape(node: Node | None, *, merged: bool) -> str:
    """Empty where there is none."""
    try:
        return "" if node is None else shape(node, merged=merged)
    except TooDeep:
        return ""
