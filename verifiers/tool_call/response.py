"""The tool calls of a response, and how they were found.

The ``tool_calls`` of the last policy message, or its ``function_call``; else the messages of harmony; else, in its text
after the thinking, what stands in ``<tool_call>`` tags or behind special tokens, whichever comes first; else XML; else
ReAct; else a fenced block; else JSON from the first bracket to the last; else Python. A tag announces a call, so what
stands in it must be one; any other text that is no call is prose. A call that only some readers would find, among other
brackets or beside those that the rule found, is ``malformed_call``.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from trueward.wire.sample import Message, Sample
from verifiers.extract import NoAnswer
from verifiers.extract.fence import fences
from verifiers.legible import legible
from verifiers.scope import Scope, extract_scope
from verifiers.tool_call.call import Call, MalformedCall, call, calls, parse_values
from verifiers.tool_call.equal import identity
from verifiers.tool_call.harmony import harmony_calls, open_message
from verifiers.tool_call.python import python_calls
from verifiers.tool_call.react import react_calls
from verifiers.tool_call.stray import stray
from verifiers.tool_call.tokens import find_token, token_calls
from verifiers.tool_call.xml import read_paired_call, xml_calls

_REACH = 80
_MENTION = re.compile(
    r"(?:"
    # a denial, and nothing but the verb and its object behind it
    r"(?<!\w)(?:not|never|cannot|\w{2,8}n['’]t|without|avoid|instead\sof|rather\sthan)"
    r"(?:\s(?:be|do|to|use|used|using|call|called|calls|calling|run|running|make|making|made|invoke|invoking|write|send|need|needed"
    r"|necessary|required|want|going|is|it|the|this|that|these|a|an|any|my|our|tool|function|call|right|correct|following|with|as|like"
    r"|such))*"
    r"|(?<!\w)(?:(?:for\s)?(?:example|instance)s?|e\.\s?g\.|sample|wrong|incorrect|template)"
    r"(?:\s(?:of\s)?(?:a\s|an\s|the\s)?(?:tool\s|function\s)?(?:call|calls|usage|format|output|answer|response|action))?(?:\s(?:is|would\sbe|only))?"
    r"|(?<!\w)(?:beispiel|z\.\s?b\.|par\sexemple|exemple|ejemplo|por\sejemplo|esempio|exemplo|пример|например|(?<!\w)не)"
    r"|例如|示例|例子|比如|不要调用|不调用|例"
    r")[\s:：,，*_`'\"(-]*\Z",
    re.IGNORECASE,
)
LONGEST = 100_000
"""Characters of a message that is searched for calls."""
_TAG = re.compile(r"<(/?)tool_call>")
_JSON = frozenset(("", "json", "tool_call"))
_PYTHON = frozenset(("", "python", "py", "tool_code", "tool_call"))
_LISTED = re.compile(r"^\[\s*[A-Za-z_][\w.]*\(", re.MULTILINE)


def is_mentioned(before: str) -> bool:
    """Whether the text before a call says that the call is not made, or only an example: ``I would not call {...}``.

    Only what stands right before it counts, within its sentence. Calls in tags and behind special tokens are made
    whatever the words before them say: servers carry them out.
    """
    return _MENTION.search(before[-_REACH:]) is not None


class Called(NamedTuple):
    """The calls, in order, and the rule that found them."""

    calls: list[Call]
    rule: str


def read_calls(sample: Sample, known: AbstractSet[str]) -> Called | NoAnswer:
    """The calls of a response; none is an answer, too. Linear in its length; never raises.

    ``known`` are the names of tools.
    """
    try:
        return _called(sample, known)
    except MalformedCall as failure:
        return NoAnswer("malformed_call", str(failure))


def _called(sample: Sample, known: AbstractSet[str]) -> Called | NoAnswer:
    message = _last(sample)
    if message is not None:
        extra = message.model_extra or {}
        for field in ("tool_calls", "function_call"):
            if extra.get(field):
                return Called(calls(extra[field]), field)
        first = sum(one.is_policy for one in sample.response or [] if isinstance(one, Message)) == 1
        sample = sample.model_copy(update={"response": message.text, "prefix": sample.prefix if first else None})
    if len(sample.response_text) > LONGEST:
        return NoAnswer("answer_too_long", f"a message has at most {LONGEST} characters")
    if not sample.response_text.strip():
        return NoAnswer("empty", "the response is missing or empty")
    messages = harmony_calls(open_message(sample) + legible(sample.response_text))
    if messages is not None:
        return _alone(Called(messages[0], "harmony"), messages[1])
    text = extract_scope(sample, Scope.ANSWER)
    return text if isinstance(text, NoAnswer) else _written(text.text, known)


def _last(sample: Sample) -> Message | None:
    messages = sample.response if isinstance(sample.response, list) else []
    return next((message for message in reversed(messages) if message.is_policy), None)


def _written(text: str, known: AbstractSet[str]) -> Called | NoAnswer:
    tag, token = _TAG.search(text) if "tool_call>" in text else None, find_token(text)
    if tag is not None and (token is None or tag.start() < token):
        return _tagged(text)
    if token is not None:
        found, around = token_calls(text)
        return _alone(Called(found, "token"), around)
    found, around = xml_calls(text)
    if found:
        return _alone(Called(found, "xml"), around)
    found, pieces = react_calls(text)
    if found:
        return _made(Called(found, "react"), pieces)
    blocks, pieces = _fenced(text, _JSON)
    bracketed, before = _bracketed(text)
    for rule, candidates, rest in (("fence", blocks, pieces), ("json", bracketed, [before, ""])):
        try:
            found = [call for candidate in candidates for value in parse_values(candidate) for call in calls(value)]
        except MalformedCall:
            continue
        if found:
            return _made(Called(found, rule), rest)
    return _in_python(text, known)


def _in_python(text: str, known: AbstractSet[str]) -> Called:
    """Calls in Python: the whole text, its fenced blocks, or a list that ends it."""
    blocks, pieces = _fenced(text, _PYTHON)
    listed = list(_LISTED.finditer(text))
    last = listed[-1].start() if listed else len(text)
    for sources, rest in (([text], ["", ""]), (blocks, pieces), ([text[last:]], [text[:last], ""])):
        read = [python_calls(source, known) for source in sources]
        found = [one for calls in read if calls is not None for one in calls]
        if found and None not in read:
            if any(_LISTED.search(piece) for piece in rest):
                raise MalformedCall("a call stands beside the last list of calls")
            return _made(Called(found, "python"), rest)
    return _alone(Called([], "prose"), text)


def _made(called: Called, pieces: Sequence[str]) -> Called:
    """Bare calls, where no words before one say that it is not made. ``pieces``: the text before each and behind."""
    if any(is_mentioned(piece) for piece in pieces[:-1]):
        raise MalformedCall("the words before a call deny it or call it an example")
    return _alone(called, "\n".join(pieces))


def _alone(called: Called, around: str) -> Called:
    """The calls, where the text around them holds no others. Raises :class:`MalformedCall`."""
    known = set(map(_identity, called.calls))
    others = [*map(call, stray(around)), *xml_calls(around)[0], *token_calls(around)[0], *react_calls(around)[0]]
    if any(_identity(one) not in known for one in others):
        raise MalformedCall("a call stands among what is no call")
    if called.rule != "tag" and _TAG.search(around):
        raise MalformedCall("a <tool_call> tag stands beside calls of another form")
    return called


def _identity(one: Call) -> Hashable:
    return one.name, identity(one.arguments)


def _tagged(text: str) -> Called | NoAnswer:
    found: list[Call] = []
    around: list[str] = []
    start: int | None = None
    end = 0
    for tag in _TAG.finditer(text):
        if (start is None) == bool(tag[1]):
            return NoAnswer("malformed_call", "the <tool_call> tags are not paired")
        if start is not None:
            found += _content(text[start : tag.start()])
            end = tag.end()
        else:
            around.append(text[end : tag.start()])
        start = tag.end() if start is None else None
    if start is not None:
        return NoAnswer("unclosed_tag", "the last <tool_call> is not closed")
    return _alone(Called(found, "tag"), "\n".join([*around, text[end:]]))


def _content(text: str) -> list[Call]:
    """The calls in a tag. Raises :class:`MalformedCall`."""
    pair = read_paired_call(text)
    if pair is not None:
        return [pair]
    found, around = xml_calls(text)
    if found and not around.strip():
        return found
    blocks, pieces = _fenced(text, _JSON)
    if blocks and not "".join(pieces).strip():
        text = "\n".join(blocks)
    if not text.strip():
        raise MalformedCall("a <tool_call> tag is empty")
    return [call for value in parse_values(text) for call in calls(value)]


def _fenced(text: str, languages: AbstractSet[str]) -> tuple[list[str], list[str]]:
    """What stands in fenced blocks of these languages, and the text before each and behind the last."""
    found: list[str] = []
    around: list[str] = []
    end = 0
    for block in fences(text):
        if block.closed and block.info.partition(" ")[0].lower() in languages:
            found.append(block.text)
            around.append(text[end : block.start])
            end = block.end
    return found, [*around, text[end:]]


def _bracketed(text: str) -> tuple[list[str], str]:
    """From the first bracket to the last, and the text before."""
    start = min((at for bracket in "{[" if (at := text.find(bracket)) >= 0), default=-1)
    end = max(text.rfind("}"), text.rfind("]"))
    return ([text[start : end + 1]], text[:start]) if 0 <= start < end else ([], text)
