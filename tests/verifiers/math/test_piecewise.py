r"""Functions in pieces: equal wherever both have a value, however the line is cut; nothing else is."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from verifiers.math.algebra.decision import Decision
from verifiers.math.compare import Tolerance
from verifiers.math.decide import decide
from verifiers.math.piecewise import compare_pieces
from verifiers.math.reading.form import form
from verifiers.math.single import single

ABS = r"\begin{cases} -x & x < 0 \\ x & x \ge 0 \end{cases}"


def decided(answer: str, reference: str) -> Decision | None:
    return decide(form(answer), form(reference), lambda a, r: single(a, r, Tolerance()))


def cases(*pieces: tuple[str, str]) -> str:
    return r"\begin{cases} " + r" \\ ".join(f"{value} & {condition}" for value, condition in pieces) + r" \end{cases}"


@pytest.mark.parametrize(
    ("answer", "reference", "equal"),
    [
        (r"\begin{cases} -x & x \le 0 \\ x & x > 0 \end{cases}", ABS, True),
        (r"\begin{cases} -x & x < 0 \\ 0 & x = 0 \\ x & x > 0 \end{cases}", ABS, True),
        (r"\begin{cases} -x & x < 0 \\ 1 & x = 0 \\ x & x > 0 \end{cases}", ABS, False),
        (r"\begin{cases} -x & x < 0 \\ x & x > 0 \end{cases}", ABS, False),
        (r"\begin{cases} x & x < 0 \\ -x & x \ge 0 \end{cases}", ABS, False),
        (r"\begin{cases} x & \text{otherwise} \\ -x & x < 0 \end{cases}", ABS, True),
        ("|x|", ABS, True),
        (r"\left|x\right|", ABS, True),
        (ABS, "|x|", True),
        ("x", ABS, False),
        ("-|x|", ABS, False),
        ("|x| + 1", ABS, False),
        ("5", ABS, False),
        (
            r"\begin{cases} 1 & x > 0 \\ 0 & x \le 0 \end{cases}",
            r"\begin{cases} 1 & x \ge 0 \\ 0 & x < 0 \end{cases}",
            False,
        ),
    ],
)
def test_functions_are_compared_by_their_values(answer: str, reference: str, equal: bool) -> None:
    found = decided(answer, reference)
    assert found is not None
    assert found.equal is equal


def test_conditions_that_are_no_regions_tell_nothing_where_their_numbers_differ() -> None:
    parity = (("1", "n even"), ("0", "n odd"))
    assert compare_pieces((("1", "n even"), ("0", "n = 1"), ("0", "n odd, n > 1")), parity, equal_texts) is None
    assert compare_pieces((("0", "n even"), ("1", "n odd")), parity, equal_texts) == Decision(False, "unequal")


def equal_texts(answer: str, reference: str) -> Decision:
    return Decision(answer == reference, "equal" if answer == reference else "unequal")


@pytest.mark.parametrize("seed", range(30))
def test_a_function_that_is_cut_once_more_is_the_same_and_another_value_in_one_piece_is_not(seed: int) -> None:
    """By construction: cuts and lines are drawn, and an evaluation by fractions says what is equal."""
    random = Random(seed)
    cuts = sorted(random.sample(range(-9, 10), random.randint(1, 3)))
    lines = [(random.randint(-4, 4), random.randint(-9, 9)) for _ in range(len(cuts) + 1)]
    reference = written(cuts, lines, random)
    more = sorted({*cuts, random.choice([n for n in range(-12, 13) if n not in cuts])})
    split = [lines[sum(cut < between for cut in cuts)] for between in midpoints(more)]
    assert (found := decided(written(more, split, random), reference)) is not None
    assert found.equal
    at = random.randrange(len(split))
    wrong = [*split[:at], (split[at][0], split[at][1] + random.choice([-1, 1])), *split[at + 1 :]]
    assert (found := decided(written(more, wrong, random), reference)) is not None
    assert not found.equal


def midpoints(cuts: list[int]) -> list[Fraction]:
    ends = [cuts[0] - 2, *cuts, cuts[-1] + 2]
    return [Fraction(low + high, 2) for low, high in pairwise(ends)]


def written(cuts: list[int], lines: list[tuple[int, int]], random: Random) -> str:
    """Each cut belongs to the piece above it; the order of the pieces is drawn."""
    conditions = [
        f"x < {cuts[0]}",
        *(rf"{low} \le x < {high}" for low, high in pairwise(cuts)),
        rf"x \ge {cuts[-1]}",
    ]
    pieces = [
        (f"{slope}x + {rise}" if rise >= 0 else f"{slope}x - {-rise}", condition)
        for (slope, rise), condition in zip(lines, conditions, strict=True)
    ]
    random.shuffle(pieces)
    return cases(*pieces)
