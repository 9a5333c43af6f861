"""What a judge is shown of a sample, each part as :class:`judges.asking.fence.Material`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from judges.asking.fence import Material
from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Message, Sample
from verifiers.extract import NoAnswer
from verifiers.scope import Scope, extract_scope

_ARGUMENTS = "arguments"


def question(sample: Sample) -> str:
    """The prompt: one text, or its turns."""
    if isinstance(sample.prompt, list):
        return turns(sample.prompt)
    return str(Material("QUESTION", sample.prompt or ""))


def response(sample: Sample, scope: Scope) -> str:
    """The response, or the part of it that is judged. ``scoped`` must have found one."""
    if scope is Scope.RESPONSE and isinstance(sample.response, list):
        return turns(sample.response)
    part = extract_scope(sample, scope)
    assert not isinstance(part, NoAnswer), "a response without that part is never shown"
    return str(Material("RESPONSE", part.text))


def turns(messages: Sequence[Message]) -> str:
    """A conversation: a fence a turn, named for whose it is."""
    return "\n".join(str(Material(role_name(message), message_text(message))) for message in messages)


def role_name(message: Message) -> str:
    """In capitals; what is no plain word is another party's."""
    return message.role.upper() if message.role.isascii() and message.role.isalpha() else "OTHER"


def message_text(message: Message) -> str:
    """The text of a turn, and the calls of tools in it as JSON, their arguments as they were written."""
    calls = (message.model_extra or {}).get("tool_calls")
    parts = [message.text, _written(calls) if calls else ""]
    return "\n".join(part for part in parts if part)


def arguments_of(message: Message) -> list[str]:
    """The arguments of the calls of tools in a turn, as they were written."""
    return list(_arguments((message.model_extra or {}).get("tool_calls")))


def _written(value: object, name: str = "") -> str:
    """As JSON; OpenAI's form has a call's arguments as a text that is JSON itself, which is not escaped once more."""
    if name == _ARGUMENTS and isinstance(value, str):
        return value
    if isinstance(value, dict):
        members = (f"{json.dumps(str(key), ensure_ascii=False)}: {_written(one, key)}" for key, one in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _arguments(value: object) -> Iterator[str]:
    for name, one in value.items() if isinstance(value, dict) else ():
        if name == _ARGUMENTS:
            yield one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)
        else:
            yield from _arguments(one)
    for one in value if isinstance(value, list) else ():
        yield from _arguments(one)


def references(sample: Sample) -> str:
    """Each acceptable reference in a fence of its own. Raises :class:`trueward.Abstain` without one."""
    found = [text_of(one) for one in sample.references]
    if not any(found):
        raise Abstain("no_reference", "the sample has no reference, and this judge compares with one")
    return "\n".join(str(Material("REFERENCE", one)) for one in found if one)


def metadata_texts(sample: Sample, name: str) -> list[str]:
    """``metadata[name]``, a text or a list of them. Raises :class:`trueward.Abstain` where there is none."""
    value = (sample.metadata or {}).get(name)
    texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    found = [one for one in texts if isinstance(one, str) and one.strip()]
    if not found or len(found) < len(texts):
        raise Abstain(f"no_{name}", f"this judge needs metadata.{name}: a text, or a list of texts")
    return found


def metadata_value(sample: Sample, name: str) -> str:
    """``metadata[name]`` in a fence: a text as it is, else JSON. Raises :class:`trueward.Abstain` without."""
    value = (sample.metadata or {}).get(name)
    if value is None or value == "":
        raise Abstain("no_metadata", f"this judge needs metadata.{name}, and the sample has none")
    return str(Material(name.upper(), text_of(value)))


def text_of(value: JsonValue) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
