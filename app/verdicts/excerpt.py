"""The beginning of what a response says after its thinking, for a list."""

from __future__ import annotations

from pydantic import JsonValue, ValidationError

from trueward.wire.sample import Sample
from verifiers.extract.thinking import answer_start, find_open_pair

LONGEST = 200
END = 2_000
"""Characters of the end of a response that are looked through where its sample is too long to be read whole."""


def excerpt(content: dict[str, JsonValue]) -> str:
    """Of the last message where there are several. Thinking that never ends is shown by its end."""
    try:
        sample = Sample.model_validate(content)
    except ValidationError:
        return ""
    if not isinstance(sample.response, list):
        return _after(sample.response_text, answer_start(sample.response_text, opened=find_open_pair(sample)))
    own = [message.text for message in sample.response if message.is_policy and message.text.strip()]
    return _after(own[-1], answer_start(own[-1], opened=find_open_pair(sample) if len(own) == 1 else "")) if own else ""


def excerpt_of_end(beginning: str, end: str) -> str:
    """The same of a long response, of which its beginning and its end are known."""
    start, early = answer_start(end, opened=True), answer_start(beginning, opened="")
    return _after(beginning, early) if start is None and early is not None else _after(end, start)


def _after(text: str, start: int | None) -> str:
    return text[-LONGEST:] if start is None else text[start:].strip()[:LONGEST]
