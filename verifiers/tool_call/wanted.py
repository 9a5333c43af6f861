"""What a reference wants: calls that are equal to its own, or calls with accepted values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Protocol

from pydantic import JsonValue

from trueward.authoring.verifier import Abstain
from verifiers.legible import shorten
from verifiers.tool_call import accepted, equal
from verifiers.tool_call.call import Call, MalformedCall, calls
from verifiers.tool_call.offered import Tools

MOST = 100
"""Calls that a response or a reference may hold."""


class Mismatch(NamedTuple):
    reason_code: str
    reason: str


class Wanted(Protocol):
    @property
    def names(self) -> list[str]:
        """Of the tools that it wants called."""
        ...

    def mismatch(self, given: Sequence[Call], tools: Tools) -> Mismatch | None:
        """How the calls differ from those wanted, else None."""
        ...

    def format_calls(self) -> list[JsonValue]:
        """A line a call, for the evidence."""
        ...


class EqualCalls:
    """One call, or those under ``calls``. What calls leave out has its tool's default."""

    def __init__(self, value: JsonValue, any_order: bool, unordered: AbstractSet[str]) -> None:
        """Raises :class:`Abstain` where the reference is no call."""
        try:
            self._calls = calls(value["calls"] if isinstance(value, dict) and set(value) == {"calls"} else value)
        except MalformedCall as failure:
            raise Abstain("reference_unparsable", f"the reference is no tool call: {failure}") from None
        _refuse_many(self._calls)
        self._any_order, self._unordered = any_order, unordered

    @property
    def names(self) -> list[str]:
        return [call.name for call in self._calls]

    def format_calls(self) -> list[JsonValue]:
        return [shorten(str(call)) for call in self._calls]

    def mismatch(self, given: Sequence[Call], tools: Tools) -> Mismatch | None:
        if len(given) != len(self._calls):
            return _other_number(given, self._calls)
        left = [tools.whole(call) for call in given]
        for call in self._calls:
            among = left if self._any_order else left[:1]
            differences = [equal.difference(one, tools.whole(call), self._unordered) for one in among]
            if "" not in differences:
                return _other(call.name, differences)
            del left[differences.index("")]
        return None


class AcceptedCalls:
    """Calls in any order, each argument with its accepted values."""

    def __init__(self, value: JsonValue) -> None:
        """Raises :class:`Abstain` where the reference is no such list."""
        self._calls = accepted.read_wanted_calls(value)
        _refuse_many(self._calls)

    @property
    def names(self) -> list[str]:
        return [call.name for call in self._calls]

    def format_calls(self) -> list[JsonValue]:
        return [shorten(f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)})") for call in self._calls]

    def mismatch(self, given: Sequence[Call], tools: Tools) -> Mismatch | None:
        if len(given) != len(self._calls):
            return _other_number(given, self._calls)
        differences = [[accepted.difference(one, call) for one in given] for call in self._calls]
        taken = match_calls([[not found for found in row] for row in differences])
        for call, column, row in zip(self._calls, taken, differences, strict=True):
            if column is None:
                free = [found for place, found in enumerate(row) if place not in taken]
                return _other(call.name, free)
        return None


def _refuse_many(calls: Sequence[object]) -> None:
    if len(calls) > MOST:
        raise Abstain("reference_too_large", f"the reference has more than {MOST} calls")


def _other_number(given: Sequence[Call], wanted: Sequence[object]) -> Mismatch:
    code = "missing_call" if len(given) < len(wanted) else "extra_call"
    return Mismatch(code, f"the number of calls is {len(given)}, not {len(wanted)}")


def _other(name: str, differences: Sequence[str]) -> Mismatch:
    where = next((found for found in differences if found not in ("", "name")), "name")
    code = "other_name" if where == "name" else "other_arguments"
    return Mismatch(code, shorten(f"no call equals {name}: they differ in {where}"))


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
