"""Calls written in XML, as models of several families are trained to write them.

- Qwen3-Coder: ``<function=weather><parameter=city>Paris</parameter></function>``
- Claude: ``<invoke name="weather"><parameter name="city">Paris</parameter></invoke>``
- Llama: ``<function=weather>{"city": "Paris"}</function>``
- DeepSeek 3.2: Claude's, each tag marked by ``｜DSML｜`` and each parameter by ``string="true"`` or ``"false"`` (JSON)
- GLM: ``weather<arg_key>city</arg_key><arg_value>Paris</arg_value>``, in a ``<tool_call>`` tag

What stands between the tags of a parameter is text without a type (:mod:`verifiers.tool_call.untyped`); one line break
at either end is layout.
"""

from __future__ import annotations

import re
from typing import cast

from pydantic import JsonValue

from verifiers.tool_call.call import Call, MalformedCall, parse_values, read_arguments
from verifiers.tool_call.untyped import Untyped

_OPENING = re.compile(r"<(?:function=|invoke\s+name=)")
_TAGS = re.compile(
    r"<function=\s*[\"']?(?P<qwen>[^<>\"'\n]{1,200}?)[\"']?\s*>|<invoke\s+name=[\"'](?P<claude>[^<>\"'\n]{1,200})[\"']\s*>"
    r"|<parameter(?:=|\s+name=)[\"']?(?P<parameter>[^<>\"'\n]{1,200}?)[\"']?"
    r"(?:\s+string=\"(?P<string>true|false)\")?\s*>|(?P<end_parameter></parameter>)|(?P<end></function>|</invoke>)"
    r"|(?P<wrap></?(?:antml:)?(?:function_calls|tool_calls)>)"
)
_PAIR = re.compile(r"<arg_key>([^<>]{1,200})</arg_key>\s*<arg_value>(.*?)</arg_value>", re.DOTALL)
_NAME = re.compile(r"[\w.:/-]{1,200}")


def xml_calls(text: str) -> tuple[list[Call], str]:
    """The calls that a text writes, and the text around them. Raises :class:`MalformedCall` for tags without a pair."""
    text = text.replace("｜DSML｜", "")
    if _OPENING.search(text) is None:
        return [], text
    found: list[Call] = []
    around: list[str] = []
    name: str | None = None
    arguments: dict[str, JsonValue] = {}
    parameter: str | None = None
    is_text: str | None = None
    inside: list[str] = []
    start = 0
    for tag in _TAGS.finditer(text):
        kind = "parameter" if tag.lastgroup == "string" else tag.lastgroup
        if parameter is not None:
            if kind == "end_parameter":
                arguments[parameter] = _value(text[start : tag.start()], is_text)
                parameter, start = None, tag.end()
            continue
        if kind in ("qwen", "claude") and name is None:
            around.append(text[start : tag.start()])
            name, arguments, inside = tag[kind].strip(), {}, []
        elif kind == "parameter" and name is not None and tag["parameter"] not in arguments:
            parameter, is_text = tag["parameter"], tag["string"]
            inside.append(text[start : tag.start()])
        elif kind == "end" and name is not None:
            found.append(Call(name, _with_rest(arguments, "".join([*inside, text[start : tag.start()]]))))
            name = None
        elif kind == "wrap" and name is None:
            around.append(text[start : tag.start()])
        else:
            raise MalformedCall("the tags of a call are not paired")
        start = tag.end()
    if name is not None:
        raise MalformedCall("the last call is not closed")
    return found, "\n".join([*around, text[start:]])


def read_paired_call(text: str) -> Call | None:
    """The call that a tag's content writes as a name and pairs of keys and values; None where it does not."""
    name, _, rest = text.strip().partition("<arg_key>")
    if not rest or _NAME.fullmatch(name.strip()) is None:
        return None
    arguments: dict[str, JsonValue] = {}
    at = 0
    rest = "<arg_key>" + rest
    for pair in _PAIR.finditer(rest):
        if rest[at : pair.start()].strip() or pair[1].strip() in arguments:
            raise MalformedCall("the arguments of a call are not pairs, each key once")
        arguments[pair[1].strip()] = Untyped(_unwrapped(pair[2]))
        at = pair.end()
    if rest[at:].strip():
        raise MalformedCall("the arguments of a call are not pairs, each key once")
    return Call(name.strip(), arguments)


def _with_rest(arguments: dict[str, JsonValue], rest: str) -> dict[str, JsonValue]:
    """The arguments, which the text beside parameters writes as JSON where there are none."""
    if not rest.strip():
        return arguments
    if arguments:
        raise MalformedCall("text stands between the parameters of a call")
    return read_arguments(rest)


def _value(text: str, is_text: str | None) -> JsonValue:
    """The value of a parameter; ``is_text`` is what its mark says, where it has one."""
    if is_text is None:
        return Untyped(_unwrapped(text))
    if is_text == "true":
        return text
    values = parse_values(text)
    if len(values) != 1:
        raise MalformedCall("a parameter that is no text is one JSON value")
    return cast(JsonValue, values[0])


def _unwrapped(text: str) -> str:
    return text.removeprefix("\n").removesuffix("\n")
