"""Other spellings of a printed answer, all as right as it is: by layout alone, or proved the same by the evaluator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

from benchmarks.natural.read import read
from benchmarks.natural.tree import (
    Answer,
    Expr,
    Fn,
    Frac,
    Group,
    Item,
    Name,
    Num,
    Pow,
    Prod,
    Side,
    Sum,
    Unread,
    names,
)
from benchmarks.natural.worth import Same, compared
from benchmarks.natural.write import Writer

Rule = Callable[[str, Random], Iterator[str]]
_COMMAND = re.compile(r"\\(?!text|mathrm|mbox|operatorname|begin)[A-Za-z]+")
_PROSE = re.compile(r"[A-Za-z]{2,}")
_GROUPED = re.compile(r"\d\s*,\s*(?:\\!\s*)?\d{3}")
_ENVIRONMENTS = ("\\begin", "\n", "\\\\")


def respellings(reference: str, dice: Random) -> Iterator[tuple[str, str]]:
    """(family, right answer), at most one of a family; an answer is given whole, a response by ``wrapped``."""
    for family, rule in {**LAYOUT, **MEANT}.items():
        try:
            candidates = [
                one for one in rule(reference, dice) if one.strip() and (one != reference or family == "verbatim")
            ]
        except Unread:
            continue
        dice.shuffle(candidates)
        for one in candidates[:4]:
            if family in LAYOUT or family in _BY_CONSTRUCTION or _same(reference, one):
                yield family, one
                break


def _same(reference: str, one: str) -> bool:
    try:
        return compared(reference, one) is Same.YES
    except Unread:
        return False


def verbatim(text: str, dice: Random) -> Iterator[str]:
    yield text


def blanks_removed(text: str, dice: Random) -> Iterator[str]:
    if (
        not _GROUPED.search(text)
        and not _PROSE.search(_COMMAND.sub("", text))
        and not any(mark in text for mark in _ENVIRONMENTS)
    ):
        yield re.sub(r"(\\[A-Za-z]+)?\s+(?=([A-Za-z])?)", _tight, text)


def _tight(found: re.Match[str]) -> str:
    # a command and the letter after it stay apart
    return (found[1] or "") + (" " if found[1] and found[2] else "")


def blanks_added(text: str, dice: Random) -> Iterator[str]:
    if "text" not in text and "mathrm" not in text and not _GROUPED.search(text):
        yield re.sub(r"(?<=[\w})])\s*([+=,])\s*(?=[\w\\({])", r" \1 ", text)


def display_fractions(text: str, dice: Random) -> Iterator[str]:
    if re.search(r"\\[td]?frac(?![A-Za-z])", text):
        yield re.sub(r"\\[td]?frac(?![A-Za-z])", r"\\dfrac", text)
        yield re.sub(r"\\[td]?frac(?![A-Za-z])", r"\\frac", text)


def left_right(text: str, dice: Random) -> Iterator[str]:
    if "\\left" in text:
        yield re.sub(r"\\(?:left|right)(?:\s?\.|(?![A-Za-z]))", "", text)
    elif "(" in text and text.count("(") == text.count(")"):
        yield text.replace("(", "\\left(").replace(")", "\\right)")


def thin_blanks(text: str, dice: Random) -> Iterator[str]:
    if "," in text and "text" not in text and not _GROUPED.search(text):
        yield re.sub(r",\s*(?!\d{3})", r",\\, ", text)


def braces(text: str, dice: Random) -> Iterator[str]:
    yield re.sub(r"\^([\w])(?![\d.])", r"^{\1}", text)
    yield re.sub(r"\^\{(\w)\}", r"^\1", text)


def unicode_signs(text: str, dice: Random) -> Iterator[str]:
    changed = text
    for sign, command in {"π": "pi", "≤": "le", "≥": "ge", "∞": "infty", "≠": "neq", "·": "cdot", "±": "pm"}.items():
        changed = re.sub(rf"\\{command}q?(?![A-Za-z])", sign, changed)
    yield changed


def words_set(text: str, dice: Random) -> Iterator[str]:
    r"""``\text { ellipse }`` as ``\text{ellipse}``, ``\mathrm{ft}`` as ``\text{ ft}``, and bare words."""
    if re.search(r"\\(?:text|mathrm|mbox)\s*\{", text):
        yield re.sub(r"\\(?:text|mathrm|mbox)\s*\{[\s~]*([^{}ei~][^{}~]*?)[\s~]*\}", r"\\text{ \1 }", text)
        yield re.sub(r"\\(?:text|mathrm|mbox)\s*\{[\s~]*([^{}ei~][^{}~]*?)[\s~]*\}", r"\\text { \1 }", text)
    elif re.fullmatch(r"[A-Z][a-z]+(?: [a-z]+){0,6}\.?", text):
        yield f"\\text{{{text}}}"
        yield text.lower()


def terms_reordered(text: str, dice: Random) -> Iterator[str]:
    yield from _everywhere(text, lambda node: Sum(node.terms[::-1]) if isinstance(node, Sum) else node)


def factors_reordered(text: str, dice: Random) -> Iterator[str]:
    yield from _everywhere(text, _turned)


def _turned(node: Expr) -> Expr:
    if isinstance(node, Prod) and not isinstance(node.factors[0], Num):
        return Prod(node.factors[::-1])
    return Prod((node.factors[0], *node.factors[:0:-1])) if isinstance(node, Prod) else node


def multiplication_signs(text: str, dice: Random) -> Iterator[str]:
    answer = read(text)
    written = re.sub(
        r"(?<=[\w}]) (?=[A-Za-z\\])(?!\\(?:cdot|text|le|ge|neq|cup|approx|pm))", r" \\cdot ", Writer().answer(answer)
    )
    if not answer.items[0].words and "or" not in answer.separators and "and" not in answer.separators:
        yield written


def keyboard(text: str, dice: Random) -> Iterator[str]:
    """``2*x^3/sqrt(1+x^4)``."""
    answer = read(text)
    if "\\pm" not in text and not any(
        names(side) & {"\\infty"} for item in answer.items for side in item.sides if isinstance(side, Expr)
    ):
        yield Writer(plain=True).answer(answer)


def slashes(text: str, dice: Random) -> Iterator[str]:
    r"""``\frac{a}{b}`` as ``(a)/(b)``."""
    changed = re.sub(r"(?<![\d\s])\\[td]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"((\1)/(\2))", text)
    yield changed
    yield re.sub(r"\A\\[td]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}\Z", lambda one: _quotient(one[1], one[2]), text)


def _quotient(above: str, below: str) -> str:
    return "/".join(part if re.fullmatch(r"\w+", part) else f"({part})" for part in (above, below))


def fraction_before(text: str, dice: Random) -> Iterator[str]:
    r"""``\frac{3x}{4}`` as ``\frac{3}{4} x``, and back."""
    yield from _everywhere(text, _before)


def _before(node: Expr) -> Expr:
    if isinstance(node, Frac) and isinstance(node.above, Prod) and isinstance(node.above.factors[0], Num):
        return Prod((Frac(node.above.factors[0], node.below), *node.above.factors[1:]))
    first = node.factors[0] if isinstance(node, Prod) else node
    if isinstance(node, Prod) and isinstance(first, Frac):
        return Frac(Prod((first.above, *node.factors[1:])), first.below)
    return node


def fraction_split(text: str, dice: Random) -> Iterator[str]:
    """``(a + b)/c`` as ``a/c + b/c``."""

    def split(node: Expr) -> Expr:
        if not isinstance(node, Frac) or not isinstance(node.above, Sum):
            return node
        below = node.below
        return Sum(tuple((sign, Frac(term, below)) for sign, term in node.above.terms))

    yield from _everywhere(text, split)


def fraction_expanded(text: str, dice: Random) -> Iterator[str]:
    """``a/b`` as ``2a/2b``."""

    def expanded(node: Expr) -> Expr:
        if not isinstance(node, Frac):
            return node
        return Frac(Prod((Num("2"), node.above)), Prod((Num("2"), node.below)))

    yield from _everywhere(text, expanded)


def multiplied_out(text: str, dice: Random) -> Iterator[str]:
    """``a(b + c)`` as ``ab + ac``, ``(a + b)^2`` as ``(a + b)(a + b)`` multiplied out."""
    yield from _everywhere(text, _distributed)


def _distributed(node: Expr) -> Expr:
    if isinstance(node, Pow) and isinstance(node.base, Sum) and node.exponent == Num("2"):
        node = Prod((node.base, node.base))
    sums = [factor for factor in node.factors if isinstance(factor, Sum)] if isinstance(node, Prod) else []
    if not isinstance(node, Prod) or not sums or any(sign == 0 for one in sums for sign, _ in one.terms):
        return node
    terms: list[tuple[int, tuple[Expr, ...]]] = [(1, ())]
    for factor in node.factors:
        parts = factor.terms if isinstance(factor, Sum) else ((1, factor),)
        terms = [(sign * other, (*done, part)) for sign, done in terms for other, part in parts]
    return Sum(tuple((sign, Prod(factors)) for sign, factors in terms)) if len(terms) <= 12 else node


def roots_as_powers(text: str, dice: Random) -> Iterator[str]:
    yield from _everywhere(
        text,
        lambda node: (
            Pow(node.arguments[0], Frac(Num("1"), Num("2")))
            if isinstance(node, Fn) and node.name == "sqrt" and len(node.arguments) == 1
            else node
        ),
    )


def powers_below(text: str, dice: Random) -> Iterator[str]:
    """``x^{-2}`` as ``1/x^2``."""

    def below(node: Expr) -> Expr:
        if isinstance(node, Pow) and isinstance(node.exponent, Sum) and node.exponent.terms[0][0] == -1:
            return Frac(Num("1"), Pow(node.base, Sum(tuple((-sign, term) for sign, term in node.exponent.terms))))
        return node

    yield from _everywhere(text, below)


def decimals(text: str, dice: Random) -> Iterator[str]:
    """A fraction whose decimal ends, as that decimal."""
    found = re.fullmatch(r"(-?)\\[td]?frac\s*\{\s*(\d{1,6})\s*\}\s*\{\s*(\d{1,6})\s*\}", text)
    if found and int(found[3]):
        number = Fraction(int(found[2]), int(found[3]))
        for places in range(1, 7):
            if (number * 10**places).denominator == 1:
                yield f"{found[1]}{float(number):.{places}f}"
                break


def fractions(text: str, dice: Random) -> Iterator[str]:
    """A decimal as a fraction."""
    if re.fullmatch(r"-?\d+\.\d{1,5}", text):
        number = Fraction(text)
        yield f"{'-' if number < 0 else ''}\\frac{{{abs(number.numerator)}}}{{{number.denominator}}}"


def name_dropped(text: str, dice: Random) -> Iterator[str]:
    """The value alone of what has a name: ``x = 5``, ``f(x) = 2x``, ``\\sigma^2 = 4``."""
    answer = read(text)
    if len(answer.items) == 1 and answer.items[0].relations == ("=",):
        left, right = answer.items[0].sides
        if isinstance(left, Name) or (_is_call(left) and not isinstance(right, Group)):
            yield Writer().item(replace(answer.items[0], sides=(right,), relations=()))


def _is_call(side: Side) -> bool:
    """``f(x)``, ``P(A)``, ``y(2)``."""
    return isinstance(side, Fn) and side.name.startswith("call ")


def name_added(text: str, dice: Random) -> Iterator[str]:
    if re.fullmatch(r"-?(?:\d+|\\[td]?frac\{\d+\}\{\d+\}|\d*\\sqrt\{\d+\})", text):
        yield f"x = {text}"


def sides_swapped(text: str, dice: Random) -> Iterator[str]:
    """``5 = x`` for ``x = 5``, ``3 < x`` for ``x > 3``."""
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "!=": "!="}
    answer = read(text)
    if len(answer.items) == 1 and len(answer.items[0].relations) == 1 and not answer.items[0].words:
        item = answer.items[0]
        if item.relations[0] in turned and not any(isinstance(side, Group) for side in item.sides):
            yield Writer().item(Item(item.sides[::-1], (turned[item.relations[0]],)))


def on_one_side(text: str, dice: Random) -> Iterator[str]:
    """``2x - y + 3 = 0`` for ``y = 2x + 3``."""
    answer = read(text)
    if len(answer.items) == 1 and answer.items[0].relations == ("=",) and not answer.items[0].words:
        left, right = answer.items[0].sides
        plain = (
            "pm" not in text
            and isinstance(left, Name)
            and isinstance(right, Expr)
            and len(names(left) | names(right)) > 1
        )
        if plain and isinstance(left, Expr) and isinstance(right, Expr) and not _is_call(left):
            yield Writer().item(Item((Sum(((1, left), (-1, right))), Num("0")), ("=",)))


def list_reordered(text: str, dice: Random) -> Iterator[str]:
    """Of solutions of one equation: ``x = 2, x = -2``."""
    answer = read(text)
    sides = [item.sides[0] for item in answer.items]
    alike = all(item.relations == ("=",) and isinstance(item.sides[0], Name) for item in answer.items)
    if len(answer.items) > 1 and alike and len(set(sides)) == 1:
        yield Writer().answer(Answer(answer.items[::-1], answer.separators))


def or_as_comma(text: str, dice: Random) -> Iterator[str]:
    answer = read(text)
    if set(answer.separators) == {"or"} and all(item.relations in ((), ("=",)) for item in answer.items):
        yield Writer().answer(Answer(answer.items, ("," for _ in answer.separators)))  # type: ignore[arg-type]


def signs_written_out(text: str, dice: Random) -> Iterator[str]:
    r"""``x = \pm 2`` as ``x = 2 \text{ or } x = -2``."""
    if text.count("\\pm") == 1 and "," not in text and "or" not in text and "(" not in text:
        left, _, right = text.rpartition("=")
        name = f"{left}=" if left else ""
        both = [name + right.replace("\\pm", sign) for sign in ("+", "-")]
        yield both[0] + " \\text{ or } " + both[1]
        yield ", ".join(both)


def interval_as_inequality(text: str, dice: Random) -> Iterator[str]:
    """And back: ``x > 3`` as ``(3, \\infty)``."""
    answer = read(text)
    if len(answer.items) != 1 or answer.items[0].words:
        return
    item = answer.items[0]
    if len(item.relations) == 1 and item.sides[0] == Name("x") and isinstance(item.sides[1], Expr):
        bound, relation = Writer().expr(item.sides[1]), item.relations[0]
        if relation in ("<", "<="):
            yield f"(-\\infty, {bound}{']' if relation == '<=' else ')'}"
        elif relation in (">", ">="):
            yield f"{'[' if relation == '>=' else '('}{bound}, \\infty)"


def _everywhere(text: str, change: Callable[[Expr], Expr]) -> Iterator[str]:
    """The answer with every expression in it changed where the change fits."""
    answer = read(text)
    items = tuple(replace(item, sides=tuple(_side(side, change) for side in item.sides)) for item in answer.items)
    if items != answer.items:
        yield Writer().answer(Answer(items, answer.separators))


def _side(side: Side, change: Callable[[Expr], Expr]) -> Side:
    if isinstance(side, Group):
        return replace(side, parts=tuple(_deep(part, change) for part in side.parts))
    return _deep(side, change) if isinstance(side, Expr) else side


def _deep(node: Expr, change: Callable[[Expr], Expr]) -> Expr:
    if isinstance(node, Sum):
        node = Sum(tuple((sign, _deep(term, change)) for sign, term in node.terms))
    elif isinstance(node, Prod):
        node = Prod(tuple(_deep(factor, change) for factor in node.factors))
    elif isinstance(node, Frac):
        node = Frac(_deep(node.above, change), _deep(node.below, change))
    elif isinstance(node, Pow):
        node = Pow(_deep(node.base, change), node.exponent)
    return change(node)


LAYOUT: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        verbatim, blanks_removed, blanks_added, display_fractions, left_right, thin_blanks, braces, unicode_signs,
        words_set,
    )
}  # fmt: skip
MEANT: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        terms_reordered, factors_reordered, multiplication_signs, keyboard, slashes, fraction_before, fraction_split,
        fraction_expanded, multiplied_out,
        roots_as_powers, powers_below, decimals, fractions, name_dropped, name_added, sides_swapped, on_one_side,
        list_reordered, or_as_comma, signs_written_out, interval_as_inequality,
    )
}  # fmt: skip
_BY_CONSTRUCTION = frozenset(
    ("decimals", "name_dropped", "name_added", "sides_swapped", "on_one_side", "list_reordered", "or_as_comma",
     "signs_written_out", "interval_as_inequality")
)  # fmt: skip
