"""Messages as turns, and turns as passages: thinking ends where the verifiers say that it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from app.pages.inert import as_text
from app.pages.sample.views import Passage, ShownTurn
from trueward.wire.sample import THINKING_PARTS, Message, Sample
from verifiers.extract.thinking import SEPARATED, answer_start, find_open_pair

BETWEEN = "\n\n"
"""What stands between the policy's messages in :attr:`Sample.response_text`."""
Written = str | Sequence[Message] | None


def prompt_turns(sample: Sample) -> list[ShownTurn]:
    turns = [] if sample.prompt is None else list(_turns(sample.prompt, policy=False))
    return _placed(turns, sample.prompt)


def response_turns(sample: Sample) -> list[ShownTurn]:
    """With the thinking that the server had separated before the first of the policy's."""
    turns = [] if sample.response is None else list(_turns(sample.response, policy=True, opened=find_open_pair(sample)))
    turns = _placed(turns, sample.response)
    if sample.reasoning:
        first = next((turn for turn in turns if turn.policy), None)
        if first is None:
            turns.append(first := ShownTurn(role="", policy=True, passages=[]))
        first.passages.insert(0, Passage(kind="thinking", text=sample.reasoning, start=0, part="reasoning"))
    return turns


def _placed(turns: list[ShownTurn], whole: Written) -> list[ShownTurn]:
    """Where each passage stands in the part as plain text, from which pages fetch the rest of it."""
    sent = whole if whole is None or isinstance(whole, str) else [one.model_dump(exclude_unset=True) for one in whole]
    text, place = as_text(sent), 0
    for turn in turns:
        head = f"[{turn.role}]\n" if turn.role else ""
        place = max(place, text.find(head, place) + len(head))
        for passage in (passage for passage in turn.passages if passage.kind == "text" or passage.place is not None):
            start = text.find(passage.text, place)
            if start >= 0:
                passage.start, place = start, start + len(passage.text)
    return turns


def _turns(value: str | Sequence[Message], *, policy: bool, opened: str = "") -> Iterator[ShownTurn]:
    if isinstance(value, str):
        yield ShownTurn(role="", policy=policy, passages=_thought(value, opened, 0) if policy else [_text(value)])
        return
    place = 0
    for message in value:
        yield ShownTurn(role=message.role, policy=message.is_policy, passages=list(_passages(message, opened, place)))
        if message.is_policy:
            opened, place = "", place + len(message.text) + len(BETWEEN)


def _passages(message: Message, opened: str, place: int) -> Iterator[Passage]:
    """What a message thinks, what it says, and what else it holds: at most one passage of each, however many parts."""
    extra = dict(message.model_extra or {})
    parts = message.content if isinstance(message.content, list) else []
    thinking = [extra.pop(name) for name in SEPARATED if extra.get(name) is not None]
    thinking += [part for part in parts if _kind(part) in THINKING_PARTS]
    if thinking:
        yield Passage(kind="thinking", text="\n\n".join(map(_words, thinking)))
    if message.text:
        yield from _thought(message.text, opened, place) if message.is_policy else [_text(message.text)]
    further = [part for part in parts if not _is_text(part) and _kind(part) not in THINKING_PARTS]
    further += [extra] if extra else []
    if further:
        yield Passage(kind="data", text=as_text(further[0] if len(further) == 1 else further))


def _thought(text: str, opened: str, place: int) -> list[Passage]:
    """Up to the last closing tag it is thinking; all of it where the thinking never ends."""
    start = answer_start(text, opened=opened)
    if start is None:
        return [Passage(kind="thinking", text=text, place=place, closed=False)]
    thinking = [Passage(kind="thinking", text=text[:start], place=place)] if start else []
    if thinking and not text[start:].strip():
        return thinking
    return [*thinking, Passage(kind="text", text=text[start:], place=place + start)]


def _text(text: str) -> Passage:
    return Passage(kind="text", text=text)


def _is_text(part: JsonValue) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _kind(part: JsonValue) -> str:
    return str(part.get("type")) if isinstance(part, dict) else ""


def _words(value: JsonValue) -> str:
    """The text of a part of thinking, which servers give different names."""
    if isinstance(value, dict):
        told = next(
            (value[name] for name in ("thinking", "text", "reasoning") if isinstance(value.get(name), str)), value
        )
        return as_text(told)
    return as_text(value)
