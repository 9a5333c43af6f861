"""Selections: candidates for one prompt, of which one is chosen."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, StrictInt, StrictStr, model_validator

from trueward.wire.base import Number, Score, Wire
from trueward.wire.sample import Sample, Split
from trueward.wire.verdict import Outcome

SelectionMethod = Literal["best_of", "majority", "weighted_vote"]


class CandidateClass(Wire):
    """Candidates whose answers the verifier found equivalent; ``votes`` is their number, or the sum of their scores."""

    ids: list[str]
    answer: JsonValue = Field(description="the first one's answer, which the others were compared with")
    votes: float


class UncomparedPair(Wire):
    """A comparison without a result: the two count as different."""

    id: str
    against: str
    outcome: Outcome
    reason_code: str
    reason: str = ""


class UnclassedCandidate(Wire):
    """A candidate that is in no class, and why: it gave no answer, or was not compared in time."""

    id: str
    outcome: Outcome
    reason_code: str
    reason: str = ""


class Selection(Wire):
    """One of several candidates; ``chosen`` is null where none is left to choose.

    ``share`` is the winning class's share of the votes, ``tied`` says that another class had as many.
    """

    chosen: str | None
    method: SelectionMethod
    scores: dict[str, float | None] | None = None
    classes: list[CandidateClass] = Field(default=[], description="in the order of their first members")
    share: float | None = None
    tied: bool = False
    without_class: list[UnclassedCandidate] = Field(default=[])
    uncompared: list[UncomparedPair] = Field(default=[])
    comparisons: int = 0


MOST = 256
"""Candidates in one request: as many classes may come of them, each compared with all that is left."""


class SelectRequest(Wire):
    """Candidates for one prompt, and how one of them is chosen.

    ``best_of`` takes the highest score: given in ``scores``, or made by ``recipe`` or ``verifier``. The two votes
    take the answer with the most votes, or with the highest sum of scores; the answers' classes are made by
    ``verifier``. A majority's scores, where there are some, choose among its own candidates.
    """

    method: SelectionMethod
    candidates: list[Sample] = Field(min_length=1, max_length=MOST)
    scores: list[Score | None] | None = Field(default=None, description="one a candidate")
    recipe: StrictStr | dict[str, JsonValue] | None = Field(default=None, description="gives the scores")
    verifier: StrictStr | None = Field(default=None, description="compares answers; for `best_of`: gives the scores")
    params: dict[str, JsonValue] = Field(default={})
    answers: list[JsonValue] | None = Field(
        default=None, description="each candidate's answer, as a reference of the verifier; default: extracted from it"
    )
    run: StrictStr | None = Field(default=None, min_length=1, max_length=256)
    step: Annotated[StrictInt, Field(ge=0, le=2**53)] | None = None
    policy: StrictStr | None = Field(default=None, max_length=256)
    split: Split = "train"
    deadline_s: Annotated[Number, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _has_what_its_method_needs(self) -> Self:
        sources = [self.scores is not None, self.recipe is not None]
        if self.method == "best_of":
            if sum([*sources, self.verifier is not None]) != 1:
                raise ValueError("best_of needs one source of scores: scores, a recipe, or a verifier")
        elif self.verifier is None:
            raise ValueError(f"{self.method} needs the verifier that says which answers are equivalent")
        elif sum(sources) > 1 or (self.method == "weighted_vote" and not any(sources)):
            raise ValueError(f"{self.method} takes its scores from `scores` or from a recipe")
        for name, given in (("scores", self.scores), ("answers", self.answers)):
            if given is not None and len(given) != len(self.candidates):
                raise ValueError(f"{len(self.candidates)} candidates, and {len(given)} {name}: give one a candidate")
        if len({candidate.prompt_text for candidate in self.candidates}) > 1:
            raise ValueError("the candidates are for different prompts: select among those of one prompt")
        return self
