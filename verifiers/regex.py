"""``regex``: does the final answer, or the whole response, match a regular expression?

The pattern is the caller's (``pattern``, else the reference), in the syntax of Python's ``re``; the text is the
policy's. A backtracking engine can be made to hang by either, so both compiling and matching happen in a
killable worker: a pattern that exhausts its limits is ``abstained``, a text that does is ``invalid``. Not covered:
patterns that hang on every text are charged to the text, because an engine cannot tell.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, JsonValue, StringConstraints

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, Text, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane
from verifiers.extract import NoAnswer
from verifiers.extract.dress import unwrap_latex, unwrap_markdown
from verifiers.legible import shorten
from verifiers.scope import Scope, extract_scope

LONGEST = 10_000
"""Characters that a pattern may have."""

Mode = Literal["fullmatch", "search"]


class RegexParams(Params):
    pattern: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)] | None = Field(
        default=None, description="the regular expression, in the syntax of Python's re; default: the reference"
    )
    mode: Mode = Field(
        default="fullmatch",
        description="`fullmatch`: the whole text has to match; `search`: a match anywhere in it suffices",
    )
    scope: Scope = Field(
        default=Scope.FINAL,
        description="the text that has to match: the `final` answer (box, answer tag or marker, else all of the "
        "answer), the `answer` after the thinking, the `thinking`, or the whole `response`",
    )


class Match(NamedTuple):
    """What a worker needs to judge: equal ones are judged once."""

    text: str
    rule: str
    patterns: tuple[str, ...]
    mode: Mode


class RegexVerifier(SampleVerifier[RegexParams]):
    name: ClassVar[str] = "regex"
    version: ClassVar[str] = "3"
    summary: ClassVar[str] = "A match of the answer, or the whole response, with a regular expression"
    lane: ClassVar[Lane] = "cpu"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    Reference: ClassVar[Any] = Text
    Params: ClassVar[type[Params]] = RegexParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="The answer is 2024-02-29.", reference=r"\d{4}-\d{2}-\d{2}"), outcome="correct"),
        Example(sample=Sample(response="29 February", reference=r"\d{4}-\d{2}-\d{2}"), outcome="incorrect"),
        Example(
            sample=Sample(response="I cannot help with that."),
            params={"pattern": r"(?i)\bi (?:cannot|can't)\b", "mode": "search"},
            outcome="correct",
        ),
        Example(sample=Sample(response="42", reference="(42"), outcome="abstained"),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        patterns = self._patterns(sample)
        part = extract_scope(sample, self.params.scope)
        if isinstance(part, NoAnswer):
            return Verdict.invalid(part.reason_code, part.reason)
        return Match(part.text, part.rule, patterns, self.params.mode)

    def _patterns(self, sample: Sample) -> tuple[str, ...]:
        if self.params.pattern is not None:
            return (self.params.pattern,)
        patterns = tuple(_pattern(value) for value in sample.references)
        if not patterns:
            raise Abstain("no_reference", "the sample has no reference, and no parameter gives a pattern")
        return patterns

    def prepare(self, task: Task) -> None:
        assert isinstance(task, Match)
        for pattern in task.patterns:
            _compiled(pattern)

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, Match)
        evidence: dict[str, JsonValue] = {"extracted": shorten(task.text), "rule": task.rule}
        for pattern, text in product(task.patterns, _readings(task)):
            found = getattr(_compiled(pattern), task.mode)(text)
            if found is not None:
                evidence |= {"pattern": shorten(pattern), "match": shorten(found[0]), "span": list(found.span())}
                return Verdict.correct("match", "the text matches", evidence=evidence)
        evidence["pattern"] = shorten(task.patterns[0])
        return Verdict.incorrect("no_match", "the text does not match", evidence=evidence)


def _readings(task: Match) -> tuple[str, ...]:
    """The text, and a final answer also without the Markdown or the ``\\text{}`` that it stands in whole."""
    unwrap = {"whole": unwrap_markdown, "boxed": unwrap_latex}.get(task.rule)
    return (task.text,) if unwrap is None else tuple(dict.fromkeys((task.text, unwrap(task.text).strip())))


def _pattern(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise Abstain("reference_type", f"a pattern is a text, not {type(value).__name__}")
    if not value:
        raise Abstain("reference_unparsable", "a pattern is empty")
    if len(value) > LONGEST:
        raise Abstain("reference_too_large", f"a pattern has more than {LONGEST} characters")
    return value


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():
            # a doubtful pattern is the caller's to doubt
            warnings.simplefilter("ignore")
            return re.compile(pattern)
    except (re.error, ValueError, OverflowError, RecursionError) as failure:
        raise Abstain("pattern_invalid", f"the pattern cannot be compiled: {str(failure)[:200]}") from failure
