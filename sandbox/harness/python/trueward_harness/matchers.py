"""Objects of the tests' classes that a solution made, where the class says what equals them.

A class that matches anything, or within a tolerance, is a tool of the tests': an object of it, with attributes of the
solution's choice, would be equal to whatever is expected. So one that equals a plain value, and other values as well,
does not judge. The other values are drawn from the neighbourhood of that one, by the value itself, which the solution
does not know: whoever leaves holes between the values that an object equals (``range(0, 10**13, 7)``) misses the right
one about as often as all of these.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import wraps
from types import FunctionType
from typing import Any, NoReturn

_DRAWN = 200
"""Other values. An object that equals one value in so many is found two times in three."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"


def guard(kind: type, made: Callable[[object], bool], refuse: Callable[[], NoReturn]) -> None:
    """Watches what a class of the tests' says of equality. ``refuse`` is called where an object that the solution
    ``made`` would match."""
    for base in kind.__mro__[:-1]:
        for name, equals in (("__eq__", True), ("__ne__", False)):
            own = vars(base).get(name)
            if own is not None and not hasattr(own, "guarded"):
                setattr(base, name, _guarded(base, own, equals, made, refuse))


def _guarded(
    kind: type, own: Any, equals: bool, made: Callable[[object], bool], refuse: Callable[[], NoReturn]
) -> Callable[[Any, Any], Any]:
    """A method in the place of ``own``, whose answer is that it ``equals``, or that it does not."""

    def ask(item: Any, other: Any) -> Any:
        bound = own.__get__(item, type(item)) if hasattr(own, "__get__") else own
        return bound(other)

    def matches(item: Any, other: Any) -> bool:
        try:
            return _says(ask(item, other), equals)
        except Exception:  # noqa: BLE001 - a value that its class cannot compare is not equal
            return False

    def compare(self: Any, other: Any) -> Any:
        answer = ask(self, other)
        judges = made(self) and not isinstance(other, kind) and _says(answer, equals)
        if judges and any(matches(self, another) for another in _others(other)):
            refuse()
        return answer

    if isinstance(own, FunctionType):
        compare = wraps(own)(compare)
    vars(compare)["guarded"] = True
    return compare


def _says(answer: object, wanted: bool) -> bool:
    return answer is not NotImplemented and bool(answer) is wanted


def _others(value: Any) -> Iterator[object]:
    """Values like that one which are not equal to it."""
    yield object()
    draw = random.Random(repr(value)[:10_000])
    for _ in range(_DRAWN):
        if isinstance(value, bool):
            yield not value
            return
        if isinstance(value, int | float | complex):
            yield value + _distance(draw, value)
        elif isinstance(value, str):
            yield _another_text(draw, value)
        elif isinstance(value, bytes):
            yield _another_text(draw, value.decode("latin-1")).encode("latin-1", "replace")
        elif isinstance(value, list):
            yield _another_list(draw, value)
        elif isinstance(value, tuple):
            yield tuple(_another_list(draw, list(value)))
        elif isinstance(value, dict):
            names = list(value)
            yield dict(zip(names, _changed(draw, list(value.values())), strict=True)) if names else {0: 0}
        elif isinstance(value, set | frozenset):
            yield {*value, object()}
            return
        else:
            return


def _distance(draw: random.Random, value: float | complex) -> int:
    """How far another number is: of any size up to some times its own, on either side."""
    digits = len(str(int(min(abs(value), 1e300)))) if value == value else 1
    return draw.choice((-1, 1)) * draw.randint(1, 10 ** draw.randint(1, digits + 1))


def _another_text(draw: random.Random, value: str) -> str:
    """A text of the same kinds of characters, one or more of which are others, or that is longer or shorter."""
    if not value or draw.random() < 0.1:
        return value + draw.choice(_LETTERS)
    if len(value) > 1 and draw.random() < 0.1:
        return value[:-1] if not value[-1].isspace() else value.rstrip()[:-1]
    places = draw.sample(range(len(value)), draw.randint(1, min(len(value), 8)) if draw.random() < 0.7 else 1)
    letters = list(value)
    for place in places:
        letters[place] = _another_letter(draw, letters[place])
    made = "".join(letters)
    return made if made.casefold() != value.casefold() else value + "x"


def _another_letter(draw: random.Random, letter: str) -> str:
    if letter.isdigit():
        return draw.choice(_DIGITS.replace(letter, "") or _DIGITS)
    if letter.isalpha():
        other = draw.choice(_LETTERS.replace(letter.lower(), ""))
        return other.upper() if letter.isupper() else other
    return letter


def _another_list(draw: random.Random, items: list[Any]) -> list[Any]:
    if not items or draw.random() < 0.1:
        return [*items, object()]
    return _changed(draw, items)


def _changed(draw: random.Random, items: list[Any]) -> list[Any]:
    """The items, one or more of which are others."""
    made = list(items)
    for place in draw.sample(range(len(made)), draw.randint(1, min(len(made), 8))):
        item = made[place]
        number = isinstance(item, int | float) and not isinstance(item, bool)
        if number:
            made[place] = item + _distance(draw, item)
        else:
            made[place] = _another_text(draw, item) if isinstance(item, str) else object()
    return made
