"""Calls as the ReAct prompt has them: a line ``Action: weather`` and below it ``Action Input: {"city": "Paris"}``.

The input is a JSON object, also in a fence. An input of another kind names no argument, so it is malformed, as is a
final answer beside an action: readers differ in what they make of it.
"""

from __future__ import annotations

import re

from verifiers.tool_call.call import Call, MalformedCall, parse_value, read_arguments

_ACTION = re.compile(
    r"^[ \t*_]{0,9}Action(?:[ ]\d{1,3})?[*_ \t]{0,9}:[*_ \t]{0,9}`?(?P<name>[\w.:/-]{1,200})`?[*_ \t]{0,9}\n"
    r"\s*[*_]{0,4}Action[ ]Input(?:[ ]\d{1,3})?[*_ \t]{0,9}:[*_]{0,4}\s*(?P<fence>```(?:json)?\s*|`(?!`))?",
    re.MULTILINE,
)
_FINAL = re.compile(r"^[ \t*_]{0,9}Final Answer[*_ \t]{0,9}:", re.MULTILINE)
_FENCE_END, _QUOTE_END = re.compile(r"\s*```"), re.compile(r"\s*`(?!`)")
_LINE_END = re.compile(r"[ \t]*(?:\n|\Z)")


def react_calls(text: str) -> tuple[list[Call], list[str]]:
    """The calls, and the text before each and after the last. Raises :class:`MalformedCall`. Linear."""
    if "Action" not in text:
        return [], [text]
    found: list[Call] = []
    around: list[str] = []
    at = 0
    while (action := _ACTION.search(text, at)) is not None:
        around.append(text[at : action.start()])
        value, at = parse_value(text, action.end()) if action.end() < len(text) else ({}, action.end())
        if action["fence"]:
            closed = (_QUOTE_END if action["fence"] == "`" else _FENCE_END).match(text, at)
            if closed is None:
                raise MalformedCall("the input of an action is not closed")
            at = closed.end()
        if not isinstance(value, dict) or _LINE_END.match(text, at) is None:
            raise MalformedCall("the input of an action is not a JSON object")
        found.append(Call(action["name"], read_arguments(value)))
    around.append(text[at:])
    if found and any(_FINAL.search(part) for part in around):
        raise MalformedCall("a final answer stands beside an action")
    return found, around
