"""``tool_call``: did the response call the right tools with the right arguments?

The last policy message's calls are compared with the reference's: names and texts character for character, numbers
by value, objects without order of keys. Not covered: running the tools, default values, schemas of arguments
(``json_schema``), call syntaxes other than JSON.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, ClassVar, NamedTuple

from pydantic import Field, JsonValue

from trueward.types import Message, Sample, Verdict
from trueward.verifier import Abstain, Example, Params, SampleVerifier
from verifiers.extract import NoAnswer
from verifiers.legible import shown
from verifiers.tool_call.call import Call, Malformed, calls, parsed
from verifiers.tool_call.equal import difference
from verifiers.tool_call.response import Called, called

MOST = 100
"""Calls that a response or a reference may hold."""

_PARIS: dict[str, JsonValue] = {"name": "weather", "arguments": {"city": "Paris", "days": 3}}


class ToolCallParams(Params):
    any_order: bool = Field(default=False, description="several calls may come in any order")
    unordered_arguments: Annotated[tuple[str, ...], Field(max_length=100)] = Field(
        default=(), description="names of arguments whose arrays are compared without regard to order"
    )


class _Mismatch(NamedTuple):
    reason_code: str
    reason: str


class ToolCallVerifier(SampleVerifier[ToolCallParams]):
    name: ClassVar[str] = "tool_call"
    version: ClassVar[str] = "2"
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
        Example(sample=Sample(response="It is sunny in Paris.", reference={"calls": []}), outcome="correct"),
        Example(sample=Sample(response="It is sunny in Paris.", reference=_PARIS), outcome="invalid"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        wanted = [_reference(value) for value in sample.references]
        given = called(sample)
        if isinstance(given, NoAnswer):
            return Verdict.invalid(given.reason_code, given.reason)
        if len(given.calls) > MOST:
            return Verdict.invalid("resource_limit", f"the response has more than {MOST} calls")
        return self._judged(given, wanted)

    def _judged(self, given: Called, wanted: list[list[Call]]) -> Verdict:
        mismatches = [self._mismatch(given.calls, one) for one in wanted]
        index = mismatches.index(None) if None in mismatches else 0
        evidence: dict[str, JsonValue] = {
            "called": [_shown(call) for call in given.calls],
            "rule": given.rule,
            "reference": [_shown(call) for call in wanted[index]],
        }
        mismatch = mismatches[index]
        if mismatch is None:
            if not given.calls:
                return Verdict.correct("no_call_wanted", "no tool is called, as wanted", evidence=evidence)
            return Verdict.correct("same_calls", "the calls are equal", evidence=evidence)
        if not given.calls:
            return Verdict.invalid("no_call", "the response calls no tool", evidence=evidence)
        return Verdict.incorrect(mismatch.reason_code, mismatch.reason, evidence=evidence)

    def _mismatch(self, given: Sequence[Call], wanted: Sequence[Call]) -> _Mismatch | None:
        """How the calls differ from those of one reference, else None."""
        if len(given) != len(wanted):
            code = "missing_call" if len(given) < len(wanted) else "extra_call"
            return _Mismatch(code, f"the number of calls is {len(given)}, not {len(wanted)}")
        unordered = frozenset(self.params.unordered_arguments)
        left = list(given)
        for call in wanted:
            differences = [difference(one, call, unordered) for one in (left if self.params.any_order else left[:1])]
            if "" not in differences:
                where = next((found for found in differences if found != "name"), "name")
                code = "other_name" if where == "name" else "other_arguments"
                return _Mismatch(code, shown(f"no call equals {call.name}: they differ in {where}"))
            del left[differences.index("")]
        return None


def _reference(value: JsonValue) -> list[Call]:
    """One call, or the list under ``calls``; either may be JSON text."""
    try:
        if isinstance(value, str):
            [read] = parsed(value) or [None]
        else:
            read = value
        found = calls(read["calls"]) if isinstance(read, dict) and set(read) == {"calls"} else calls(read)
    except (Malformed, ValueError) as failure:
        raise Abstain("reference_unparsable", f"the reference is no tool call: {failure}") from None
    if len(found) > MOST:
        raise Abstain("reference_too_large", f"the reference has more than {MOST} calls")
    return found


def _shown(call: Call) -> str:
    return shown(f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)})")
