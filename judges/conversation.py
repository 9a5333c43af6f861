"""A sample made a prompt: what a model reads of it, as its entry says.

Without ``messages`` or ``text`` in the entry a model reads the prompt's turns and the response as the assistant's.
Slots in braces are filled once, from left to right: what a policy wrote is never searched for slots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from judges.questions import Prompt, Turn
from trueward.authoring.verifier import Abstain
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Message, Sample

_SLOT = re.compile(r"\{(prompt|response|reference|documents|principle|other)\}")


def turns_of(sample: Sample, system: str | None = None) -> tuple[Turn, ...]:
    """The prompt's turns; a text is the user's. ``system`` comes first where the prompt has no such turn."""
    if isinstance(sample.prompt, str):
        turns: tuple[Turn, ...] = (Turn("user", sample.prompt),)
    else:
        turns = tuple(_turn(message) for message in sample.prompt or [])
    if system is None or any(turn.role == "system" for turn in turns):
        return turns
    return (Turn("system", system), *turns)


def reply_of(sample: Sample) -> tuple[Turn, ...]:
    """The response's turns: those of the policy, and what tools and users said between them."""
    if isinstance(sample.response, str):
        return (Turn("assistant", sample.response),)
    return tuple(_turn(message) for message in sample.response or [])


BETWEEN_MESSAGES = "\n\n"


def message_spans(sample: Sample) -> list[tuple[int, int]]:
    """Where each message of the policy stands in the response's text, in characters; an empty one has no width."""
    if not isinstance(sample.response, list):
        return [(0, len(sample.response_text))]
    found, at = [], 0
    for message in sample.response:
        if message.is_policy:
            found.append((at, at + len(message.text)))
            at += len(message.text) + len(BETWEEN_MESSAGES)
    return found


def conversation(entry: ModelEntry, sample: Sample, *, response: str | None = None, other: str | None = None) -> Prompt:
    """What the model of ``entry`` reads: prompt and response, in the entry's form.

    ``response`` replaces the sample's own, ``other`` is the response that it is compared with. Raises
    :class:`trueward.Abstain` where a slot has nothing to be filled with.
    """
    if entry.text is not None:
        return _filled(entry.text, sample, response, other)
    if entry.messages is not None:
        return tuple(Turn(message.role, _filled(message.text, sample, response, other)) for message in entry.messages)
    reply = reply_of(sample) if response is None else (Turn("assistant", response),)
    return (*turns_of(sample, entry.system), *reply)


def slots_of(entry: ModelEntry) -> frozenset[str]:
    """The slots that the entry names."""
    texts = [entry.text or "", *(message.text for message in entry.messages or [])]
    return frozenset(slot for text in texts for slot in _SLOT.findall(text))


def _filled(template: str, sample: Sample, response: str | None, other: str | None) -> str:
    values: dict[str, Callable[[], str]] = {
        "prompt": lambda: sample.prompt_text,
        "response": lambda: sample.response_text if response is None else response,
        "other": lambda: _there("other", other),
        "reference": lambda: _there("reference", sample.references[0] if sample.references else None),
        "documents": lambda: _there("documents", (sample.metadata or {}).get("documents")),
        "principle": lambda: _there("principle", (sample.metadata or {}).get("principle")),
    }
    return _SLOT.sub(lambda found: values[found[1]](), template)


def _there(slot: str, value: object) -> str:
    """The text of a slot's value; lists are joined by blank lines."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, Sequence) and value and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    raise Abstain(f"no_{slot}", f"the model's entry has a slot {{{slot}}}, and the sample has no text for it")


def _turn(message: Message) -> Turn:
    return Turn(message.role, message.text)
