"""``contrast_swap`` and ``principle_swap``: does the score follow the prompt, or the principle, when it is swapped?

Two contexts with a response each, four scores. A pair is ``consistent`` by its responses where each context scores its
own response above the other's, and by its contexts (``context``) where each response scores higher in its own context
than in the other: a score that merely likes one prompt passes the first and fails the second (Contrast Instructions).
Contexts are prompts, or principles over one prompt; a principle comes where judges and model slots read it, as
``metadata.principle``, and the other response is the baseline for judges that compare.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StrictStr

from audits.bench.case import BenchCase, CaseMeasures, Format, Scores
from audits.bench.rows import BenchRow, PromptRow, RawRows, read
from audits.statistics.preference import prefers_own
from trueward.wire.sample import Message, Sample

_Prompt = StrictStr | list[Message]


class ContrastRow(BenchRow):
    """``{prompts: [x, x'], responses: [y, y'], references?: [r, r'], ...}``."""

    prompts: Annotated[list[_Prompt], Field(min_length=2, max_length=2)]
    responses: Annotated[list[StrictStr], Field(min_length=2, max_length=2)]
    references: Annotated[list[JsonValue], Field(min_length=2, max_length=2)] | None = None


class PrincipleRow(PromptRow):
    """``{prompt, responses: [y, y'], principles: [p, p'], principle_as?, ...}``.

    ``principle_as: reference`` sends the principle as the sample's reference, for verifiers that read it there.
    """

    responses: Annotated[list[StrictStr], Field(min_length=2, max_length=2)]
    principles: Annotated[list[JsonValue], Field(min_length=2, max_length=2)]
    principle_as: Literal["metadata", "reference"] = "metadata"

    def pair_responses(self, principle: JsonValue, response: str, other: str) -> Sample:
        """The response under the principle, beside the other one."""
        if self.principle_as == "reference":
            sample = self.sample(self.prompt, response, principle)
        else:
            sample = self.sample(self.prompt, response, principle=principle)
        return sample.model_copy(update={"baselines": [other]})


def _contrasts(rows: RawRows) -> list[BenchCase]:
    return [_contrast(place, row) for place, row in enumerate(read(ContrastRow, rows))]


def _principles(rows: RawRows) -> list[BenchCase]:
    return [_principle(place, row) for place, row in enumerate(read(PrincipleRow, rows))]


def _contrast(place: int, row: ContrastRow) -> BenchCase:
    """In each context its own response, then the other's."""
    references = row.references or [None, None]
    parts = [
        [row.sample(*in_context) for in_context in zip(row.prompts, order, references, strict=True)]
        for order in (row.responses, row.responses[::-1])
    ]
    return BenchCase.of(place, row, *parts)


def _principle(place: int, row: PrincipleRow) -> BenchCase:
    parts = [
        [row.pair_responses(*one) for one in zip(row.principles, order, order[::-1], strict=True)]
        for order in (row.responses, row.responses[::-1])
    ]
    return BenchCase.of(place, row, *parts)


def _measure(scores: Scores) -> CaseMeasures:
    own, other = scores
    margins = [one - two for one, two in zip(own, other, strict=True)]
    consistent = prefers_own((own[0], own[1]), (other[0], other[1]))
    # the same response in its own context and in the other: the responses of ``other`` stand crosswise
    context = prefers_own((own[0], own[1]), (other[1], other[0]))
    values = {
        "consistent": float(consistent),
        "context": float(context),
        "both": float(consistent and context),
        "half": sum(margin > 0 for margin in margins) / 2,
    }
    return CaseMeasures(values, min(margins))


def _meaning(what: str) -> dict[str, str]:
    return {
        "consistent": f"both {what} score their own response higher; a tie is an error",
        "context": f"both responses score higher under their own of the {what} than under the other; a tie is an error",
        "both": "consistent in both ways",
        "half": f"{what} that score their own response higher",
    }


CONTRAST_SWAP = Format(ContrastRow, _contrasts, _measure, _meaning("prompts"))
PRINCIPLE_SWAP = Format(PrincipleRow, _principles, _measure, _meaning("principles"))
