r"""Functions in pieces are equal where their expressions are, on each region that a piece of each shares.

``x`` for ``x < 0`` and ``2x`` else is ``x`` for ``x \le 0``, ``2x`` for ``0 < x < 1`` and ``2x`` for ``x \ge 1``: where
two pieces share single points alone, their values there are compared. An expression beside a function in pieces is
one piece, in which ``|x|`` is ``x`` or ``-x`` by the region. Not covered: conditions that are no regions of one
variable, but for pieces that have a partner with the same condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.node import Number
from verifiers.math.compare import Tolerance
from verifiers.math.reading.cases import OTHERWISE
from verifiers.math.reading.form import form
from verifiers.math.single import single
from verifiers.math.solutions.interval import ALL, Region, common, same, union, without
from verifiers.math.solutions.region import region

Pieces = tuple[tuple[str, str], ...]
"""(expression, condition) of each."""

Equal = Callable[[str, str], Decision | None]
_LETTER = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])")
_UNEQUAL = Decision(False, "unequal_parts")
_POSITIVE, _NEGATIVE = region(r"x \ge 0"), region(r"x \le 0")


def is_piecewise(pieces: Pieces) -> bool:
    """Whether each condition is a region: the rows of a matrix have none."""
    return _regions(pieces) is not None


def compare_pieces(ours: Pieces, theirs: Pieces, equal: Equal) -> Decision | None:
    """None where it cannot be told. As many pieces, of which one has no partner, are unequal then."""
    if len(ours) != len(theirs):
        return _by_regions(ours, theirs, equal)
    found = _by_partners(ours, theirs, equal)
    return found if found != _UNEQUAL else _by_regions(ours, theirs, equal) or _UNEQUAL


def _by_partners(ours: Pieces, theirs: Pieces, equal: Equal) -> Decision | None:
    """Each piece has a partner with its condition, in any order."""
    left = list(ours)
    for value, condition in theirs:
        partner = next((piece for piece in left if _same_condition(piece[1], condition)), None)
        partner = partner or next((piece for piece in left if _rest(piece, ours, condition, theirs)), None)
        if partner is None:
            return _UNEQUAL
        left.remove(partner)
        found = equal(partner[0], value)
        if found is None or not found.equal:
            return found
    return Decision(True, "equal_parts")


def _by_regions(ours: Pieces, theirs: Pieces, equal: Equal) -> Decision | None:
    mine, others = _regions(ours), _regions(theirs)
    letters = {letter for _, condition in (*ours, *theirs) for letter in _LETTER.findall(condition)}
    if mine is None or others is None or len(letters) != 1:
        return None
    [variable] = letters
    everywhere, everywhere_there = union([*mine]), union([*others])
    if everywhere is None or everywhere_there is None:
        return None
    if (agree := same(everywhere, everywhere_there)) is not True:
        return _UNEQUAL if agree is False else None
    for (value, _), place in zip(ours, mine, strict=True):
        for (reference, _), there in zip(theirs, others, strict=True):
            shared = common(place, there)
            if shared is None:
                return None
            for a, r in _compared(value, reference, shared, variable):
                found = equal(a, r)
                if found is None or not found.equal:
                    return found and _UNEQUAL
    return Decision(True, "equal_parts")


def _compared(answer: str, reference: str, shared: Region, variable: str) -> list[tuple[str, str]]:
    """What has to be equal on the region: the expressions, or their values where it is single points alone."""
    points = [interval.low for interval in shared if interval.low == interval.high]
    numbers = [f"({point.node.value})" for point in points if isinstance(point.node, Number)]
    if len(numbers) == len(shared):
        return [(_put(answer, variable, each), _put(reference, variable, each)) for each in numbers]
    return [(_signed(answer, variable, shared), _signed(reference, variable, shared))]


def _regions(pieces: Pieces) -> list[Region] | None:
    """Where each piece holds."""
    said = [None if condition == OTHERWISE else region(condition) for _, condition in pieces]
    rest = without(ALL, union([place for place in said if place is not None]))
    found = [rest if condition == OTHERWISE else place for (_, condition), place in zip(pieces, said, strict=True)]
    known = [place for place in found if place is not None]
    return known if len(known) == len(found) else None


def _put(text: str, variable: str, number: str) -> str:
    return re.sub(rf"(?<![A-Za-z\\]){variable}(?![A-Za-z])", number, text)


def _signed(text: str, variable: str, place: Region) -> str:
    """The text with ``|x|`` as it is on a region without both signs."""
    for side, value in ((_POSITIVE, f"({variable})"), (_NEGATIVE, f"(-{variable})")):
        if without(place, side) == []:
            return re.sub(rf"\\left\s?\|\s?{variable}\s?\\right\s?\||\|\s?{variable}\s?\|", value, text)
    return text


def _rest(piece: tuple[str, str], ours: Pieces, condition: str, theirs: Pieces) -> bool:
    """Whether one condition is "otherwise" and the other says just what the other pieces leave."""
    if (piece[1] == OTHERWISE) == (condition == OTHERWISE):
        return False
    said, pieces_of_it = (condition, ours) if piece[1] == OTHERWISE else (piece[1], theirs)
    others = union([region(one) for _, one in pieces_of_it if one != OTHERWISE])
    left, named = without(ALL, others), region(said)
    return left is not None and named is not None and same(left, named) is True


def _same_condition(answer: str, reference: str) -> bool:
    if answer == reference or OTHERWISE in (answer, reference):
        return answer == reference
    found = single(form(answer), form(reference), Tolerance())
    return found is not None and found.equal
