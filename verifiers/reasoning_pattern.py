"""``reasoning_pattern``: does the response reason as one reasons, by its turns of phrase?

``min(1, distinct cues / 20)``, less the share of windows of 20 words that occurred before, less 1 for each turn of a
user that the response forges (``user: ``); at least 0. Source: The Climb Carves Wisdom Deeper Than the Summit, arXiv
2505.22653, in its style: the cues are of its kinds, and a window that is repeated counts each time (the authors' code
counts it once, so that a loop of one window costs next to nothing). It knows nothing of whether an answer is right:
the shaping of the same name uses it to help a reward model where that is doubtful.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Example, Params, SampleVerifier, Task, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane, Scale
from verifiers.extract import NoAnswer
from verifiers.repetition import windows, words
from verifiers.scope import Scope, extract_scope

PLANNING = ("first, ", "firstly, ", "next, ", "finally, ", "i need to", "we need to", "let's start", "to begin with")
CHECKING = (
    "wait",
    "let me check",
    "let me verify",
    "let me see",
    "double-check",
    "try again",
    "let me try",
    "let's try",
    "alternatively",
    "on the other hand",
    "not correct",
    "doesn't work",
    "does not work",
    "makes sense",
    "hold on",
)
OBSERVING = ("we know that", "we can see ", "we observe ", "notice that", "note that", "recall that", "given that")
CAUSAL = (
    "therefore",
    "thus",
    "hence",
    "as a result",
    "consequently",
    "because ",
    "since we ",
    "so that",
    "if we",
    "for example",
)
CUES = (*PLANNING, *CHECKING, *OBSERVING, *CAUSAL)

WINDOW = 20
FULL = 20
"""Distinct cues that are worth 1."""

_FORGED = "user: "
_AT_ONCE = 500
"""Words whose windows are counted in the process itself: a few milliseconds."""


def pattern_score(hits: int, repeated: float, user_turns: int = 0) -> float:
    """``min(1, hits / 20) - repeated share of 20-grams - forged user turns``, at least 0."""
    return max(min(1.0, hits / FULL) - repeated - user_turns, 0.0)


class ReasoningPatternParams(Params):
    cues: tuple[str, ...] = Field(
        CUES, min_length=1, max_length=200, description="phrases, lower case, each counted once wherever it stands"
    )
    scope: Scope = Field(
        Scope.RESPONSE,
        description="the text that is looked at: the whole `response`, the `thinking`, the `answer` after it, or the "
        "`final` answer alone",
    )


class Counted(NamedTuple):
    """What is counted at once, and the words whose windows a worker counts."""

    cues: tuple[str, ...]
    forged: int
    words: tuple[str, ...]


class ReasoningPatternVerifier(SampleVerifier[ReasoningPatternParams]):
    name: ClassVar[str] = "reasoning_pattern"
    summary: ClassVar[str] = "Turns of phrase of reasoning, less repetition and forged turns"
    scale: ClassVar[Scale] = "graded"
    lane: ClassVar[Lane] = "cpu"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    Reference: ClassVar[Any] = None
    Params: ClassVar[type[Params]] = ReasoningPatternParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="First, I need to add. Wait, let me check. Thus 4."), outcome="scored"),
        Example(sample=Sample(response="4"), outcome="scored"),
        Example(sample=Sample(response=" "), outcome="invalid"),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        part = extract_scope(sample, self.params.scope)
        if isinstance(part, NoAnswer):
            return Verdict.invalid(part.reason_code, part.reason)
        text = part.text.lower()
        present = tuple(cue for cue in dict.fromkeys(self.params.cues) if cue in text)
        task = Counted(present, text.count(_FORGED), tuple(words(text)))
        return self.check(task) if len(task.words) <= _AT_ONCE else task

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, Counted)
        total = max(len(task.words) - WINDOW + 1, 0)
        repeated = 1 - len(set(windows(task.words, WINDOW))) / total if total else 0.0
        score = pattern_score(len(task.cues), repeated, task.forged)
        evidence: dict[str, JsonValue] = {
            "cues": list(task.cues),
            "repeated": repeated,
            "forged_turns": task.forged,
        }
        reason = f"{len(task.cues)} cues, {repeated:.3g} repeated, {task.forged} forged turns"
        return Verdict.scored(score, "pattern", reason, evidence=evidence)
