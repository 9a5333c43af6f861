"""The turns of a conversation, and the policy's steps in each.

The prompt ends with the first turn of the user; each message of a user in the response begins the next. A step is one
message of the policy, with what tools said after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judges.conversation import message_spans
from trueward.wire.sample import Message, Sample


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


def step_spans(sample: Sample, steps: Sequence[Step]) -> list[tuple[int, int]]:
    """Where the first steps stand in the response's text, in characters."""
    return message_spans(sample)[: len(steps)]


def turn_spans(sample: Sample, steps: Sequence[Step], turns: int) -> list[tuple[int, int]]:
    """The same of the first ``turns`` turns, from their first step to their last; one without a step has no width."""
    found: list[tuple[int, int]] = []
    at = 0
    for turn in range(turns):
        own = [span for span, step in zip(message_spans(sample), steps, strict=False) if step.turn == turn]
        found.append((own[0][0], own[-1][1]) if own else (at, at))
        at = found[-1][1]
    return found
