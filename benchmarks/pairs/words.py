r"""Numbers in words: ``forty-two``, ``three halves``, ``minus seven``, against digits and words."""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import number

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_PARTS = {
    2: "half", 3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 7: "seventh", 8: "eighth", 9: "ninth", 10: "tenth",
}  # fmt: skip


def draw(dice: random.Random) -> Fraction:
    if dice.random() < 0.35:
        return Fraction(dice.randint(1, 12), dice.choice(tuple(_PARTS)))
    return Fraction(dice.choice((-1, 1, 1, 1)) * dice.randint(0, 10 ** dice.randint(1, 4)))


def spelt(whole: int) -> str:
    """0 to 999,999."""
    if whole < 20:
        return _SMALL[whole]
    if whole < 100:
        return _TENS[whole // 10 - 2] + (f"-{_SMALL[whole % 10]}" if whole % 10 else "")
    size, name = (1000, "thousand") if whole >= 1000 else (100, "hundred")
    return f"{spelt(whole // size)} {name}" + (f" {spelt(whole % size)}" if whole % size else "")


def digits(value: Fraction, dice: random.Random) -> str:
    return number(value, dice)


def words(value: Fraction, dice: random.Random) -> str | None:
    above, below = abs(value.numerator), value.denominator
    if below == 1:
        text = spelt(above)
    elif below in _PARTS:
        part = _PARTS[below]
        text = f"{spelt(above)} {part if above == 1 else 'halves' if below == 2 else part + 's'}"
    else:
        return None
    return dice.choice(("minus ", "negative ")) + text if value < 0 else text


def capitalised(value: Fraction, dice: random.Random) -> str | None:
    text = words(value, dice)
    return text and text.capitalize()


def in_text(value: Fraction, dice: random.Random) -> str | None:
    text = words(value, dice)
    return text and f"\\text{{{text}}}"


def hyphenated(value: Fraction, dice: random.Random) -> str | None:
    """``two-thirds``, ``one-half``."""
    text = words(value, dice)
    return text.replace(" ", "-") if text and value.denominator > 1 and abs(value.numerator) < 20 else None


def mixed_words(value: Fraction, dice: random.Random) -> str | None:
    """``two and a half``, ``three and two thirds``."""
    if value.denominator == 1 or value.denominator not in _PARTS or value < 1:
        return None
    part = "a half" if value % 1 == Fraction(1, 2) else words(value % 1, dice)
    return f"{spelt(value.numerator // value.denominator)} and {part}"


def with_and(value: Fraction, dice: random.Random) -> str | None:
    text = words(value, dice)
    return text.replace("hundred ", "hundred and ") if text and "hundred " in text else None


def off(value: Fraction, dice: random.Random) -> Fraction:
    return value + Fraction(dice.choice((-1, 1)), value.denominator)


def tenfold(value: Fraction, dice: random.Random) -> Fraction:
    return value * 10


def sign(value: Fraction, dice: random.Random) -> Fraction:
    return -value


def inverted(value: Fraction, dice: random.Random) -> Fraction:
    return 1 / value if value else value


FAMILY = Family(
    "words",
    draw,
    references=(digits, digits, words),
    answers=(digits, words, words, capitalised, in_text, hyphenated, mixed_words, with_and),
    changes=(off, tenfold, sign, inverted),
)
