r"""Integers with a base as subscript, against the same in LaTeX's variants, words, and in base ten."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from benchmarks.pairs.pair import Family

_WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 12: "twelve"}


@dataclass(frozen=True, slots=True)
class Based:
    value: int
    base: int

    @property
    def digits(self) -> str:
        text, rest = "", self.value
        while rest:
            rest, digit = divmod(rest, self.base)
            text = "0123456789AB"[digit] + text
        return text


def draw(dice: random.Random) -> Based:
    base = dice.choice(tuple(_WORDS))
    value = dice.randint(base, base ** dice.randint(2, 6))
    found = Based(value, base)
    return found if found.digits.isdigit() else draw(dice)


def subscript(value: Based, dice: random.Random) -> str:
    return f"{value.digits}_{{{value.base}}}"


def bare_subscript(value: Based, dice: random.Random) -> str | None:
    return f"{value.digits}_{value.base}" if value.base < 10 else None


def in_brackets(value: Based, dice: random.Random) -> str:
    return f"({value.digits})_{{{value.base}}}"


def worded(value: Based, dice: random.Random) -> str:
    return f"{value.digits}_{{\\text{{{_WORDS[value.base]}}}}}"


def spaced(value: Based, dice: random.Random) -> str:
    return dice.choice(("{}_{{{}}}", "\\text{{{}}}_{{{}}}", "{{{}}}_{{{}}}", "{{{}}}_{}")).format(
        value.digits, value.base
    )


def said(value: Based, dice: random.Random) -> str:
    return dice.choice(("{} base {}", "{} \\text{{ (base }} {})", "{} (base {})", "{}\\text{{ base }}{}")).format(
        value.digits, value.base
    )


def base_ten(value: Based, dice: random.Random) -> str:
    return dice.choice((str(value.value), f"{value.value}_{{10}}"))


def off(value: Based, dice: random.Random) -> Based:
    return replace(value, value=value.value + dice.choice((-1, 1, 2)))


def other_base(value: Based, dice: random.Random) -> Based:
    """The same digits."""
    base = dice.choice([b for b in _WORDS if b > max(int(d) for d in value.digits)])
    return Based(int(value.digits, base), base)


def reversed_digits(value: Based, dice: random.Random) -> Based:
    return replace(value, value=int(value.digits[::-1], value.base))


def same_number(reference: Based, answer: Based) -> bool:
    return reference.value == answer.value or not answer.digits.isdigit()


FAMILY = Family(
    "bases",
    draw,
    references=(subscript, subscript, bare_subscript),
    answers=(subscript, bare_subscript, in_brackets, worded, spaced, said, base_ten),
    changes=(off, other_base, reversed_digits),
    same=same_number,
)
