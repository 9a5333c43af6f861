"""``repetition``: how much does the response repeat itself?

Over all windows of ``size`` units (an n-gram): ``ratio`` is the share of windows that occurred before,
``1 - distinct / all`` in [0, 1] (1 - distinct-n; Li et al. 2016); ``count`` is how often the most frequent window
occurs. A number without a pass line: the outcome is ``scored``. A text shorter than one window repeats nothing. Where
a script has no blanks between words (Chinese, Japanese, Thai, ...), and in a stretch without any that is longer than
:data:`LONGEST_WORD`, each character is a word.
Not covered: paraphrase, the length of a loop.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import Field, JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, SampleVerifier, Task, defect
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane, Scale
from verifiers.extract import NoAnswer
from verifiers.legible import shorten
from verifiers.scope import Scope, extract_scope

_AT_ONCE = 10_000
"""Units times window size that are counted in the process itself: a few milliseconds."""

LONGEST_WORD = 50
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana, ideographs."""
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")

Units = str | tuple[str, ...] | tuple[int, ...]


class RepetitionParams(Params):
    size: Annotated[int, Field(ge=1, le=100)] = Field(default=4, description="units in one window (the n of n-gram)")
    unit: Literal["words", "characters", "tokens"] = Field(
        default="words",
        description="what a window is made of: casefolded `words`, `characters`, or the `tokens` in token_ids",
    )
    measure: Literal["ratio", "count"] = Field(
        default="ratio",
        description="the score: the `ratio` of windows that occurred before, or the `count` of the most frequent one",
    )
    scope: Scope = Field(
        default=Scope.RESPONSE,
        description="the text that is looked at: the whole `response`, the `thinking`, the `answer` after it, or the "
        "`final` answer alone; tokens are those of the whole response",
    )


class Windows(NamedTuple):
    """What a worker needs to count."""

    units: Units
    size: int
    measure: str


class RepetitionVerifier(SampleVerifier[RepetitionParams]):
    name: ClassVar[str] = "repetition"
    version: ClassVar[str] = "2"
    summary: ClassVar[str] = "Repeated n-grams: their ratio, or the count of the most frequent one"
    scale: ClassVar[Scale] = "unbounded"
    lane: ClassVar[Lane] = "cpu"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    Reference: ClassVar[Any] = None
    Params: ClassVar[type[Params]] = RepetitionParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="wait wait wait wait wait wait"), params={"size": 2}, outcome="scored"),
        Example(sample=Sample(response="Six times seven is forty-two."), outcome="scored"),
        Example(sample=Sample(response="haha"), params={"unit": "tokens"}, outcome="abstained"),
    )

    def triage(self, sample: Sample) -> Verdict | Task:
        found = defect(sample, self.needs)
        if found is not None:
            return found
        units = self._units(sample)
        if isinstance(units, NoAnswer):
            return Verdict.invalid(units.reason_code, units.reason)
        task = Windows(units, self.params.size, self.params.measure)
        return self.check(task) if len(units) * self.params.size <= _AT_ONCE else task

    def _units(self, sample: Sample) -> Units | NoAnswer:
        if self.params.unit == "tokens":
            if sample.token_ids is None:
                raise Abstain("no_tokens", "the sample has no token_ids")
            return tuple(sample.token_ids)
        part = extract_scope(sample, self.params.scope)
        if isinstance(part, NoAnswer):
            return part
        return part.text if self.params.unit == "characters" else tuple(words(part.text.casefold()))

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, Windows)
        counts = Counter(windows(task.units, task.size))
        total = counts.total()
        most, count = counts.most_common(1)[0] if counts else ("", 0)
        ratio = 1 - len(counts) / total if total else 0.0
        evidence: dict[str, JsonValue] = {
            "windows": total,
            "distinct": len(counts),
            "ratio": ratio,
            "count": count,
            "most_frequent": shorten(_written(most)),
        }
        score = ratio if task.measure == "ratio" else float(count)
        reason = f"{total - len(counts)} of {total} windows repeat an earlier one"
        return Verdict.scored(score, "repetition", reason, evidence=evidence)


def words(text: str) -> list[str]:
    """What white space separates; each character where a script has no blanks."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if len(word) > LONGEST_WORD:
            found.extend(word)
        else:
            found.append(word)
    return found


def windows(units: Units, size: int) -> Iterator[Hashable]:
    """All stretches of ``size`` units."""
    if isinstance(units, str):
        return (units[start : start + size] for start in range(len(units) - size + 1))
    return zip(*(islice(units, start, None) for start in range(size)), strict=False)


def _written(window: Hashable) -> str:
    return window if isinstance(window, str) else " ".join(map(str, window)) if isinstance(window, tuple) else ""
