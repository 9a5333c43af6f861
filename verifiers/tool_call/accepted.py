"""Accepted values of each argument: the ground truth of the Berkeley Function Calling Leaderboard (BFCL).

A wanted call is ``{name: {argument: [accepted, ...]}}``. An argument is one of its accepted values; one with ``""``
among them may be left out; no other may be given. A wanted object has accepted values for each key in the same way.
Calls come in any order. Texts are compared as BFCL's checker does, without regard to case, blanks and ``, . - _``, but
what parts two digits or signs a number counts: ``1.5`` is not ``15``. Numbers are compared by value, and are no texts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from trueward.authoring.verifier import Abstain
from verifiers.tool_call.call import Call
from verifiers.tool_call.equal import identity
from verifiers.tool_call.untyped import readings

_OPTIONAL = ""
_NOTHING: tuple[JsonValue, ...] = (None, "", [], {})
"""What an argument without any accepted value may be."""
_PARTED = re.compile(r"(?<=\d)[./-](?=\d)")
_SIGN = re.compile(r"(?<![\w)\]])-(?=\.?\d)")
_LAYOUT = re.compile(r"[\s,._/*-]")
_KEPT = {".": "\x00", "/": "\x01", "-": "\x01"}
_MINUS = "\x02"
_LAYOUT_SHARE, _LAYOUT_MOST = 4, 200
"""A text that is longer than an accepted one with so much layout is not compared with it."""


class AcceptedCall(NamedTuple):
    """A call with the accepted values of each of its arguments."""

    name: str
    arguments: Mapping[str, JsonValue]


def read_wanted_calls(value: JsonValue) -> list[AcceptedCall]:
    """The ground truth of one row. Raises :class:`Abstain` where it is none."""
    found = []
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, dict) or len(one) != 1:
            raise Abstain("reference_unparsable", "each call of bfcl is an object with one name")
        [(name, arguments)] = one.items()
        if not isinstance(arguments, dict) or not all(isinstance(accepted, list) for accepted in arguments.values()):
            raise Abstain("reference_unparsable", f"each argument of {name[:80]} has a list of accepted values")
        found.append(AcceptedCall(name, arguments))
    return found


def difference(given: Call, wanted: AcceptedCall) -> str:
    """Where a call differs from the wanted one first, such as ``arguments.city``; empty where it is accepted."""
    if given.name != wanted.name:
        return "name"
    for name, accepted in wanted.arguments.items():
        if given.arguments.get(name) == _OPTIONAL and _is_mark_alone(accepted):
            return f"arguments.{name}"
    wrong = _differing(given.arguments, wanted.arguments)
    return "" if wrong is None else f"arguments.{wrong}"


def _differing(given: Mapping[str, JsonValue], wanted: Mapping[str, JsonValue]) -> str | None:
    for name in sorted(given.keys() | wanted.keys()):
        accepted = wanted.get(name)
        if accepted is None:
            return name
        values = accepted if isinstance(accepted, list) else [accepted]
        if not values:
            if given.get(name) not in _NOTHING:
                return name
        elif name in given:
            if not any(_accepted(reading, one) for reading in readings(given[name]) for one in values):
                return name
        elif _OPTIONAL not in values:
            return name
    return None


def _is_mark_alone(accepted: JsonValue) -> bool:
    """Whether ``""`` among the accepted values of an argument says only that it may be left out: no other is a text."""
    others = [value for value in accepted if value != _OPTIONAL] if isinstance(accepted, list) else []
    return bool(others) and not any(isinstance(value, str) for value in others)


def _accepted(given: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(given, list) and isinstance(wanted, list):
        return len(given) == len(wanted) and all(map(_accepted, given, wanted))
    if isinstance(given, dict) and isinstance(wanted, dict):
        return _differing(given, wanted) is None
    if isinstance(given, str) and isinstance(wanted, str):
        return len(given) <= _LAYOUT_SHARE * len(wanted) + _LAYOUT_MOST and _plain(given) == _plain(wanted)
    return not isinstance(given, list | dict) and identity(given) == identity(wanted)


def _plain(text: str) -> str:
    text = text.lower().replace("'", '"').replace("**", "^")
    text = _PARTED.sub(lambda part: _KEPT[part[0]], text)
    return _LAYOUT.sub("", _SIGN.sub(_MINUS, text))
