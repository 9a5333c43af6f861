"""``tool_call``: did the response call the right tools with the right arguments?

The last policy message's calls are compared with the reference's: names and texts character for character, numbers
by value, objects without order of keys; or with the accepted values of each argument, as the Berkeley Function Calling
Leaderboard states them. Not covered: running the tools, types and bounds that their schemas ask for (``json``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, cast

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Verdict
from verifiers.extract import NoAnswer
from verifiers.legible import shorten
from verifiers.tool_call.call import MalformedCall, parse_values
from verifiers.tool_call.offered import Tools, tools_of
from verifiers.tool_call.response import Called, read_calls
from verifiers.tool_call.wanted import MOST, AcceptedCalls, EqualCalls, Wanted

_PARIS: dict[str, JsonValue] = {"name": "weather", "arguments": {"city": "Paris", "days": 3}}


class ToolCallParams(Params):
    any_order: bool = Field(
        default=False, description="several calls may come in any order; those of `bfcl` always may"
    )
    unordered_arguments: Annotated[tuple[str, ...], Field(max_length=100)] = Field(
        default=(), description="names of arguments whose arrays are compared without regard to order"
    )


class ToolCallVerifier(SampleVerifier[ToolCallParams]):
    name: ClassVar[str] = "tool_call"
    version: ClassVar[str] = "7"
    summary: ClassVar[str] = "Equality of tool calls: names and arguments"
    # a message that holds nothing but calls has no text
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    Params: ClassVar[type[Params]] = ToolCallParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            sample=Sample(
                response='<tool_call>{"name": "weather", "arguments": {"days": 3, "city": "Paris"}}</tool_call>',
                reference=_PARIS,
            ),
            outcome="correct",
        ),
        Example(
            sample=Sample(
                response=[
                    Message.model_validate(
                        {
                            "role": "assistant",
                            "content": None,
                            "tool_calls": [
                                {
                                    "type": "function",
                                    "function": {"name": "weather", "arguments": '{"city": "Rome", "days": 3}'},
                                }
                            ],
                        }
                    )
                ],
                reference=_PARIS,
            ),
            outcome="incorrect",
        ),
        Example(
            sample=Sample(
                response='[weather(city="paris")]',
                reference={"bfcl": [{"weather": {"city": ["Paris", "Paris, France"], "days": [1, ""]}}]},
            ),
            outcome="correct",
        ),
        Example(sample=Sample(response="It is sunny in Paris.", reference={"calls": []}), outcome="correct"),
        Example(sample=Sample(response="It is sunny in Paris.", reference=_PARIS), outcome="invalid"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        wanted = [self._reference(value) for value in sample.references]
        tools = tools_of(sample, (name for one in wanted for name in one.names))
        given = read_calls(sample, tools.names)
        if isinstance(given, NoAnswer):
            return Verdict.invalid(given.reason_code, given.reason)
        if len(given.calls) > MOST:
            return Verdict.invalid("resource_limit", f"the response has more than {MOST} calls")
        return _judged(given, wanted, tools)

    def _reference(self, value: JsonValue) -> Wanted:
        if isinstance(value, str):
            value = _read(value)
        if isinstance(value, dict) and set(value) == {"bfcl"}:
            return AcceptedCalls(value["bfcl"])
        return EqualCalls(value, self.params.any_order, frozenset(self.params.unordered_arguments))


def _read(text: str) -> JsonValue:
    """The JSON value that a reference is the text of. Raises :class:`Abstain`."""
    try:
        [value] = parse_values(text)
    except (MalformedCall, ValueError) as failure:
        raise Abstain("reference_unparsable", f"the reference is no tool call: {failure}") from None
    return cast(JsonValue, value)


def _judged(given: Called, wanted: Sequence[Wanted], tools: Tools) -> Verdict:
    calls = [tools.resolve(call) for call in given.calls]
    mismatches = [one.mismatch(calls, tools) for one in wanted]
    index = mismatches.index(None) if None in mismatches else 0
    evidence: dict[str, JsonValue] = {
        "called": [shorten(str(call)) for call in calls],
        "rule": given.rule,
        "reference": wanted[index].format_calls(),
    }
    mismatch = mismatches[index]
    if mismatch is None:
        if not calls:
            return Verdict.correct("no_call_wanted", "no tool is called, as wanted", evidence=evidence)
        return Verdict.correct("same_calls", "the calls are equal", evidence=evidence)
    if not calls:
        return Verdict.invalid("no_call", "the response calls no tool", evidence=evidence)
    return Verdict.incorrect(mismatch.reason_code, mismatch.reason, evidence=evidence)
