r"""Matrices and vectors: the environments, arrays, a factor in front, nested brackets, unit vectors."""

from __future__ import annotations

import random
from fractions import Fraction

from benchmarks.pairs.pair import Family
from benchmarks.pairs.spelling import any_spelling, fraction, latex, nudged, number, summed, term

Row = tuple[Fraction, ...]
Matrix = tuple[Row, ...]


def draw(dice: random.Random) -> Matrix:
    height, width = dice.choice(((2, 2), (2, 2), (3, 3), (2, 3), (3, 2)))
    return tuple(tuple(fraction(dice, 9) for _ in range(width)) for _ in range(height))


def _body(value: Matrix) -> str:
    return " \\\\ ".join(" & ".join(latex(x) for x in row) for row in value)


def round_matrix(value: Matrix, dice: random.Random) -> str:
    return f"\\begin{{pmatrix}} {_body(value)} \\end{{pmatrix}}"


def square_matrix(value: Matrix, dice: random.Random) -> str:
    return f"\\begin{{bmatrix}} {_body(value)} \\end{{bmatrix}}"


def tight(value: Matrix, dice: random.Random) -> str:
    body = "\\\\".join("&".join(number(x, dice) for x in row) for row in value)
    kind = dice.choice(("pmatrix", "bmatrix"))
    return f"\\begin{{{kind}}}{body}\\end{{{kind}}}"


def lines(value: Matrix, dice: random.Random) -> str:
    body = " \\\\\n".join(" & ".join(any_spelling(x, dice) for x in row) for row in value)
    return f"\\begin{{pmatrix}}\n{body}\n\\end{{pmatrix}}"


def array(value: Matrix, dice: random.Random) -> str:
    return f"\\left[\\begin{{array}}{{{'c' * len(value[0])}}} {_body(value)} \\end{{array}}\\right]"


def bare_matrix(value: Matrix, dice: random.Random) -> str:
    return f"\\left(\\begin{{matrix}} {_body(value)} \\end{{matrix}}\\right)"


def small(value: Matrix, dice: random.Random) -> str:
    return f"\\left(\\begin{{smallmatrix}} {_body(value)} \\end{{smallmatrix}}\\right)"


def factored(value: Matrix, dice: random.Random) -> str:
    k = dice.choice((2, 3, 4))
    return f"\\frac{{1}}{{{k}}} {round_matrix(tuple(tuple(x * k for x in row) for row in value), dice)}"


def nested(value: Matrix, dice: random.Random) -> str:
    rows = ("[" + ", ".join(str(x) for x in row) + "]" for row in value)
    return "[" + ", ".join(rows) + "]"


def entry(value: Matrix, dice: random.Random) -> Matrix:
    i, j = dice.randrange(len(value)), dice.randrange(len(value[0]))
    row = value[i]
    return (*value[:i], (*row[:j], nudged(row[j], dice), *row[j + 1 :]), *value[i + 1 :])


def transposed(value: Matrix, dice: random.Random) -> Matrix:
    return tuple(zip(*value, strict=True))


def swapped_rows(value: Matrix, dice: random.Random) -> Matrix:
    return value[1:] + value[:1]


def negated(value: Matrix, dice: random.Random) -> Matrix:
    return tuple(tuple(-x for x in row) for row in value)


def lost_row(value: Matrix, dice: random.Random) -> Matrix:
    return value[:-1]


MATRICES = Family(
    "matrices",
    draw,
    references=(round_matrix, round_matrix, square_matrix),
    answers=(round_matrix, square_matrix, tight, lines, array, bare_matrix, small, factored, nested),
    changes=(entry, transposed, swapped_rows, negated, lost_row),
)


def draw_vector(dice: random.Random) -> Row:
    return tuple(fraction(dice, 12) for _ in range(dice.choice((2, 3, 3))))


def column(value: Row, dice: random.Random) -> str:
    kind = dice.choice(("pmatrix", "pmatrix", "bmatrix"))
    body = " \\\\ ".join(latex(x) for x in value)
    return f"\\begin{{{kind}}} {body} \\end{{{kind}}}"


def angled(value: Row, dice: random.Random) -> str:
    return f"\\langle {', '.join(number(x, dice) for x in value)} \\rangle"


def transposed_row(value: Row, dice: random.Random) -> str:
    sign = dice.choice(("T", "\\top", "{\\mathsf{T}}"))
    return f"({', '.join(latex(x) for x in value)})^{sign}"


def components(value: Row, dice: random.Random) -> str:
    return f"({', '.join(number(x, dice) for x in value)})"


def unit_vectors(value: Row, dice: random.Random) -> str | None:
    """Not where the last component is 0: the sum would not tell how many there are."""
    if not value[-1]:
        return None
    font = dice.choice(("\\mathbf{{{}}}", "\\hat{{{}}}", "\\vec{{{}}}"))
    return summed([term(x, font.format(e)) for x, e in zip(value, "ijk", strict=False) if x])


def component(value: Row, dice: random.Random) -> Row:
    return entry((value,), dice)[0]


def rotated(value: Row, dice: random.Random) -> Row:
    return value[1:] + value[:1]


def opposite(value: Row, dice: random.Random) -> Row:
    return tuple(-x for x in value)


def doubled(value: Row, dice: random.Random) -> Row:
    return tuple(2 * x for x in value)


VECTORS = Family(
    "vectors",
    draw_vector,
    references=(column, column, angled),
    answers=(column, angled, components, transposed_row, unit_vectors),
    changes=(component, rotated, opposite, doubled),
)
