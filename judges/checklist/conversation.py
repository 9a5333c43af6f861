"""The turns of a conversation, and the policy's steps in each.

The prompt ends with the first turn of the user; each message of a user in the response begins the next. A step is one
message of the policy, with what tools said after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trueward.types import Message, Sample


@dataclass(frozen=True, slots=True)
class Step:
    """``turn`` that it belongs to; ``end``: how many messages of the response there are with it and its tools, and
    ``start`` how many before its turn."""

    turn: int
    end: int
    start: int = 0


def messages_of(sample: Sample) -> list[Message]:
    """The response as messages; a text is one of the policy's."""
    if isinstance(sample.response, str):
        return [Message(role="assistant", content=sample.response)]
    return list(sample.response or [])


def steps_of(messages: Sequence[Message]) -> list[Step]:
    """In order."""
    found: list[Step] = []
    turn = start = 0
    for place, message in enumerate(messages):
        if message.is_policy:
            found.append(Step(turn, place + 1, start))
        elif message.role == "user":
            turn, start = turn + 1, place + 1
        elif found and found[-1].turn == turn:
            found[-1] = Step(turn, place + 1, start)
    return found
