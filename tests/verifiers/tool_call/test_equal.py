"""Tool calls: equality is that of JSON values, the evidence says what was called, nothing is quadratic."""

from __future__ import annotations

import json
import sys

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Sample, Verdict
from verifiers.extract.thinking import answer_start
from verifiers.tool_call import ToolCallVerifier
from verifiers.tool_call.equal import identity
from verifiers.tool_call.verifier import ToolCallParams

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def judged(arguments: JsonValue, wanted: JsonValue, params: ToolCallParams | None = None) -> Verdict:
    response = f"<tool_call>{json.dumps({'name': 'f', 'arguments': arguments})}</tool_call>"
    reference: JsonValue = {"name": "f", "arguments": wanted}
    return ToolCallVerifier(params).verify([Sample(response=response, reference=reference)])[0]


@settings(deadline=None)
@given(st.dictionaries(st.text(), values, max_size=3))
def test_a_call_equals_itself_through_json(arguments: dict[str, JsonValue]) -> None:
    assume(answer_start(json.dumps(arguments), opened=False) == 0)  # else some of it is thinking
    assert judged(arguments, arguments).reason_code == "same_calls"


@settings(deadline=None)
@given(values, values)
def test_equality_is_that_of_json(ours: JsonValue, theirs: JsonValue) -> None:
    assert identity(ours) == identity(ours)
    assert (identity(ours) == identity(theirs)) == equal(ours, theirs)


def equal(ours: JsonValue, theirs: JsonValue) -> bool:
    """The definition, spelled out."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and all(equal(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(equal, ours, theirs))
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    return isinstance(ours, dict) == isinstance(theirs, dict) and ours == theirs


@settings(deadline=None)
@given(st.lists(values, max_size=5).flatmap(lambda members: st.tuples(st.just(members), st.permutations(members))))
def test_order_of_members_counts_only_where_it_is_not_waived(lists: tuple[list[JsonValue], list[JsonValue]]) -> None:
    members, shuffled = lists
    waived = judged({"x": shuffled}, {"x": members}, ToolCallParams(unordered_arguments=("x",)))
    assert waived.outcome == "correct"
    assert (judged({"x": shuffled}, {"x": members}).outcome == "correct") == equal(shuffled, members)


def test_a_difference_is_named_by_its_argument() -> None:
    verdict = judged({"city": "Rome"}, {"city": "Paris"})
    assert verdict.reason_code == "other_arguments"
    assert "arguments.city" in verdict.reason
    assert verdict.evidence["called"] == ['f({"city": "Rome"})']
    assert verdict.evidence["reference"] == ['f({"city": "Paris"})']


def test_evidence_can_be_stored_whatever_the_arguments_hold() -> None:
    verdict = judged({"x": "\ud800\x00", "\udfff": 1}, {"x": 1})
    assert "\ud800" not in str(verdict.evidence)
    verdict.model_dump_json()


def test_long_arrays_without_order_are_compared_in_linear_time() -> None:
    members: list[JsonValue] = list(range(10_000))
    params = ToolCallParams(unordered_arguments=("x",))
    assert judged({"x": members[::-1]}, {"x": members}, params).outcome == "correct"


def test_numbers_that_a_policy_chooses_do_not_share_a_hash() -> None:
    modulus = sys.hash_info.modulus
    chosen = [number * modulus for number in range(1_000)] + [-1, -2] + [2.0 ** (61 * place) for place in range(16)]
    assert len({hash(identity(number)) for number in chosen}) > len(set(chosen)) * 0.99


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False), st.integers(-5, 5))
def test_numbers_are_compared_by_value(number: float, other: float) -> None:
    for one, two in ((number, other), (number, float(other)), (number, number), (other, float(other))):
        assert (identity(one) == identity(two)) == (one == two)
