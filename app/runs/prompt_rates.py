"""How a run does on each of its prompts: the hardest, the easiest, and those whose rewards never vary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.runs.points import RecordRow
from trueward.wire.verdict import Outcome

SHOWN = 8
"""Prompts at either end."""
LEAST = 2
"""Scores below which nothing is said of a prompt."""
_PASS_OR_FAIL = {Outcome.CORRECT.value, Outcome.INCORRECT.value}


@dataclass(frozen=True, slots=True)
class PromptRate:
    """``rates`` has one number a point of the run, None where the prompt was not asked. ``record`` is its latest."""

    prompt: str
    sample: str
    record: str
    records: int
    rate: float
    rates: list[float | None]
    varies: bool


class Latest(NamedTuple):
    """The latest sample of a prompt, and its rate over the whole run."""

    sample: str
    record: str
    rate: float


@dataclass(frozen=True, slots=True)
class PromptRates:
    """``passed``: rates are shares of correct responses, else mean scores. ``prompts`` were asked often enough;
    ``flat`` are those whose scores never vary, at the ends and in between, by their number of records. ``every`` has
    all of them by the hash of the prompt."""

    passed: bool
    prompts: int
    never_right: int
    always_right: int
    worst: list[PromptRate]
    best: list[PromptRate]
    flat: list[PromptRate]
    every: dict[str, Latest]


def prompt_rates(rows: Sequence[RecordRow], places: Sequence[int]) -> PromptRates:
    """Of records that have a score; of those without a prompt nothing is known."""
    passed = any(row.outcome in _PASS_OR_FAIL for row in rows)
    asked: defaultdict[str, list[RecordRow]] = defaultdict(list)
    for row in rows:
        if row.prompt is not None and row.score is not None:
            asked[row.prompt].append(row)
    every = [_rate(prompt, said, places, passed) for prompt, said in asked.items() if len(said) >= LEAST]
    ordered = sorted(every, key=lambda one: (one.rate, -one.records, one.prompt))
    worst = ordered[:SHOWN]
    best = ordered[len(worst) :][::-1][:SHOWN]
    flat = sorted((one for one in ordered if not one.varies), key=lambda one: (-one.records, one.prompt))
    right = max((one.rate for one in every), default=0.0) if not passed else 1.0
    return PromptRates(
        passed=passed,
        prompts=len(every),
        never_right=sum(not one.varies and one.rate <= 0 for one in every),
        always_right=sum(not one.varies and one.rate >= right > 0 for one in every),
        worst=worst,
        best=best,
        flat=flat[:SHOWN],
        every={one.prompt: Latest(one.sample, one.record, one.rate) for one in every},
    )


def _rate(prompt: str, rows: Sequence[RecordRow], places: Sequence[int], passed: bool) -> PromptRate:
    values = [(row.place, _value(row, passed)) for row in rows]
    by_place: defaultdict[int, list[float]] = defaultdict(list)
    for place, value in values:
        by_place[place].append(value)
    scores = [row.score for row in rows if row.score is not None]
    latest = max(rows, key=lambda row: row.record)
    return PromptRate(
        prompt=prompt,
        sample=latest.sample,
        record=latest.record,
        records=len(rows),
        rate=sum(value for _, value in values) / len(values),
        rates=[sum(said) / len(said) if (said := by_place.get(place)) else None for place in places],
        varies=min(scores) != max(scores),
    )


def _value(row: RecordRow, passed: bool) -> float:
    return float(row.outcome == Outcome.CORRECT) if passed else row.score or 0.0
