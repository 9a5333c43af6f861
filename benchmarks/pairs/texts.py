r"""Answers that are words or a choice's letter: casing, fonts, brackets, the option's text beside the letter."""

from __future__ import annotations

import random

from benchmarks.pairs.pair import Family

_GROUPS = (
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ("even", "odd", "neither"),
    ("increasing", "decreasing", "constant"),
    ("yes", "no"),
    ("true", "false"),
    ("isosceles triangle", "equilateral triangle", "right triangle"),
    ("ellipse", "parabola", "hyperbola", "circle"),
    ("converges", "diverges"),
    ("rational", "irrational"),
    ("Alice", "Bob", "Charlie", "Evelyn", "Carla"),
    ("red", "green", "blue", "yellow"),
    ("clockwise", "counterclockwise"),
    ("Paris", "London", "Berlin", "Rome"),
    ("no solution", "infinitely many solutions", "exactly one solution"),
)


def draw(dice: random.Random) -> str:
    return dice.choice(dice.choice(_GROUPS))


def as_is(value: str, dice: random.Random) -> str:
    return value


def font(value: str, dice: random.Random) -> str:
    kind = "text" if " " in value else dice.choice(("text", "text", "textbf", "mathrm", "textit"))
    return f"\\{kind}{{{value}}}"


def casing(value: str, dice: random.Random) -> str:
    return dice.choice((value.lower(), value.capitalize(), value.upper()))


def full_stop(value: str, dice: random.Random) -> str:
    return f"{value.capitalize()}."


def article(value: str, dice: random.Random) -> str | None:
    """Only before what a curve or a triangle is called."""
    vowel = value[0] in "aeiou"
    shape = value.endswith("triangle") or value in _GROUPS[6]
    return f"{'an' if vowel else 'a'} {value}" if shape else None


def other_word(value: str, dice: random.Random) -> str:
    group = next(group for group in _GROUPS if value in group)
    return dice.choice([word for word in group if word != value])


def negated(value: str, dice: random.Random) -> str:
    return f"not {value}"


TEXTS = Family(
    "texts",
    draw,
    references=(as_is, as_is, font),
    answers=(as_is, font, casing, full_stop, article),
    changes=(other_word, other_word, negated),
)


def draw_letter(dice: random.Random) -> str:
    return dice.choice("ABCDE")


def letter(value: str, dice: random.Random) -> str:
    return value


def round_brackets(value: str, dice: random.Random) -> str:
    return f"({value})"


def bracketed(value: str, dice: random.Random) -> str:
    return dice.choice(("({})", "{})", "{}.")).format(value)


def letter_font(value: str, dice: random.Random) -> str:
    forms = ("\\text{{{}}}", "\\textbf{{({})}}", "\\text{{({})}}", "\\mathrm{{{}}}", "\\mathbf{{{}}}")
    return dice.choice(forms).format(value)


def with_option(value: str, dice: random.Random) -> str:
    option = dice.randint(2, 999)
    return dice.choice(("({}) {}", "{}. {}", "\\textbf{{({})}} {}", "\\text{{({}) }} {}")).format(value, option)


def named(value: str, dice: random.Random) -> str:
    return dice.choice(("Option {}", "\\text{{Option {}}}", "option {}", "Choice {}")).format(value)


def other_letter(value: str, dice: random.Random) -> str:
    return dice.choice([other for other in "ABCDE" if other != value])


CHOICES = Family(
    "choices",
    draw_letter,
    references=(letter, letter, round_brackets, letter_font),
    answers=(letter, bracketed, letter_font, with_option, named),
    changes=(other_letter,),
)
