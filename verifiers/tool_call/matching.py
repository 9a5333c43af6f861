"""Whether calls in any order are those that are wanted: each is taken for another wanted one."""

from __future__ import annotations

from collections.abc import Sequence


def match_calls(fits: Sequence[Sequence[bool]]) -> list[int | None]:
    """For each wanted call (a row) the given one (a column) that is taken for it, None where none is left.

    As many rows as possible are matched (Kuhn's augmenting paths); O(n**3) for n calls.
    """
    columns = len(fits[0]) if fits else 0
    owner: list[int | None] = [None] * columns

    def seat(row: int, tried: set[int]) -> bool:
        for column in range(columns):
            if fits[row][column] and column not in tried:
                tried.add(column)
                holder = owner[column]
                if holder is None or seat(holder, tried):
                    owner[column] = row
                    return True
        return False

    for row in range(len(fits)):
        seat(row, set())
    found: list[int | None] = [None] * len(fits)
    for column, holder in enumerate(owner):
        if holder is not None:
            found[holder] = column
    return found
