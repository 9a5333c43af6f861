"""The subject's word on a benchmark's cases: scores that can be compared, or that there are none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from audits.bench.case import BenchCase, Scores
from audits.ports import Work
from audits.subject_verdict import Judged, blocks
from trueward.wire.audit import Subject
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome


class SubjectScores(NamedTuple):
    """``scores`` has one entry a case, None where the subject could not score one of its responses; ``missing`` counts
    these by the reason. ``invalid`` responses were scored as low as the lowest."""

    scores: list[Scores | None]
    missing: Counter[str]
    invalid: int
    constant: bool


async def score_cases(work: Work, subject: Subject, cases: Sequence[BenchCase]) -> SubjectScores:
    """Judges all responses, those of a case and prompt as one group."""
    judged = await judge_groups(work, subject, [_samples(case) for case in cases])
    everything = [one for group in judged for one in group]
    floor = _floor(everything) if subject.verifier is not None else None
    scores: list[Scores | None] = []
    missing: Counter[str] = Counter()
    for case, said in zip(cases, judged, strict=True):
        lost = next((one for one in said if one.score is None), None)
        if lost is not None:
            missing[lost.reason_code] += 1
        scores.append(_by_part(case, said, floor) if lost is None else None)
    known = {value for case_scores in scores if case_scores for part in case_scores for value in part}
    invalid = sum(one.outcome is Outcome.INVALID for one in everything)
    return SubjectScores(scores, missing, invalid, len(known) == 1)


async def judge_groups(work: Work, subject: Subject, groups: Sequence[Sequence[Sample]]) -> list[list[Judged]]:
    """Answers by group, each group judged within one request, with progress."""
    total, answers = sum(map(len, groups)), list[Judged]()
    await work.progress(0, total)
    for block in blocks([len(group) for group in groups]):
        together = [sample for group in groups[block] for sample in group]
        async for part in work.judging.judge(subject, together):
            answers += part
            await work.progress(len(answers), total)
    ends = iter(answers)
    return [[next(ends) for _ in group] for group in groups]


def _samples(case: BenchCase) -> list[Sample]:
    """The responses of all parts; those to the same prompt are one group."""
    together = [sample for part in case.parts for sample in part]
    prompts = list(dict.fromkeys(sample.prompt_text for sample in together))
    named = [f"row {case.place + 1}, prompt {prompts.index(sample.prompt_text) + 1}" for sample in together]
    return [sample.model_copy(update={"group": name}) for sample, name in zip(together, named, strict=True)]


def _floor(judged: Sequence[Judged]) -> float:
    """What an invalid response counts: no more than the lowest score of any other, which may well be below its own 0.0.

    What is malformed must not beat a response that was judged and found poor.
    """
    return min([one.score for one in judged if one.score is not None], default=0.0)


def _by_part(case: BenchCase, said: Sequence[Judged], floor: float | None) -> Scores:
    values = iter([_value(one, floor) for one in said])
    return [[next(values) for _ in part] for part in case.parts]


def _value(one: Judged, floor: float | None) -> float:
    assert one.score is not None
    return floor if floor is not None and one.outcome is Outcome.INVALID else one.score
