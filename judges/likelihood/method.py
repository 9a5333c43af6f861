"""One mechanism, many methods: a method says what is teacher-forced, and what the answers are worth. Both pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from judges.likelihood.params import LikelihoodParams
from judges.likelihood.splice import Splice, splice_reference
from judges.questions import Answer, Question
from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

Which = Literal["model", "baseline"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to the model, or to the model of the baseline."""

    question: Question
    which: Which = "model"


@dataclass(frozen=True, slots=True)
class Measured:
    """A score with what it is made of."""

    score: float
    evidence: Mapping[str, JsonValue] = field(default_factory=dict)


class Method(ABC):
    """A sample in, questions out; answers in, the score out. ``transform`` is the method's name in the parameters."""

    @abstractmethod
    def asks(self, sample: Sample, params: LikelihoodParams) -> Sequence[Asked] | Verdict:
        """What is asked, or the verdict where nothing can be. Raises :class:`trueward.Abstain`."""

    @abstractmethod
    def measure(self, sample: Sample, params: LikelihoodParams, answers: Sequence[Answer]) -> Measured:
        """What the answers are worth; one answer a question, in order."""


def references_of(sample: Sample) -> list[str]:
    """The references as texts, at least one. Raises :class:`trueward.Abstain`."""
    found = [_text(one) for one in sample.references]
    if not found:
        raise Abstain("no_reference", "the sample has no reference, and this method measures its likelihood")
    return found


def place_of(sample: Sample, params: LikelihoodParams) -> Splice | Verdict:
    return splice_reference(sample, append=params.splice == "append", joint=params.joint)


def _text(reference: JsonValue) -> str:
    if isinstance(reference, str) and reference.strip():
        return reference
    if isinstance(reference, int | float) and not isinstance(reference, bool):
        return str(reference)
    raise Abstain("reference_not_text", "a likelihood is that of a text: the reference must be one, or a number")
