"""Calls behind the special tokens that models of several families are trained to write.

- Mistral: ``[TOOL_CALLS][{"name": ...}]``, ``[TOOL_CALLS]weather[ARGS]{"city": "Paris"}``
- DeepSeek: ``<｜tool▁call▁begin｜>function<｜tool▁sep｜>weather``, its arguments in a fence, ``<｜tool▁call▁end｜>``;
  from 3.1 on ``weather<｜tool▁sep｜>{...}``
- Kimi: ``<|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{...}<|tool_call_end|>``
- Llama: ``<|python_tag|>``, JSON or ``weather(city="Paris")``
- Phi, Granite: ``<|tool_call|>[...]``, ``functools[...]``; Cohere: ``<|START_ACTION|>[...]<|END_ACTION|>``; InternLM:
  ``<|action_start|><|plugin|>{...}``; Nemotron: ``<TOOLCALL>[...]``; Jamba: ``<tool_calls>[...]``; LFM:
  ``<|tool_call_start|>[weather(city="Paris")]``

A token announces a call, so what follows it must be one, written in full.
"""

from __future__ import annotations

import re

from verifiers.tool_call.call import Call, MalformedCall, calls, end_of_gap, parse_value, read_arguments
from verifiers.tool_call.python import python_calls

_CALL = r"<[|｜]tool[▁_]call[▁_]begin[|｜]>"
_OPENING = re.compile(
    rf"(?P<mistral>\[TOOL_CALLS\])|(?P<named>{_CALL})"
    rf"|(?P<section><[|｜]tool[▁_]calls?[▁_](?:section[▁_])?begin[|｜]>(?!\s*{_CALL}))"
    r"|(?P<plain><\|(?:python_tag|tool_call|tool_call_start|START_ACTION)\|>|<\|action_start\|>\s*<\|plugin\|>"
    r"|<TOOLCALL>(?=\s*\[)|<tool_calls>(?=\s*[\[{])|(?<!\w)functools(?=\s*\[\s*[\]{]))"
)
_LEFT = re.compile(r"\[ARGS\]|<[|｜]tool[▁_](?:sep|call[▁_](?:argument[▁_]begin|end))[|｜]>")
"""Tokens within a call: one outside of all calls belongs to a call that another reader would find."""
_SECTION_END = re.compile(r"\s*<[|｜]tool[▁_]calls?[▁_](?:section[▁_])?end[|｜]>")
_MISTRAL = re.compile(r"\s*(?P<name>[\w.:/-]{1,200})\s*(?:\[CALL_ID\]\s*[\w-]{1,100}\s*)?(?:\[ARGS\])?\s*(?=\{)")
_HEADER = re.compile(
    r"\s*(?P<name>[\w.:/-]{1,200})\s*"
    r"(?:(?P<kimi><\|tool_call_argument_begin\|>)|<[|｜]tool[▁_]sep[|｜]>(?:\s*(?P<after>[\w.:/-]{1,200})(?=\s*```))?)"
    r"\s*(?P<fence>```(?:json)?\s*)?"
)
_KIMI = re.compile(r"(?:functions\.)?(?P<name>.+?)(?::\d{1,9})?")
_CALL_END = re.compile(r"\s*<[|｜]tool[▁_]call[▁_]end[|｜]>")
_FENCE_END = re.compile(r"\s*```")
_PYTHON = re.compile(r"\s*\[?\s*[A-Za-z_][\w.]*\s*\(")


def find_token(text: str) -> int | None:
    """Where the first token stands that announces a call; None where there is none."""
    if "<" not in text and "[" not in text:
        return None
    found = _OPENING.search(text)
    return found.start() if found else None


def token_calls(text: str) -> tuple[list[Call], str]:
    """The calls that tokens announce, and the text around them.

    Raises :class:`MalformedCall` where one of them announces none. Linear in the text's length.
    """
    found: list[Call] = []
    around: list[str] = []
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        around.append(text[at : opening.start()])
        read = {"mistral": _mistral, "named": _named, "section": _empty_section, "plain": _plain}
        some, at = read[str(opening.lastgroup)](text, opening.end())
        found += some
        closed = _CALL_END.match(text, at)
        at = closed.end() if closed else at
    around.append(text[at:])
    if found and any(_LEFT.search(part) for part in around):
        raise MalformedCall("a token of calls stands outside of all calls")
    return found, "\n".join(around)


def _mistral(text: str, at: int) -> tuple[list[Call], int]:
    named = _MISTRAL.match(text, at)
    if named is None:
        return _plain(text, at)
    value, end = parse_value(text, named.end())
    return [Call(named["name"], read_arguments(value))], end


def _named(text: str, at: int) -> tuple[list[Call], int]:
    header = _HEADER.match(text, at)
    if header is None:
        raise MalformedCall("a token announces a call that has no name")
    value, end = parse_value(text, header.end())
    if not isinstance(value, dict):
        raise MalformedCall("the arguments are not a JSON object")
    for closing in (_FENCE_END, _CALL_END) if header["fence"] else (_CALL_END,):
        closed = closing.match(text, end)
        if closed is None:
            raise MalformedCall("a call that a token announces is not closed")
        end = closed.end()
    return [Call(_name(header), read_arguments(value))], end


def _name(header: re.Match[str]) -> str:
    name: str = header["name"]
    if header["kimi"]:
        bare = _KIMI.fullmatch(name)
        return bare["name"] if bare else name
    if header["after"] is None:
        return name
    if name != "function":
        raise MalformedCall("a call has two names")
    return str(header["after"])


def _empty_section(text: str, at: int) -> tuple[list[Call], int]:
    closed = _SECTION_END.match(text, at)
    if closed is None:
        raise MalformedCall("a token announces calls and none follows")
    return [], closed.end()


def _plain(text: str, at: int) -> tuple[list[Call], int]:
    """JSON, one value or several, or Python up to the next token."""
    if _PYTHON.match(text, at):
        end = text.find("<|", at)
        end = len(text) if end < 0 else end
        read = python_calls(text[at:end], None)
        if read is None:
            raise MalformedCall("a token announces a call that is no Python")
        return [call._replace(name=call.name.removesuffix(".call")) for call in read], end
    found: list[Call] = []
    at = end_of_gap(text, at)
    if not text.startswith(("{", "["), at):
        raise MalformedCall("a token announces a call and none follows")
    while text.startswith(("{", "["), at) and _OPENING.match(text, at) is None:
        value, end = parse_value(text, at)
        found += calls(value)
        at = end_of_gap(text, end)
    return found, at
