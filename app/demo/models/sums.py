"""Sums of two-digit numbers without a carry, worked out column by column: what the toy models learn."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

DIGITS = range(10)
MISTAKES = ((0,), (1,), (2,), (0, 1))
"""In which steps there may be one: the tens, the ones, the conclusion."""


@dataclass(frozen=True, slots=True)
class DigitSum:
    """Two numbers as their digits: the columns add up to at most 9."""

    tens: tuple[int, int]
    ones: tuple[int, int]

    @property
    def question(self) -> str:
        return "+".join(f"{ten}{one}" for ten, one in zip(self.tens, self.ones, strict=True)) + "?"

    @property
    def answer(self) -> str:
        return f"{sum(self.tens)}{sum(self.ones)}"

    def working(self) -> tuple[str, ...]:
        """The steps, all right."""
        return _steps(self, (sum(self.tens), sum(self.ones)), self.answer)

    def make_mistakes(self, draw: Random) -> tuple[str, ...]:
        """The steps with a mistake in one or two of them, and what follows from it."""
        wrong = draw.choice(MISTAKES)
        right = (sum(self.tens), sum(self.ones))
        columns = tuple(_other(one, draw) if n in wrong else one for n, one in enumerate(right))
        shown = [_other(one, draw) if 2 in wrong else one for one in columns]
        return _steps(self, columns, "".join(map(str, shown)))


def draw_sums(count: int, draw: Random) -> list[DigitSum]:
    return [DigitSum(_column(draw, least=1), _column(draw, least=0)) for _ in range(count)]


def _steps(asked: DigitSum, columns: tuple[int, ...], answer: str) -> tuple[str, ...]:
    return (
        f"Tens: {asked.tens[0]}+{asked.tens[1]}={columns[0]}.",
        f"Ones: {asked.ones[0]}+{asked.ones[1]}={columns[1]}.",
        f"So \\boxed{{{answer}}}.",
    )


def _column(draw: Random, least: int) -> tuple[int, int]:
    total = draw.randint(2 * least, 9)
    first = draw.randint(least, total - least)
    return first, total - first


def _other(digit: int, draw: Random) -> int:
    return draw.choice([one for one in DIGITS if one != digit])
