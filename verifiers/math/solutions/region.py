r"""Sets of real numbers: intervals, unions, inequalities in one variable, ``\mathbb{R}``, single points taken out.

``x > 3``, ``3 < x``, ``(3, \infty)``, ``\{x \mid x > 3\}`` and ``x \in (3, \infty)`` are one region. Inequalities side
by side hold together, or, where no number fits all of them, each for itself. Endpoints need a numeric value;
not covered: inequalities with roots, functions or several absolute values, endpoints with letters.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from verifiers.math.algebra.canonical import Canonical
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.node import (
    CONSTANTS,
    Call,
    Node,
    Number,
    Product,
    Sum,
    Symbol,
    inverse,
    negative,
    replace_symbol,
    symbols,
)
from verifiers.math.algebra.polynomial import UNIT, TooMuch
from verifiers.math.algebra.probe import number
from verifiers.math.algebra.ring import Undefined
from verifiers.math.reading.worded_range import in_signs
from verifiers.math.solutions.inequality import solution
from verifiers.math.solutions.interval import (
    ALL,
    HIGHEST,
    LOWEST,
    End,
    Interval,
    Region,
    common,
    finite,
    make_interval,
    point,
    same,
    union,
    without,
)
from verifiers.math.solutions.relation import FLIPPED, OPERATOR, pieces

MOST_PIECES = 40
_SYNTAX = re.compile(
    r"[<>]|\\(?:cup|sqcup|cap|setminus|backslash|notin|leq?|geq?|lt|gt|neq?|in|emptyset|varnothing|mathbb|leqslant|geqslant)(?![A-Za-z])"
    r"|!=|\\not\s?=|^\]|\[$|(?:all|any|every) real|real numbers|[(\[]\s?-\s?\\infty\s?,|,\s?\+?\s?\\infty\s?[)\]]"
)
_PREFIX = re.compile(r"\\?[A-Za-z](?:_\{?\w\}?)?\s?(?:\\in|∈)(?![A-Za-z])\s?")
_OUTSIDE = re.compile(r"\\?[A-Za-z](?:_\{?\w\}?)?\s?\\notin(?![A-Za-z])\s?")
_CONDITION = re.compile(
    r"\\\{\s?\\?[A-Za-z]\s?(?:\\in\s?\\mathbb\s?\{?R\}?\s?)?(?:\\mid|\\vert|\||:|\\colon)\s?(.*)\\\}"
)
_UNION = re.compile(r"\\(?:sq)?cup(?![A-Za-z])|\\lor(?![A-Za-z])|\\vee(?![A-Za-z])|(?<=[\])}])\s?U\s?(?=[\[({])")
_BOTH = re.compile(r"\\cap(?![A-Za-z])")
_WITHOUT = re.compile(r"\\(?:setminus|backslash|smallsetminus)(?![A-Za-z])|(?<=[\])}R])\s?-\s?(?=\\\{)")
# x \ne 1, 2; all real numbers except 1
_EXCEPT = re.compile(
    r"(?:\\?[A-Za-z]\s?(?:\\neq?(?![A-Za-z])|!=)|(?:all )?real(?:s| numbers)(?: x)?,?"
    r" (?:except|other than|but)(?: for| where)?)"
    r"\s?(?:[A-Za-z]\s?=)?\s?([^<>=\\]*(?:\\(?:sqrt|frac|pi|pm|land|ln|log)[^<>=\\]*){0,6})"
)
_HALF = re.compile(
    r"\\mathbb\s?\{?\s?R\s?\}?\s?(?:\^|_)\s?\{?\s?(\^?[+-]|[<>]|\\(?:le|ge)(?:q|qslant)?)(?:\s?0)?\s?\}?", re.IGNORECASE
)
_TEXT = re.compile(r"\\text\s?\{([^{}]*)\}")
_HALF_IN_WORDS = re.compile(
    r"(?:all|any|every)(?: the)? ((?:non[- ]?)?(?:positive|negative)) real(?:s| numbers?| values?)?(?: of)?(?: [a-z])?",
    re.IGNORECASE,
)
_HALVES = {"positive": "x > 0", "negative": "x < 0", "nonnegative": "x \\ge 0", "nonpositive": "x \\le 0"}
_REALS = re.compile(
    r"\\mathbb\s?\{?\s?R\s?\}?|\\Re|\\R|(?:all|any|every)(?: the)? real(?:s| numbers?| values?)?(?: of)?(?: [a-z])?"
    r"|-\s?\\infty\s?<\s?[a-z]\s?<\s?\+?\s?\\infty",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\\(?:emptyset|varnothing)|\\\{\s?\\\}"
    r"|(?:there (?:is|are) |(?:the |it |this )?(?:equation|system|inequality|problem)?s? ?ha(?:s|ve) )?"
    r"no (?:real )?(?:solutions?(?: exists?)?|such [a-z]{1,9}(?: exists?)?)"
    r"|none|(?:the )?empty set",
    re.IGNORECASE,
)
_BRACE = re.compile(r"\\[{}]")
_BOTH_SIGNS = re.compile(r"\s*\\pm(?![A-Za-z])\s*")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_SETS = re.compile(r"\\mathbb\s?\{?\s?[A-Z]\s?\}?|\\text\s?\{[^{}]*\}")
_LETTER = re.compile(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])")
_TOGETHER = re.compile(r",|;|\\land(?![A-Za-z])|\\wedge(?![A-Za-z])")
_AND = re.compile(r"\\(?:land|wedge)(?![A-Za-z])")
_JOINT = re.compile(
    r"(?P<bracket>[()])|(?P<sign>\\(?:lor|vee|land|wedge)(?![A-Za-z]))|(?P<relation>[<>=≤≥]|\\(?:[lg]eq?|[lg]t|neq?)(?![a-z]))"
)
_INFINITE = re.compile(r"([-+]?)\s?(?:\\infty|\\infinity|inf|infty|infinity|oo)")


def regional(text: str) -> bool:
    """Whether a text is written as a set of numbers or as inequalities."""
    # most texts have none of these signs, which are looked for faster
    if not ("\\" in text or "<" in text or ">" in text or "!=" in text or "real" in text):
        return text.startswith("]") or text.endswith(("[", "[\n"))
    return _SYNTAX.search(text) is not None


def is_empty(text: str) -> bool:
    """Whether a text says that nothing solves it: ``no real solutions``, ``the empty set``, ``\\{\\}``."""
    return _EMPTY.fullmatch(" ".join(_TEXT.sub(r" \1 ", text).split())) is not None


def unknowns(text: str) -> set[str]:
    """The letters that relations are about."""
    if OPERATOR.search(text) is None:
        return set()
    return set(_LETTER.findall(_COMMAND.sub(" ", _SETS.sub(" ", text)))) - {"e", "i"}


def variable(text: str) -> str:
    """The one letter that inequalities are about; empty where they have none, several, or bind it (a set)."""
    member = _PREFIX.match(text)
    if member is not None and OPERATOR.search(text) is None:
        return member[0].partition("\\in")[0].partition("∈")[0].strip()
    if OPERATOR.search(text) is None or text.startswith("\\{"):
        return ""
    found = unknowns(text)
    return found.pop() if len(found) == 1 else ""


def region(text: str) -> Region | None:
    """The region of a plain text, or None where it is none that is read here."""
    text = _TEXT.sub(r"\1", text).strip()
    text = in_signs(_PREFIX.sub("", text, count=1) if _PREFIX.match(text) else text)
    outside = _OUTSIDE.match(text)
    if outside is not None:
        return without(ALL, region(text[outside.end() :]))
    if (halved := _HALF_IN_WORDS.fullmatch(text)) is not None:
        return region(_HALVES[halved[1].lower().replace("-", "").replace(" ", "")])
    condition = _CONDITION.fullmatch(text)
    if condition is not None and _is_balanced(condition[1]):
        text = _PREFIX.sub("", condition[1].strip(), count=1)
    if "(" in text and (joints := _joints(text)) is not None:
        return _grouped(text, joints)
    parts = [part.strip(" ,") for part in _UNION.split(text)]
    if len(parts) > 1:
        return union([region(part) for part in parts]) if len(parts) <= MOST_PIECES else None
    shared = _BOTH.split(text)
    if len(shared) > 1:
        return _in_all([region(part.strip()) for part in shared]) if len(shared) <= MOST_PIECES else None
    sides = _WITHOUT.split(text)
    if len(sides) == 2:
        return without(region(sides[0]), region(sides[1]))
    excepted = _EXCEPT.fullmatch(text)
    if excepted is not None:
        return without(ALL, _points(excepted[1].replace("\\land", "")))
    half = _HALF.fullmatch(text)
    if half is not None:
        return _half(half[1])
    if _REALS.fullmatch(text):
        return ALL
    if _EMPTY.fullmatch(text):
        return []
    return _conditions(text) if OPERATOR.search(text) else _interval(text)


def _joints(text: str) -> list[re.Match[str]] | None:
    """The "and" and "or" outside of brackets, of conditions of which some stand in brackets; None of another text."""
    depth, inside, joints = 0, False, list[re.Match[str]]()
    for found in _JOINT.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if not 0 <= depth <= MOST_PIECES:
            return None
        inside = inside or (depth > 0 and found["relation"] is not None)
        if depth == 0 and found["sign"]:
            joints.append(found)
    whole = text.startswith("(") and text.endswith(")")
    return joints if inside and depth == 0 and (joints or whole) else None


def _grouped(text: str, joints: list[re.Match[str]]) -> Region | None:
    """Conditions whose brackets say what is joined; without brackets "and" binds more than "or"."""
    if not joints:
        return region(text[1:-1])
    unions = [joint for joint in joints if joint[0] in ("\\lor", "\\vee")]
    edges = [0, *(edge for joint in unions or joints for edge in joint.span()), len(text)]
    parts = [region(text[start:end].strip(" ,")) for start, end in zip(edges[::2], edges[1::2], strict=True)]
    return union(parts) if unions else _in_all(parts)


def _is_balanced(text: str) -> bool:
    """Whether no brace of a set closes that was not opened in it."""
    depth = 0
    for brace in _BRACE.finditer(text):
        depth += 1 if brace[0] == "\\{" else -1
        if depth < 0:
            return False
    return True


def _in_all(parts: list[Region | None]) -> Region | None:
    found: Region | None = ALL
    for part in parts:
        found = common(found, part)
    return found


def _half(sign: str) -> Region:
    """The positive or negative real numbers, or these and zero."""
    zero = End(0.0, Number(Fraction(0)), sign not in "+-<>")
    return [Interval(LOWEST, zero)] if sign[0] in "-<" or sign.startswith("\\l") else [Interval(zero, HIGHEST)]


def _interval(text: str) -> Region | None:
    if text[:1] in "\\{" and text[-1:] == "}":
        return _points(text.removeprefix("\\")[1:-1].removesuffix("\\"))
    text = _inward(text)
    if text.count(";") == 1 and "," not in text:
        text = text.replace(";", ",")
    if text[:1] not in "([" or text[-1:] not in ")]" or text.count(",") != 1:
        return None
    low, high = (_end(part) for part in text[1:-1].split(","))
    if low is None or high is None:
        return None
    if low.at > high.at or (math.isinf(low.at) and text[0] == "[") or (math.isinf(high.at) and text[-1] == "]"):
        return None
    return make_interval(End(low.at, low.node, text[0] == "["), End(high.at, high.node, text[-1] == "]"))


def _inward(text: str) -> str:
    """``]0, 1[`` as ``(0, 1)``."""
    left, right = ("(" if text[:1] == "]" else text[:1]), (")" if text[-1:] == "[" else text[-1:])
    return f"{left}{text[1:-1]}{right}" if len(text) > 1 else text


def _points(inside: str) -> Region | None:
    if "\\{" in inside:  # a set of sets
        return None
    found: list[Region | None] = []
    for part in inside.split(","):
        for one in _signed(part):
            end = _end(one)
            found.append(None if end is None or end.node is None else [point(end)])
    return union(found)


def _signed(text: str) -> list[str]:
    """``\\pm 4`` as both, anything else as it is."""
    both = _BOTH_SIGNS.match(text)
    return [text] if both is None else [text[both.end() :], f"-({text[both.end() :]})"]


def _end(text: str) -> End | None:
    infinite = _INFINITE.fullmatch(text.strip())
    if infinite is not None:
        return End(-math.inf if infinite[1] == "-" else math.inf)
    node = expression(text)
    return None if node is None else finite(node)


def _conditions(text: str) -> Region | None:
    """Inequalities side by side: all of them, or, where nothing fits all and no "and" joins them, any of them."""
    parts = [part for part in _TOGETHER.split(text) if part.strip()]
    found = [_condition(part) for part in parts]
    if not 1 <= len(found) <= MOST_PIECES or any(one is None for one in found):
        return None
    together: Region | None = found[0]
    for one in found[1:]:
        together = common(together, one)
    if together is None or together or len(found) == 1 or _AND.search(text):
        return together
    return union(found)


def _condition(text: str) -> Region | None:
    excepted = _EXCEPT.fullmatch(text.strip()) if "\\pm" in text else None
    return _chain(text) if excepted is None else without(ALL, _points(excepted[1]))


def is_bounded_twice(text: str) -> bool:
    """Whether conditions side by side bound from one side at different places: ``x > 1, x > 5``.

    Together they are the stricter one, as alternatives the laxer one, so such a list hedges.
    """
    parts = [part.strip(" ,") for side in _UNION.split(text) for part in _TOGETHER.split(side)][:MOST_PIECES]
    found = [_chain(part) for part in parts if part.strip()] if len(parts) > 1 else []
    rays = [one[0] for one in found if one is not None and len(one) == 1]
    lows = {ray.low.at for ray in rays if not math.isinf(ray.low.at)}
    highs = {ray.high.at for ray in rays if not math.isinf(ray.high.at)}
    if not (lows and highs):
        return len(lows) > 1 or len(highs) > 1
    # with nothing in common they can only be alternatives
    return (len(lows) > 1 or len(highs) > 1) and max(lows) < min(highs)


def is_redundant(text: str) -> bool:
    """Whether one part of a union is in the others: ``(3, \\infty) or (9, \\infty)``, which names two and hedges.

    A part that is said twice is one.
    """
    texts = _UNION.split(text)
    parts: list[Region] = []
    for part in (region(part.strip(" ,")) for part in texts if len(texts) <= MOST_PIECES):
        if part is None:
            return False
        parts += [part] if not any(same(part, known) for known in parts) else []
    whole = union([*parts]) or []
    rests = (union([*parts[:place], *parts[place + 1 :]]) for place in range(len(parts)))
    return any(rest and same(rest, whole) for rest in rests)


def _chain(text: str) -> Region | None:
    """``1 < x \\le 3``: each neighbouring pair holds."""
    parts = pieces(text)
    if len(parts) > 5 or len(parts) < 3:
        return None
    if len(parts) > 3 and (ends := _within_all(parts)) is not None:
        parts = ends  # 2 < x < \infty
    nodes = [expression(part) for part in parts[::2]]
    region_found: Region | None = ALL
    for place, operator in enumerate(parts[1::2]):
        left, right = nodes[place], nodes[place + 1]
        if left is None or right is None:
            return None
        region_found = common(region_found, _inequality(left, operator, right))
    return region_found


def _within_all(parts: list[str]) -> list[str] | None:
    """A chain without its infinite ends, which bound nothing; None where none of them does."""
    low, high = _INFINITE.fullmatch(parts[0]), _INFINITE.fullmatch(parts[-1])
    rising = all(sign in ("<", "<=") for sign in parts[1::2])
    if not rising or (low is not None and low[1] != "-") or (high is not None and high[1] == "-"):
        return None
    if (parts[1] == "<=" and low is not None) or (parts[-2] == "<=" and high is not None):
        return None
    kept = parts[2 if low is not None else 0 : -2 if high is not None else len(parts)]
    return kept if 3 <= len(kept) < len(parts) else None


def _inequality(left: Node, operator: str, right: Node) -> Region | None:
    for one, other, turned in ((left, right, operator), (right, left, FLIPPED[operator])):
        if isinstance(one, Call) and one.name == "abs" and not symbols(other) - CONSTANTS:
            return _absolute(one.arguments[0], turned, other)
    solved = _solved(left, operator, right)
    if solved is None:
        return solution(Sum((left, negative(right))), operator)
    end, operator = solved
    if operator == "!=":
        return without(ALL, [point(end)])
    if operator == "=":
        return [point(end)]
    closed = End(end.at, end.node, "=" in operator)
    return [Interval(LOWEST, closed)] if operator[0] == "<" else [Interval(closed, HIGHEST)]


def _absolute(inner: Node, operator: str, bound: Node) -> Region | None:
    """``|u| < b`` is ``-b < u < b``."""
    high = _inequality(inner, operator, bound)
    low = _inequality(inner, FLIPPED[operator], negative(bound))
    if operator == "=":
        return union([high, low])
    return common(high, low) if operator[0] in "<!" else union([high, low])


def _solved(left: Node, operator: str, right: Node) -> tuple[End, str] | None:
    """A linear relation in one variable solved for it."""
    if isinstance(left, Symbol) and not symbols(right) - CONSTANTS:
        end = finite(right)
        return None if end is None else (end, operator)
    if isinstance(right, Symbol) and not symbols(left) - CONSTANTS:
        end = finite(left)
        return None if end is None else (end, FLIPPED[operator])
    difference = Sum((left, negative(right)))
    names = symbols(difference) - CONSTANTS
    if len(names) != 1:
        return None
    return _linear(difference, next(iter(names)), operator)


def _linear(difference: Node, name: str, operator: str) -> tuple[End, str] | None:
    """The zero of ``f(x)`` is ``-f(0) / (f(1) - f(0))`` where the canonical form says that f is linear."""
    canonical = Canonical()
    try:
        form = canonical.of(difference)
    except (TooMuch, Undefined):
        return None
    exponents = [power for monomial in form.above for atom, power in monomial if atom == name]
    if set(exponents) != {1} or not canonical.ring.exact or form.below.keys() != {UNIT}:
        return None
    zero, one = (replace_symbol(difference, name, Number(Fraction(place))) for place in (0, 1))
    slope = number(Sum((one, negative(zero))))
    end = finite(Product((negative(zero), inverse(Sum((one, negative(zero)))))))
    if slope is None or isinstance(slope[0], complex) or end is None:
        return None
    return end, FLIPPED[operator] if slope[0] < 0 else operator
