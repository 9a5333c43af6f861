"""The part of tool calls: BFCL's ground truths, each written as calls in several syntaxes, and with one change.

A call is made of the first accepted value of each argument; what may be left out is left out in every other row. A
change drops an argument that is wanted, adds one, alters a value to one that is not among those accepted, or takes
another tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from benchmarks.contest import Case
from benchmarks.natural.part import Item, Part, Row
from trueward.wire.sample import Sample
from verifiers.tool_call import ToolCallVerifier

Made = tuple[str, dict[str, Any]]


def items(rows: Sequence[Row]) -> list[Item]:
    found: list[Item] = []
    for number, row in enumerate(rows):
        dice = Random(row["id"])
        truth = row["ground_truth"]
        calls = [_call(one, shorter=number % 2 == 0) for one in truth]
        dice.shuffle(calls)
        reference = (json.dumps({"bfcl": truth}),)
        found += [Item(name, True, Case(write(calls), reference)) for name, write in SYNTAXES.items()]
        for change, changed in _changes(calls, truth, dice):
            found.append(Item(change, False, Case(as_json(changed), reference)))
    return found


def _call(truth: dict[str, dict[str, list[Any]]], *, shorter: bool) -> Made:
    [(name, wanted)] = truth.items()
    return name, _arguments(wanted, shorter=shorter)


def _arguments(wanted: dict[str, Any], *, shorter: bool) -> dict[str, Any]:
    given = {}
    for key, accepted in wanted.items():
        values = accepted if isinstance(accepted, list) else [accepted]
        concrete = [value for value in values if value != ""]
        if concrete and not (shorter and "" in values):
            given[key] = _value(concrete[0])
    return given


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return _arguments(value, shorter=False)
    return [_value(one) for one in value] if isinstance(value, list) else value


def _changes(calls: list[Made], truth: list[dict[str, Any]], dice: Random) -> list[tuple[str, list[Made]]]:
    if not calls:
        return []
    place = dice.randrange(len(calls))
    name, given = calls[place]
    others = [*calls[:place], *calls[place + 1 :]]
    found = [
        ("argument added", [*others, (name, {**given, "one_more": 1})]),
        ("another tool", [*others, (f"{name}_v2", given)]),
        ("call dropped", others),
    ]
    wanted = [one[name] for one in truth if name in one]
    for key in dice.sample(sorted(given), len(given)):
        if not any("" in one.get(key, []) or not one.get(key) for one in wanted):
            found.append(("argument dropped", [*others, (name, {k: v for k, v in given.items() if k != key})]))
            break
    for key in dice.sample(sorted(given), len(given)):
        altered = _altered(given[key], dice)
        if not any(altered in one.get(key, []) for one in wanted):
            found.append(("value altered", [*others, (name, {**given, key: altered})]))
            break
    return found


def _altered(value: Any, dice: Random) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return dice.choice([value + 1, value * 10 + 3, value + 0.5])
        case str() if value:
            at = dice.randrange(len(value))
            return dice.choice(
                [
                    value[:at] + dice.choice("qzj7") + value[at + 1 :],
                    value + " two",
                    value[: at + 1] + "k" + value[at + 1 :],
                ]
            )
        case list() if value:
            return [*value, value[0]]
        case dict() if value:
            key = dice.choice(sorted(value))
            return {**value, key: _altered(value[key], dice)}
    return "other"


def as_json(calls: Sequence[Made]) -> str:
    return json.dumps([{"name": name, "arguments": given} for name, given in calls])


def as_tags(calls: Sequence[Made]) -> str:
    bodies = [json.dumps({"name": name, "arguments": given}) for name, given in calls]
    return "\n".join(f"<tool_call>\n{body}\n</tool_call>" for body in bodies)


def as_python(calls: Sequence[Made]) -> str:
    written = [f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in calls]
    return f"[{', '.join(written)}]"


def as_xml(calls: Sequence[Made]) -> str:
    def text(value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    return "\n".join(
        "".join(
            (
                f"<tool_call>\n<function={name}>\n",
                *(f"<parameter={key}>\n{text(value)}\n</parameter>\n" for key, value in given.items()),
                "</function>\n</tool_call>",
            )
        )
        for name, given in calls
    )


SYNTAXES: dict[str, Callable[[Sequence[Made]], str]] = {
    "JSON": as_json,
    "tags": as_tags,
    "Python": as_python,
    "XML": as_xml,
}


@cache
def _verifier() -> ToolCallVerifier:
    return ToolCallVerifier()


def trueward(response: str, references: Sequence[str]) -> bool | None:
    (verdict,) = _verifier().verify([Sample(response=response, reference=references[0])])
    return None if verdict.score is None else verdict.score == 1.0


PART = Part(
    "tool_call",
    "tool_calls_bfcl.jsonl",
    "by construction from BFCL's accepted values (Apache-2.0)",
    items,
    {"Trueward": "benchmarks.natural.tool_call:trueward"},
)
