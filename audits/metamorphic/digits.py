"""Mutations of a number by its digits, sign and point; its unit or variable stays as it is.

Each is a wrong number by more than the subject tolerates. The last decimal is neither dropped nor added to: that could
pass for a rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random

from audits.metamorphic.amount import DecimalNumber, read_amount
from audits.metamorphic.transformation import Task, breaking
from audits.metamorphic.verifiers import DIGITS


def digit_changed(task: Task, dice: Random) -> str | None:
    """One digit is another: 1234 as 1734."""

    def others(number: DecimalNumber) -> Iterable[DecimalNumber]:
        digits = number.whole + number.part
        for place, digit in enumerate(digits):
            for other in "0123456789":
                if other != digit:
                    yield _with_digits(number, digits[:place] + other + digits[place + 1 :])

    return _one_of(task, dice, others)


def digit_added(task: Task, dice: Random) -> str | None:
    """A digit more before the point: 1234 as 12734."""

    def longer(number: DecimalNumber) -> Iterable[DecimalNumber]:
        if number.whole != "0":
            for place in range(len(number.whole) + 1):
                yield replace(number, whole=number.whole[:place] + dice.choice("123456789") + number.whole[place:])

    return _one_of(task, dice, longer)


def digit_dropped(task: Task, dice: Random) -> str | None:
    """A digit less: 1234 as 134."""

    def shorter(number: DecimalNumber) -> Iterable[DecimalNumber]:
        if len(number.whole) > 1:
            for place in range(len(number.whole)):
                yield replace(number, whole=number.whole[:place] + number.whole[place + 1 :])
        for place in range(len(number.part) - 1):
            yield replace(number, part=number.part[:place] + number.part[place + 1 :])

    return _one_of(task, dice, shorter)


def digits_swapped(task: Task, dice: Random) -> str | None:
    """Two neighbouring digits that differ change places: 1234 as 1324."""

    def swapped(number: DecimalNumber) -> Iterable[DecimalNumber]:
        digits = number.whole + number.part
        for place in range(len(digits) - 1):
            pair = digits[place + 1] + digits[place]
            yield _with_digits(number, digits[:place] + pair + digits[place + 2 :])

    return _one_of(task, dice, swapped)


def sign_flipped(task: Task, dice: Random) -> str | None:
    """The other sign: 5 as -5."""
    return _one_of(task, dice, lambda number: [replace(number, negative=not number.negative)])


def off_by_one(task: Task, dice: Random) -> str | None:
    """An integer one higher or lower: 1234 as 1235."""

    def neighbours(number: DecimalNumber) -> Iterable[DecimalNumber]:
        if not number.part:
            for step in (-1, 1):
                value = int(number.value) + step
                yield DecimalNumber(value < 0, str(abs(value)))

    return _one_of(task, dice, neighbours)


def point_moved(task: Task, dice: Random) -> str | None:
    """Ten times as much, or a tenth: 3.14 as 31.4, 12 as 120."""

    def moved(number: DecimalNumber) -> Iterable[DecimalNumber]:
        yield DecimalNumber(
            number.negative, (number.whole + (number.part or "0")[0]).lstrip("0") or "0", number.part[1:]
        )
        if number.part:
            yield DecimalNumber(number.negative, number.whole[:-1] or "0", number.whole[-1] + number.part)

    return _one_of(task, dice, moved)


def _with_digits(number: DecimalNumber, digits: str) -> DecimalNumber:
    return replace(number, whole=digits[: len(number.whole)], part=digits[len(number.whole) :])


def _one_of(task: Task, dice: Random, mutants: Callable[[DecimalNumber], Iterable[DecimalNumber]]) -> str | None:
    amount = read_amount(task.text)
    if amount is None:
        return None
    number = amount.number
    wrong = [
        mutant
        for mutant in mutants(number)
        if not (len(mutant.whole) > 1 and mutant.whole.startswith("0"))
        and task.margin.is_exceeded(number.value, mutant.value)
    ]
    return str(amount.holding(dice.choice(wrong))) if wrong else None


DIGIT_MUTATIONS = breaking(
    DIGITS, digit_changed, digit_added, digit_dropped, digits_swapped, sign_flipped, off_by_one, point_moved
)
