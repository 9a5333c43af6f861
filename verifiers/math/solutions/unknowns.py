"""Lists of named values: which unknown has which value.

``x = 2, y = 5`` gives each of several unknowns its value: it is a tuple, and no set of two values of one unknown.
``x = 2, x = 5`` and ``x = 2, 5`` are such values of one, and no tuple. ``x_1 = 2, x_2 = 5`` may be either.
"""

from __future__ import annotations

from dataclasses import replace

from verifiers.math.reading.form import form
from verifiers.math.reading.sequence import Sequence
from verifiers.math.solutions.relation import OPERATOR


def named_throughout(one: Sequence) -> Sequence:
    """``x = 2, 5`` as ``x = 2, x = 5``: a name before the first of several values is that of all."""
    if one.brackets or one.blanks or len(one.parts) < 2:
        return one
    first, *rest = map(form, one.parts)
    values = all(part.value is not None or not part.wordy for part in rest)
    if not first.variable or not values or any(OPERATOR.search(part) for part in one.parts[1:]):
        return one
    return replace(one, parts=(one.parts[0], *(f"{first.variable} = {part}" for part in one.parts[1:])))


def names(one: Sequence) -> tuple[str, ...]:
    """The name of each part of a list or set; empty where one has none."""
    if one.brackets not in ("", "{}"):
        return ()
    found = tuple(part.variable or part.label for part in map(form, one.parts))
    return found if all(found) and not any(":" in name for name in found) else ()


def clash(ours: Sequence, theirs: Sequence) -> bool:
    """Whether one side alone gives several unknowns a value each, or a tuple stands beside the values of one."""
    for one, other in ((ours, theirs), (theirs, ours)):
        given, beside = names(one), names(other)
        if _one_each(given):
            if one.alternatives:  # x = 2 or y = 5
                if not (other.alternatives and _one_each(beside)):
                    return True
            elif (other.brackets == "{}" and not beside) or other.alternatives or _several_of_one(beside):
                return True
        elif _several_of_one(given) and other.brackets == "()":
            return True
    return False


def _one_each(given: tuple[str, ...]) -> bool:
    return len(set(given)) == len(given) > 1 and len({name.partition("_")[0] for name in given}) > 1


def _several_of_one(given: tuple[str, ...]) -> bool:
    return len(given) > 1 and len(set(given)) == 1


def orders(one: Sequence) -> tuple[tuple[str, ...], ...]:
    """The values of several unknowns as a list without names gives them: as they are written, and by the alphabet."""
    given = names(one)
    if one.alternatives or not _one_each(given):
        return ()
    values = tuple(form(part).core for part in one.parts)
    by_name = tuple(value for _, value in sorted(zip(given, values, strict=True)))
    return (values,) if by_name == values else (values, by_name)
