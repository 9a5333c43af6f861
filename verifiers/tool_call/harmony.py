"""Calls in the messages of the harmony format, which gpt-oss writes.

``<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city": "Paris"}<|call|>``; the recipient may
also stand before the channel. A response that begins with such a message is a series of them: what is on the channel
``analysis`` is thinking, what has another recipient than a function is refused.
"""

from __future__ import annotations

import re

from trueward.wire.sample import Sample
from verifiers.extract.thinking import find_open_pair
from verifiers.tool_call.call import Call, MalformedCall, parse_values, read_arguments

_START = re.compile(r"\s*(?:<\|start\|>assistant)?(?:\s{0,9}to=[^\s<]{1,200}+)?\s{0,9}<\|channel\|>")
_TO = re.compile(r"to=(?P<recipient>[^\s<]{1,200}+)\s{0,9}")
_REACH = 220
"""Characters before a channel in which a recipient is looked for."""
_HEADER = re.compile(
    r"<\|channel\|>\s{0,9}(?P<channel>\w{1,40}+)(?:\s{0,9}to=(?P<recipient>[^\s<]{1,200}+))?"
    r"(?:\s{0,9}(?:<\|constrain\|>)?\s{0,9}(?:json|code))?\s{0,9}<\|message\|>"
)
_END = re.compile(r"<\|(?:(?P<closed>end|call|return)|start|channel)\|>")
_CHANNEL = "<|channel|>"
_FUNCTIONS = "functions."


def open_message(sample: Sample) -> str:
    """The message that the generation prefix leaves open, from its channel on; empty where there is none."""
    prefix = sample.prefix or ""
    at = prefix.rfind(_CHANNEL)
    is_open = at >= 0 and ("<|message|>" not in prefix[at:] or find_open_pair(sample) == "<|c")
    return prefix[at:] if is_open else ""


def harmony_calls(text: str) -> tuple[list[Call], str] | None:
    """The calls to functions, and the text of the messages to the user; None where no message is a call.

    Raises :class:`MalformedCall` where one is, and what follows is none. Linear in the text's length.
    """
    if "to=" not in text or _START.match(text) is None:
        return None
    found: list[Call] = []
    around: list[str] = []
    at = 0
    while (start := text.find(_CHANNEL, at)) >= 0:
        header = _HEADER.match(text, start)
        if header is None:
            around.append(text[at : start + len(_CHANNEL)])
            at = start + len(_CHANNEL)
            continue
        begin, before = _recipient_before(text, at, start)
        around.append(text[at:begin])
        ended = _END.search(text, header.end())
        body = text[header.end() : ended.start() if ended else len(text)]
        # what opens the next message belongs to its header
        closed = ended is not None and ended["closed"]
        at = len(text) if ended is None else ended.end() if closed else ended.start()
        if before or header["recipient"]:
            found.append(_call(before, header["recipient"] or "", body))
        elif header["channel"] != "analysis":
            around.append(body)
    around.append(text[at:])
    rest = "\n".join(around)
    if _CHANNEL in rest and (found or f"to={_FUNCTIONS}" in rest):
        raise MalformedCall("a message to a tool has no header that can be read")
    return (found, rest) if found else None


def _recipient_before(text: str, at: int, start: int) -> tuple[int, str]:
    """Where a header begins whose channel stands at ``start``, and the recipient that it names before the channel."""
    begin = text.rfind("to=", max(at, start - _REACH), start)
    named = _TO.match(text, begin, start) if begin >= 0 else None
    return (begin, named["recipient"]) if named is not None and named.end() == start else (start, "")


def _call(before: str, after: str, body: str) -> Call:
    if before and after and before != after:
        raise MalformedCall("a message has two recipients")
    recipient = before or after
    if not recipient.startswith(_FUNCTIONS) or recipient == _FUNCTIONS:
        raise MalformedCall(f"a message goes to {recipient[:80]}, which is no function")
    values = parse_values(body)
    if len(values) > 1 or (values and not isinstance(values[0], dict)):
        raise MalformedCall("the arguments are not a JSON object")
    return Call(recipient.removeprefix(_FUNCTIONS), read_arguments(values[0] if values else None))
