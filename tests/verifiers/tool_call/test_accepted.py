"""BFCL's ground truth: every call that it describes is accepted, however it is written, and no other."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Outcome, Sample, Verdict
from verifiers.tool_call import ToolCallVerifier
from verifiers.tool_call.accepted import _plain
from verifiers.tool_call.wanted import match_calls

NAMES = ("weather", "uber.ride", "f")
names = st.sampled_from(("city", "days", "unit", "from", "class", "a_b"))
texts = st.text("abcXYZ 0123456789.,-/'\"é<&", min_size=1, max_size=12).filter(lambda text: text == text.strip())
scalars = texts | st.integers(-(10**6), 10**6) | st.booleans() | st.floats(-1e6, 1e6)
plain = scalars | st.lists(scalars, min_size=1, max_size=3)
alternatives = st.lists(plain, min_size=1, max_size=3)
objects = st.dictionaries(names, alternatives, min_size=1, max_size=2)
arguments = st.dictionaries(names, alternatives | st.lists(objects, min_size=1, max_size=1), max_size=3)
truths = st.lists(st.tuples(st.sampled_from(NAMES), arguments), min_size=1, max_size=4)
Truth = Sequence[tuple[str, dict[str, list[JsonValue]]]]
Calls = list[tuple[str, dict[str, JsonValue]]]


def judged(response: JsonValue, truth: JsonValue, tools: JsonValue = None) -> Verdict:
    sample = Sample(response="", reference={"bfcl": truth}, metadata={"tools": tools} if tools else None)
    return ToolCallVerifier().verify([Sample.model_validate({**sample.model_dump(), "response": response})])[0]


def as_truth(truth: Truth) -> JsonValue:
    return [{name: {key: list(values) for key, values in wanted.items()}} for name, wanted in truth]


def concrete(value: JsonValue, data: st.DataObject) -> JsonValue:
    if isinstance(value, dict):
        return {key: concrete(data.draw(st.sampled_from(values)), data) for key, values in value.items()}  # type: ignore[arg-type]
    return value


def drawn(truth: Truth, data: st.DataObject) -> Calls:
    return [
        (name, {key: concrete(data.draw(st.sampled_from(values)), data) for key, values in wanted.items()})
        for name, wanted in truth
    ]


def as_json(calls: Calls) -> JsonValue:
    return json.dumps([{"name": name, "arguments": given} for name, given in calls])


def as_tags(calls: Calls) -> JsonValue:
    return "".join(f"<tool_call>\n{json.dumps({'name': n, 'arguments': given})}\n</tool_call>" for n, given in calls)


def as_python(calls: Calls) -> JsonValue:
    written = [f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in calls]
    return f"[{', '.join(written)}]"


def as_message(calls: Calls) -> JsonValue:
    functions: list[JsonValue] = [
        {"name": name.replace(".", "_"), "arguments": json.dumps(given)} for name, given in calls
    ]
    return [{"role": "assistant", "tool_calls": [{"type": "function", "function": one} for one in functions]}]


def as_xml(calls: Calls) -> JsonValue:
    def text(value: JsonValue) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    return "\n".join(
        f"<function={name}>\n"
        + "".join(f"<parameter={key}>\n{text(value)}\n</parameter>\n" for key, value in given.items())
        + "</function>"
        for name, given in calls
    )


@settings(deadline=None, max_examples=150)
@given(truths, st.sampled_from([as_json, as_tags, as_python, as_message, as_xml]), st.data())
def test_every_accepted_call_is_accepted_however_it_is_written(
    truth: Truth, write: object, data: st.DataObject
) -> None:
    calls = data.draw(st.permutations(drawn(truth, data)))
    response = write(calls)  # type: ignore[operator]
    verdict = judged(response, as_truth(truth))
    assert verdict.outcome is Outcome.CORRECT, (verdict, response)


@settings(deadline=None, max_examples=150)
@given(truths, st.data())
def test_a_call_with_one_change_is_not_accepted(truth: Truth, data: st.DataObject) -> None:
    calls = drawn(truth, data)
    place = data.draw(st.integers(0, len(calls) - 1))
    name, given_ = calls[place]
    change = data.draw(st.sampled_from(["drop", "add", "name", "value", "call"]))
    changed: Calls = [*calls[:place], *calls[place + 1 :]]
    if change == "add":
        changed.append((name, {**given_, "another": 1}))
    elif change == "name":
        changed.append((name + "s", given_))
    elif change != "call":
        assume(given_)
        key = data.draw(st.sampled_from(sorted(given_)))
        rest = {other: value for other, value in given_.items() if other != key}
        changed.append((name, rest if change == "drop" else {**rest, key: "quite another value"}))
    verdict = judged(as_json(changed), as_truth(truth))
    assert verdict.outcome in (Outcome.INCORRECT, Outcome.INVALID), (verdict, changed)


@pytest.mark.parametrize(
    ("given", "accepted", "right"),
    [
        ("berkeley, ca", "Berkeley, CA", True),
        ("New-York_city.", "new york city", True),
        ("it's", 'it"s', True),
        ("15", "1.5", False),
        ("5", "-5", False),
        ("12/13/2019", "12-13-2019", True),
        ("20191213", "2019-12-13", False),
        ("x**2", "x^2", True),
        ("x2", "x^2", False),
        (5, 5.0, True),
        (5, "5", False),
        ("5", 5, False),
        (True, 1, False),
        (True, "true", False),
        ([1, 2], [1, 2], True),
        ([2, 1], [1, 2], False),
        (["a", "B"], ["A", "b"], True),
        (None, None, True),
        ({"a": 1}, {"a": [1, 2]}, True),
        ({"a": 3}, {"a": [1, 2]}, False),
        ({}, {"a": ["", 1]}, True),
        ({}, {"a": [1]}, False),
        ([{"a": "x"}], [{"a": ["X"]}], True),
    ],
)
def test_a_value_is_one_of_those_accepted(given: JsonValue, accepted: JsonValue, right: bool) -> None:
    verdict = judged(json.dumps({"name": "f", "arguments": {"x": given}}), [{"f": {"x": [accepted]}}])
    assert (verdict.outcome is Outcome.CORRECT) is right, verdict


def test_an_argument_that_may_be_left_out_may_be_left_out() -> None:
    truth: JsonValue = [{"f": {"x": [1, ""], "y": [2], "z": []}}]
    said = [judged(f"[{call}]", truth).reason_code for call in ("f(y=2)", "f(x=1, y=2)", "f(x=3, y=2)", "f(x=1)")]
    assert said == ["same_calls", "same_calls", "other_arguments", "other_arguments"]


def test_calls_that_fit_several_are_matched_as_they_must_be() -> None:
    truth: JsonValue = [{"f": {"x": [1, 2]}}, {"f": {"x": [1]}}, {"f": {"x": [2, 3]}}]
    for order in itertools.permutations((1, 2, 3)):
        assert judged(f"[{', '.join(f'f(x={x})' for x in order)}]", truth).outcome is Outcome.CORRECT
    assert judged("[f(x=1), f(x=1), f(x=3)]", truth).outcome is Outcome.CORRECT
    assert judged("[f(x=3), f(x=3), f(x=1)]", truth).reason_code == "other_arguments"


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=4, max_size=4))
def test_as_many_as_possible_are_matched(fits: list[list[bool]]) -> None:
    most = max(sum(fits[row][column] for row, column in enumerate(order)) for order in itertools.permutations(range(4)))
    taken = match_calls(fits)
    assert sum(column is not None for column in taken) == most
    used = [column for column in taken if column is not None]
    assert len(set(used)) == len(used)
    assert all(fits[row][column] for row, column in enumerate(taken) if column is not None)


def test_no_call_is_wanted_by_an_empty_list() -> None:
    assert judged("I cannot help with that.", []).reason_code == "no_call_wanted"
    assert judged("[f(x=1)]", []).reason_code == "extra_call"


@pytest.mark.parametrize("truth", ["x", [1], [{}], [{"f": 1}], [{"f": {"x": 1}}], [{"a": {}, "b": {}}], {"f": []}])
def test_a_ground_truth_that_is_none_is_the_callers(truth: JsonValue) -> None:
    assert judged("[f(x=1)]", truth).reason_code == "reference_unparsable"


@given(st.text("a1 .-/_,*^'", max_size=30))
def test_layout_alone_makes_no_difference(text: str) -> None:
    assert _plain(text.upper()) == _plain(text)
    assert _plain(f" {text} ") == _plain(text)
