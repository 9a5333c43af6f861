"""Spellings of an integer that a model would write."""

from __future__ import annotations

from random import Random

from audits.metamorphic.amount import DecimalNumber, read_number
from audits.metamorphic.transformation import Task, keeping
from audits.metamorphic.verifiers import MATH, NUMBERS, VALUES


def integer_grouped(task: Task, dice: Random) -> str | None:
    """With thousands separators: 1234 as 1,234."""
    return _grouped(task.text, ",")


def integer_grouped_latex(task: Task, dice: Random) -> str | None:
    """With separators in LaTeX: 1234 as 1{,}234."""
    return _grouped(task.text, "{,}")


def integer_thin_spaces(task: Task, dice: Random) -> str | None:
    """With narrow blanks: 12345 as 12 345."""
    number = _integer(task.text)
    return _grouped(task.text, "\u202f") if number and len(number.whole) > 4 else None


def integer_plain(task: Task, dice: Random) -> str | None:
    """A reference with separators, without them: 1,234 as 1234."""
    number = _integer(task.text)
    return str(number) if number and "," in task.text else None


def integer_point_zero(task: Task, dice: Random) -> str | None:
    """As a decimal: 12 as 12.0."""
    number = _integer(task.text)
    return f"{number}.0" if number else None


def integer_plus(task: Task, dice: Random) -> str | None:
    """With its sign: 12 as +12."""
    number = _integer(task.text)
    return f"+{number}" if number and number.value > 0 else None


def integer_quotient(task: Task, dice: Random) -> str | None:
    r"""As a fraction: 12 as \frac{12}{1}."""
    number = _integer(task.text)
    return rf"\frac{{{number}}}{{1}}" if number else None


def integer_scientific(task: Task, dice: Random) -> str | None:
    r"""In scientific notation: 1200 as 1.2 \times 10^{3}."""
    number = _integer(task.text)
    if number is None or not number.whole.endswith("00"):
        return None
    digits = number.whole.rstrip("0")
    mantissa = str(DecimalNumber(number.negative, digits[0], digits[1:]))
    return rf"{mantissa} \times 10^{{{len(number.whole) - 1}}}"


def number_minus_sign(task: Task, dice: Random) -> str | None:
    """With Unicode's minus: -5 as −5."""
    number = read_number(task.text)
    return f"−{number.bare}" if number and number.value < 0 else None


def number_named(task: Task, dice: Random) -> str | None:
    """As the value of a variable: 5 as x = 5."""
    number = read_number(task.text)
    return f"x = {number}" if number else None


def number_in_dollars(task: Task, dice: Random) -> str | None:
    """Set as mathematics: 5 as $5$."""
    number = read_number(task.text)
    return f"${number}$" if number else None


def number_in_bold(task: Task, dice: Random) -> str | None:
    r"""In another font: 5 as \mathbf{5}."""
    number = read_number(task.text)
    return rf"\mathbf{{{number}}}" if number else None


def number_with_full_stop(task: Task, dice: Random) -> str | None:
    """With the sentence's full stop: 5 as 5."""
    number = read_number(task.text)
    return f"{number}." if number else None


def _integer(text: str) -> DecimalNumber | None:
    number = read_number(text)
    return number if number and not number.part else None


def _grouped(text: str, separator: str) -> str | None:
    number = _integer(text)
    if number is None or len(number.whole) < 4:
        return None
    return ("-" if number.negative else "") + f"{int(number.whole):,}".replace(",", separator)


INTEGERS = (
    *keeping(NUMBERS, integer_grouped, integer_plain, integer_point_zero, integer_plus, number_minus_sign),
    *keeping(NUMBERS, integer_scientific, number_in_dollars, number_with_full_stop),
    *keeping(VALUES, integer_quotient, integer_grouped_latex, integer_thin_spaces),
    *keeping(MATH, number_named, number_in_bold),
)
