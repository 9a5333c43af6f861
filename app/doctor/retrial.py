"""Recorded samples judged again with another rule of extraction: what a change of the recipe would have paid.

They go through the lanes and the gate of the one path, under a deadline. Nothing is recorded, so no run learns of it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue
from pydantic_core import from_json

from app.doctor.faults.invalid import CAUSES, NO_ANSWER
from app.doctor.reading import DoctorReader, ReadVerdict
from app.doctor.summary import Summary
from app.path.path import Path
from trueward.authoring.verifier import Verifier
from trueward.wire.diagnosis import ExtractionEstimate
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.extract import Policy, extract

MOST = 200
TRIED = 2
"""Rules that are tried by judging: those by which most of the responses have an answer."""
RULES = (Policy.BOXED, Policy.TAG, Policy.MARKER, Policy.MATH)
"""The most particular first. Neither the last expression nor the whole response: whatever is said is found there."""
CLOSE = 0.9
"""A more particular rule is told that pays and finds so much of what the best one does: the laxer a rule is, the more
ways there are to be paid by it."""
LANES = ("inline", "cpu")
JUDGE_S = 20.0


@dataclass(frozen=True, slots=True)
class Retrial:
    """What would be judged again: samples with what was said of them by one verifier with these parameters."""

    verifier: str
    params: Mapping[str, JsonValue]
    samples: Sequence[Sample]
    said: Sequence[ReadVerdict]


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, for the quota."""

    owner: str | None
    project: str | None


async def trial_of(reader: DoctorReader, summary: Summary) -> Retrial | None:
    """Of the verifier that found no answer most often; None where none did, or the samples are gone."""
    step = -(-len(summary.records) // MOST) or 1
    said = await reader.read_verdicts(summary.records[::step])
    lacking = Counter((one.verifier, one.params) for one in said if one.reason_code == NO_ANSWER)
    if not lacking:
        return None
    ((verifier, params), _), *_ = lacking.most_common(1)
    texts = await reader.texts({one.sample for one in said})
    again = [one for one in said if (one.verifier, one.params) == (verifier, params) and one.sample in texts][:MOST]
    samples = await asyncio.to_thread(lambda: [Sample.model_validate(from_json(texts[one.sample])) for one in again])
    return Retrial(verifier, await reader.params(verifier, params), samples, again) if samples else None


def rules_of(path: Path, trial: Retrial) -> list[str]:
    """By what rule the verifier read; nothing where it has none. Raises what a request for it is refused with."""
    read = getattr(path.planner.verifier(trial.verifier, trial.params).params, "extract", None)
    rules = list(read) if isinstance(read, list | tuple) else [read]
    return [str(rule) for rule in rules if isinstance(rule, Policy)]


async def estimate(path: Path, trial: Retrial, asker: Asker) -> ExtractionEstimate | None:
    """The best rule, by how many it pays, or a more particular one that comes close; None where no other finds more and
    pays no less, or the verifier has none.

    Raises :class:`~trueward.errors.Overloaded` where there is no room for it now, or no quota.
    """
    now = rules_of(path, trial)
    if not now or path.planner.verifier(trial.verifier, trial.params).lane not in LANES:
        return None
    answers = await asyncio.to_thread(_answers, trial.samples)
    tried = sorted((rule for rule in RULES if [rule] != now), key=lambda rule: -answers[rule])[:TRIED]
    deadline = asyncio.get_running_loop().time() + JUDGE_S
    found = []
    async with path.gate.enter(asker.owner, asker.project, len(tried) * len(trial.samples)):
        for rule in tried:
            verifier = path.planner.verifier(trial.verifier, {**trial.params, "extract": rule.value})
            found.append(_compared(rule, trial.said, await _judge_all(path, verifier, trial.samples, deadline)))
    return _choose(found)


def _choose(found: Sequence[ExtractionEstimate]) -> ExtractionEstimate | None:
    best = max(found, key=lambda one: (one.paid - one.paid_before, one.answers), default=None)
    if best is None or not _better(best):
        return None
    gain = CLOSE * (best.paid - best.paid_before)
    close = [one for one in found if one.paid - one.paid_before >= gain and one.answers >= CLOSE * best.answers]
    return min(filter(_better, close), key=lambda one: RULES.index(Policy(one.extract)))


def _better(one: ExtractionEstimate) -> bool:
    return one.paid >= one.paid_before and one.answers > one.answers_before


async def _judge_all(path: Path, verifier: Verifier, samples: Sequence[Sample], deadline: float) -> list[Verdict]:
    async with asyncio.TaskGroup() as group:
        tasks = []
        for sample in samples:
            await path.pace.turn()
            tasks.append(group.create_task(path.judge_apart(verifier, sample, deadline)))
    return [task.result() for task in tasks]


def _answers(samples: Sequence[Sample]) -> Counter[Policy]:
    """In how many responses each rule finds an answer."""
    found = Counter[Policy]()
    for sample in samples:
        found.update(rule for rule in RULES if not hasattr(extract(sample, rule), "reason_code"))
    return found


def _compared(rule: Policy, before: Sequence[ReadVerdict], after: Sequence[Verdict]) -> ExtractionEstimate:
    both = [(old, new) for old, new in zip(before, after, strict=True) if new.score is not None]
    return ExtractionEstimate(
        extract=rule.value,
        judged=len(both),
        answers_before=sum(_answered(old.reason_code) for old, _ in both),
        answers=sum(_answered(new.reason_code) for _, new in both),
        paid_before=sum((old.score or 0.0) > 0 for old, _ in both),
        paid=sum((new.score or 0.0) > 0 for _, new in both),
        without_verdict=len(after) - len(both),
    )


def _answered(reason_code: str) -> bool:
    """Not so where the thinking never ends, whatever the rule."""
    return reason_code != NO_ANSWER and reason_code not in CAUSES
