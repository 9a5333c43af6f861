"""``contrast_swap`` and ``principle_swap``: does the score follow the prompt, or the principle, when it is swapped?

Two prompts with an answer each: each must score its own answer above the other's. Or one prompt, two responses and two
principles (as the sample's reference): each principle must prefer its own response.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue, StrictStr

from app.audit.bench.case import Case, Format, Measured, Scores
from app.audit.bench.rows import PromptRow, RawRows, Row, read
from app.audit.statistics.preference import swapped_contexts
from trueward.types import Message

_Prompt = StrictStr | list[Message]


class ContrastRow(Row):
    """``{prompts: [x, x'], responses: [y, y'], references?: [r, r'], ...}``."""

    prompts: Annotated[list[_Prompt], Field(min_length=2, max_length=2)]
    responses: Annotated[list[StrictStr], Field(min_length=2, max_length=2)]
    references: Annotated[list[JsonValue], Field(min_length=2, max_length=2)] | None = None


class PrincipleRow(PromptRow):
    """``{prompt, responses: [y, y'], principles: [p, p'], ...}``."""

    responses: Annotated[list[StrictStr], Field(min_length=2, max_length=2)]
    principles: Annotated[list[JsonValue], Field(min_length=2, max_length=2)]


def _contrasts(rows: RawRows) -> list[Case]:
    return [
        _case(place, row, row.prompts, row.references or [None, None], row.responses)
        for place, row in enumerate(read(ContrastRow, rows))
    ]


def _principles(rows: RawRows) -> list[Case]:
    return [
        _case(place, row, [row.prompt, row.prompt], row.principles, row.responses)
        for place, row in enumerate(read(PrincipleRow, rows))
    ]


def _case(place: int, row: Row, prompts: list[_Prompt], references: list[JsonValue], responses: list[str]) -> Case:
    """In each context its own response, then the other's."""
    parts = [
        [row.sample(*in_context) for in_context in zip(prompts, order, references, strict=True)]
        for order in (responses, responses[::-1])
    ]
    return Case.of(place, row, *parts)


def _measure(scores: Scores) -> Measured:
    own, other = scores
    margins = [one - two for one, two in zip(own, other, strict=True)]
    consistent = swapped_contexts((own[0], own[1]), (other[0], other[1]))
    values = {"consistent": float(consistent), "half": sum(margin > 0 for margin in margins) / 2}
    return Measured(values, min(margins))


def _meaning(what: str) -> dict[str, str]:
    return {
        "consistent": f"both {what} score their own response higher; a tie is an error",
        "half": f"{what} that score their own response higher",
    }


CONTRAST_SWAP = Format(ContrastRow, _contrasts, _measure, _meaning("prompts"))
PRINCIPLE_SWAP = Format(PrincipleRow, _principles, _measure, _meaning("principles"))
