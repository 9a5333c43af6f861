"""Near misses of a printed answer: one thing changed, as a solver slips. All are wrong, by number or by construction.

Each rule gives candidates as texts; :func:`misses` keeps those that the evaluator calls different at every point.
Constants that anybody may choose (``C``, ``c_1``, the ``k`` of ``k\\pi``) are left alone: changed they say the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

from benchmarks.natural.read import RELATIONS, Token, read, tokens
from benchmarks.natural.tree import Answer, Expr, Fn, Frac, Group, Item, Name, Num, Pow, Prod, Side, Sum, Unread, names
from benchmarks.natural.worth import Same, compared
from benchmarks.natural.write import Writer

Rule = Callable[[str, Random], Iterator[str]]
ARBITRARY = frozenset("cCkKnmABDt")
_OPEN_FAMILY = re.compile(r"\\pi.{0,4}[kn]|[kn].{0,2}\\pi|mathbb|integer|mod")
_CONSTANT = re.compile(r"(?<![A-Za-z\\])[cCkK](?![A-Za-z])|[cCAB]_")
_UNITS = ("kg", "ft", "s", "mL", "hours", "dollars", "m", "cm^2")


def misses(reference: str, dice: Random) -> Iterator[tuple[str, str]]:
    """(family, wrong answer), at most one of a family."""
    for family, rule in RULES.items():
        if family not in _ALWAYS and (_OPEN_FAMILY.search(reference) or _CONSTANT.search(reference)):
            continue
        try:
            candidates = [one for one in rule(reference, dice) if one.strip() and one != reference]
        except Unread:
            continue
        dice.shuffle(candidates)
        for one in candidates[:6]:
            if family in _BY_CONSTRUCTION or _differs(reference, one):
                yield family, one
                break


def _differs(reference: str, one: str) -> bool:
    try:
        return compared(reference, one) is Same.NO
    except Unread:
        return False


def _without(text: str, *parts: Token) -> str:
    for token in sorted(parts, key=lambda part: -part.start):
        text = text[: token.start] + " " + text[token.end :]
    return text


def _with(text: str, token: Token, new: str) -> str:
    return text[: token.start] + new + text[token.end :]


def _below(found: list[Token], place: int) -> bool:
    """Whether a token is in a subscript."""
    return (place > 0 and found[place - 1].text == "_") or (place > 1 and found[place - 2].text == "_")


def digit_changed(text: str, dice: Random) -> Iterator[str]:
    found = tokens(text)
    for place, token in enumerate(found):
        if token.kind == "number" and not _below(found, place):
            at = dice.randrange(len(token.text))
            if token.text[at].isdigit():
                digit = str((int(token.text[at]) + dice.randint(1, 8)) % 9 + 1)
                if digit != token.text[at]:
                    yield _with(text, token, token.text[:at] + digit + token.text[at + 1 :])


def sign_changed(text: str, dice: Random) -> Iterator[str]:
    for token in tokens(text):
        if token.text in "+-":
            yield _with(text, token, " - " if token.text == "+" else " + ")
    if text[:1].isdigit() or text.startswith(("\\frac", "\\sqrt")):
        yield "-" + text


def operator_changed(text: str, dice: Random) -> Iterator[str]:
    for token in tokens(text):
        if token.text in ("+", "-"):
            yield _with(text, token, " \\cdot ")
        elif token.text in ("\\cdot", "\\times", "/"):
            yield _with(text, token, "+")


def variable_changed(text: str, dice: Random) -> Iterator[str]:
    found = tokens(text)
    for place, token in enumerate(found):
        called = place + 1 < len(found) and found[place + 1].text == "("
        if token.kind == "letter" and token.text not in "eidyf" and not _below(found, place) and not called:
            yield _with(text, token, dice.choice([each for each in "xuvwz" if each != token.text]))


def exponent_dropped(text: str, dice: Random) -> Iterator[str]:
    found = tokens(text)
    for place, token in enumerate(found[:-1]):
        if token.text == "^" and found[place + 1].kind == "number":
            yield _without(text, token, found[place + 1])
        elif token.text == "^" and found[place + 1].text == "{" and found[place + 2].text != "\\circ":
            end = next((n for n in range(place, len(found)) if found[n].text == "}"), None)
            if end is not None:
                yield _without(text, *found[place : end + 1])


def factor_dropped(text: str, dice: Random) -> Iterator[str]:
    yield from (_token_dropped(text, ("letter",)))


def number_dropped(text: str, dice: Random) -> Iterator[str]:
    yield from (_token_dropped(text, ("number",)))


def command_dropped(text: str, dice: Random) -> Iterator[str]:
    r"""``\sin``, ``\sqrt``, ``\pi`` and the like."""
    yield from (_token_dropped(text, ("command",)))


def _token_dropped(text: str, kinds: tuple[str, ...]) -> Iterator[str]:
    found = tokens(text)
    for place, token in enumerate(found):
        named = place + 1 < len(found) and found[place + 1].text in ("=", "(", "_")
        if token.kind in kinds and not _below(found, place) and not named and token.text not in RELATIONS:
            yield _without(text, token)


def function_changed(text: str, dice: Random) -> Iterator[str]:
    others = {
        "\\sin": "\\cos", "\\cos": "\\sin", "\\tan": "\\cot", "\\ln": "\\sin", "\\sqrt": "\\sqrt[5]", "\\sec": "\\csc",
        "\\csc": "\\sec", "\\arctan": "\\tan", "\\cosh": "\\sinh", "\\sinh": "\\cosh",
    }  # fmt: skip
    for token in tokens(text):
        if token.text in others and text[token.end : token.end + 1] != "[":
            yield _with(text, token, others[token.text] + " ")


def relation_changed(text: str, dice: Random) -> Iterator[str]:
    others = {"<": "\\le", ">": "\\ge", "<=": "<", ">=": ">", "!=": "="}
    for token in tokens(text):
        relation = RELATIONS.get(token.text, "")
        if relation in others:
            yield _with(text, token, f" {others[relation]} ")


def bracket_changed(text: str, dice: Random) -> Iterator[str]:
    if "\\infty" in text:
        found = tokens(text)
        for place, token in enumerate(found):
            near = {each.text for each in found[max(0, place - 3) : place + 3]}
            other = {"(": "[", "[": "(", ")": "]", "]": ")"}.get(token.text)
            if other and "\\infty" not in near:
                yield _with(text, token, other)


def name_changed(text: str, dice: Random) -> Iterator[str]:
    """``y = 5`` for ``x = 5``."""
    found = tokens(text)
    if len(found) > 2 and found[0].kind == "letter" and found[1].text == "=" and found[0].text not in "yf":
        yield _with(text, found[0], dice.choice([each for each in "uvwz" if each != found[0].text]))


def _on_expressions(text: str, change: Callable[[Expr], Iterator[Expr]]) -> Iterator[str]:
    """Every answer in which one lone expression, or the last side of one item, is changed."""
    answer = read(text)
    for place, item in enumerate(answer.items):
        last = item.sides[-1]
        parts: tuple[Expr, ...] = last.parts if isinstance(last, Group) else ()
        changed: list[Side] = []
        if isinstance(last, Group):
            for at, part in enumerate(parts):
                if "\\infty" in names(part):
                    continue
                changed += [replace(last, parts=(*parts[:at], one, *parts[at + 1 :])) for one in change(part)]
        elif isinstance(last, Expr):
            changed += list(change(last))
        for side in changed:
            yield Writer().answer(_replaced(answer, place, side))


def _replaced(answer: Answer, place: int, side: Side) -> Answer:
    item = answer.items[place]
    new = Item((*item.sides[:-1], side), item.relations, item.words)
    return replace(answer, items=(*answer.items[:place], new, *answer.items[place + 1 :]))


def term_dropped(text: str, dice: Random) -> Iterator[str]:
    yield from _on_expressions(text, _fewer_terms)


def _fewer_terms(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Sum) and len(node.terms) > 1:
        for place in range(len(node.terms)):
            yield Sum(node.terms[:place] + node.terms[place + 1 :])


def term_added(text: str, dice: Random) -> Iterator[str]:
    found = (Num("1"), Name("x"), Num("2"), Name("\\pi"))
    yield from _on_expressions(text, lambda node: iter([Sum(((1, node), (dice.choice((1, -1)), dice.choice(found))))]))


def factor_added(text: str, dice: Random) -> Iterator[str]:
    r"""``16 m n`` for ``16``, ``3 \\sin x`` for 3: a letter or function after what was the answer."""
    letters: tuple[Expr, ...] = tuple(map(Name, "mnxghsabt"))
    others = (*letters, Fn("sin", (Name("x"),)), Fn("cot", (Name("x"),)), Name("\\theta"), Prod(letters[:2]))
    yield from _on_expressions(text, lambda node: iter([Prod((node, dice.choice(others)))]))


def coefficient_alone(text: str, dice: Random) -> Iterator[str]:
    """The number that a single term begins with, without its letters."""
    yield from _on_expressions(text, _only_numbers)


def _only_numbers(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Sum) and len(node.terms) == 1:
        for inner in _only_numbers(node.terms[0][1]):
            yield Sum(((node.terms[0][0], inner),))
    if isinstance(node, Prod) and not isinstance(node.factors[-1], Num):
        yield node.factors[0]


def zero(text: str, dice: Random) -> Iterator[str]:
    yield from _on_expressions(text, lambda node: iter([Num("0")]))


def part_dropped(text: str, dice: Random) -> Iterator[str]:
    answer = read(text)
    for place in range(len(answer.items) if len(answer.items) > 1 else 0):
        items = answer.items[:place] + answer.items[place + 1 :]
        yield Writer().answer(Answer(items, answer.separators[: len(items) - 1]))


def part_repeated(text: str, dice: Random) -> Iterator[str]:
    """A further part that is none of the reference's."""
    answer = read(text)
    last = answer.items[-1].sides[-1]
    if isinstance(last, Expr) and answer.items[-1].relations in ((), ("=",)):
        new = replace(_replaced(answer, len(answer.items) - 1, Sum(((1, last), (1, Num("1"))))).items[-1])
        yield Writer().answer(Answer((*answer.items, new), (*answer.separators, ",")))


def order_changed(text: str, dice: Random) -> Iterator[str]:
    """Of a tuple's parts."""

    def turned(answer: Answer) -> Iterator[str]:
        for place, item in enumerate(answer.items):
            side = item.sides[-1]
            if isinstance(side, Group) and side.left == "(" and side.right == ")" and "\\infty" not in text:
                yield Writer().answer(_replaced(answer, place, replace(side, parts=side.parts[::-1])))

    yield from turned(read(text))


def or_as_and(text: str, dice: Random) -> Iterator[str]:
    """``x > 3 and x < 1`` for ``x > 3 or x < 1``."""
    if all(item.relations and item.relations[0] in ("<", ">", "<=", ">=") for item in read(text).items):
        for token in tokens(text):
            word = token.text[token.text.find("{") + 1 :].strip(" }")
            if word in ("or", "and"):
                yield _with(text, token, f"\\text{{ {'and' if word == 'or' else 'or'} }}")


def unit_changed(text: str, dice: Random) -> Iterator[str]:
    answer = read(text)
    if len(answer.items) == 1 and answer.items[0].words and isinstance(answer.items[0].sides[-1], Num):
        item = replace(answer.items[0], words=dice.choice([each for each in _UNITS if each != answer.items[0].words]))
        yield Writer().item(item)


def decimal_of_list(text: str, dice: Random) -> Iterator[str]:
    """``3.5`` for the list ``3,5``."""
    found = re.fullmatch(r"\s*\(?\[?\s*(-?\d+)\s*,\s*(\d+)\s*\]?\)?\s*", text)
    if found is not None:
        yield f"{found[1]}.{found[2]}"


def argument_for_value(text: str, dice: Random) -> Iterator[str]:
    """0 for ``f(0)``."""
    for token in re.finditer(r"(?<![A-Za-z\\])[a-zA-Z]\((\d)\)", text):
        yield text[: token.start()] + token[1] + text[token.end() :]


def negated(text: str, dice: Random) -> Iterator[str]:
    yield from _on_expressions(text, lambda node: iter([Sum(((-1, node),))]))


def scaled(text: str, dice: Random) -> Iterator[str]:
    yield from _on_expressions(text, lambda node: iter([Prod((Num(dice.choice("2345")), node))]))


def inverted(text: str, dice: Random) -> Iterator[str]:
    yield from _on_expressions(text, lambda node: iter([Frac(Num("1"), node)]))


def raised(text: str, dice: Random) -> Iterator[str]:
    yield from _on_expressions(text, lambda node: iter([Pow(node, Num("2"))]))


def rooted(text: str, dice: Random) -> Iterator[str]:
    yield from _on_expressions(text, lambda node: iter([Fn("sqrt", (node,))]))


def numbers_swapped(text: str, dice: Random) -> Iterator[str]:
    found = tokens(text)
    if "\\{" in text:
        return
    numbers = [token for place, token in enumerate(found) if token.kind == "number" and not _below(found, place)]
    for one, other in pairwise(numbers):
        if one.text != other.text:
            yield text[: one.start] + other.text + text[one.end : other.start] + one.text + text[other.end :]


def digits_swapped(text: str, dice: Random) -> Iterator[str]:
    found = tokens(text)
    for place, token in enumerate(found):
        if token.kind == "number" and token.text.isdigit() and len(token.text) > 1 and not _below(found, place):
            at = dice.randrange(len(token.text) - 1)
            new = token.text[:at] + token.text[at + 1] + token.text[at] + token.text[at + 2 :]
            if new != token.text and not new.startswith("0"):
                yield _with(text, token, new)


def digit_changed_unread(text: str, dice: Random) -> Iterator[str]:
    """Where the evaluator reads nothing: matrices, sums, prose. Another number is another answer."""
    try:
        read(text)
    except Unread:
        places = [found.start() for found in re.finditer(r"(?<![_\d^{.,])[2-9](?![\d.,])", text)]
        for place in dice.sample(places, min(3, len(places))):
            yield text[:place] + str((int(text[place]) - 1) % 8 + 2) + text[place + 1 :]


RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        digit_changed, sign_changed, operator_changed, variable_changed, exponent_dropped, factor_dropped,
        number_dropped, command_dropped, function_changed, relation_changed, bracket_changed, name_changed,
        term_dropped, term_added, factor_added, coefficient_alone, zero, part_dropped, part_repeated, order_changed,
        or_as_and, unit_changed, decimal_of_list, argument_for_value, negated, scaled, inverted, raised, rooted,
        numbers_swapped, digits_swapped, digit_changed_unread,
    )
}  # fmt: skip
_ALWAYS = frozenset(("term_dropped", "zero", "part_dropped", "relation_changed", "bracket_changed"))
"""Rules that change what no choice of a constant makes good."""
_BY_CONSTRUCTION = frozenset(
    (
        "part_dropped",
        "part_repeated",
        "or_as_and",
        "unit_changed",
        "decimal_of_list",
        "argument_for_value",
        "digit_changed_unread",
    )
)
