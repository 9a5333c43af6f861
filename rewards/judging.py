"""Which verifiers a sample needs now, given what has been said so far: a pure step function.

The path asks :func:`due`, has those judged, adds their verdicts under their keys, and asks again until nothing is due.
A gated term is not judged while its gate is shut, a fallback only for what it is asked about, an appeal only for the
share of rejections that was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.controls import Flip, draw_verdict, flip_verdict
from rewards.course import Course, Judgement
from rewards.recipe import Recipe
from rewards.seed import content_of, draw
from rewards.term import Term
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

Verdicts = Mapping[str, Verdict]
"""What was said of one sample, by the key of its :class:`rewards.course.Judgement`."""


def places(recipe: Recipe) -> Iterator[tuple[str, Judgement]]:
    """Every verifier that some sample may need, with its place as errors name it (``terms.0.fallback.1``)."""
    for place, _, one in iter_judged_terms(recipe):
        yield place, one


def iter_judged_terms(recipe: Recipe) -> Iterator[tuple[str, Term, Judgement]]:
    """The same, with the term that each belongs to."""
    for start, course in _placed(recipe):
        for position, term in enumerate(course.terms):
            place = f"recipe.{start}terms.{position}"
            inside = {f"{term.name}:{number + 1}": f".fallback.{number}" for number in range(len(term.fallback))}
            inside |= {term.name: ".params.inner" if term.control else "", f"{term.name}:appeal": ".noise.appeals"}
            for key, rest in inside.items():
                if key in course.judgements:
                    yield place + rest, term, course.judgements[key]


def _placed(recipe: Recipe) -> list[tuple[str, Course]]:
    """The courses of a recipe, each with the prefix of the places of its terms."""
    named = [(f"routes.{position}.", course) for position, course in enumerate(recipe.courses)]
    return named if recipe.default is None else [*named, ("", recipe.default)]


def iter_audited_terms(recipe: Recipe) -> Iterator[tuple[str, Term, str]]:
    """Every term that is corrected with an audit's rates: its place, the term, the audit."""
    for start, course in _placed(recipe):
        for position, term in enumerate(course.terms):
            if term.noise is not None and term.noise.audit is not None:
                yield f"recipe.{start}terms.{position}", term, term.noise.audit


def due(course: Course, sample: Sample, verdicts: Verdicts, conditions: Conditions = NOTHING_KNOWN) -> list[Judgement]:
    """What has to be judged next; empty when the sample can be priced. Never asks for a key that is there.

    ``conditions`` are those that the sample will be priced with: a control that gates another term is drawn by them.
    """
    if course.plain:
        return [one for key, one in course.judgements.items() if key not in verdicts]
    wanted = [
        key for term in course.terms if (key := _next_key(course, term, sample, verdicts, conditions)) is not None
    ]
    return [course.judgements[key] for key in wanted]


def _next_key(course: Course, term: Term, sample: Sample, verdicts: Verdicts, conditions: Conditions) -> str | None:
    if term.shadow and draw(f"shadow:{term.name}", content_of(sample)) >= term.shadow:
        return None
    if term.gate and not _may_judge(course, term, sample, verdicts, conditions):
        return None
    if not term.chained:
        return None if term.name in verdicts else term.name
    if term.control is None or isinstance(term.control, Flip):
        if term.name not in verdicts:
            return term.name
        said = verdicts[term.name]
        for position, fallback in enumerate(term.fallback, start=1):
            if not fallback.doubts(said):
                break
            key = f"{term.name}:{position}"
            if key not in verdicts:
                return key
            said = verdicts[key]
        if is_appealed(term, sample, said) and (key := f"{term.name}:appeal") not in verdicts:
            return key
    return None


def _may_judge(course: Course, term: Term, sample: Sample, verdicts: Verdicts, conditions: Conditions) -> bool:
    """Whether all gates of the term are open. False while one is shut or not decided yet."""
    for gate in term.gate:
        keeper = course.named[gate.term]
        if _next_key(course, keeper, sample, verdicts, conditions) is not None:
            return False
        said = final(keeper, sample, verdicts, conditions)
        if said is None or not gate.open_for(said):
            return False
    return True


def is_appealed(term: Term, sample: Sample, verdict: Verdict) -> bool:
    """Whether a rejection was drawn for an appeal."""
    if term.noise is None or term.noise.appeals is None or verdict.outcome is not Outcome.INCORRECT:
        return False
    return draw(f"appeal:{term.name}", content_of(sample)) < term.noise.appeals.share


def final(term: Term, sample: Sample, verdicts: Verdicts, conditions: Conditions = NOTHING_KNOWN) -> Verdict | None:
    """The verdict that stands for the term: the last of its chain, flipped or overturned. None: not judged."""
    if term.control is not None and not isinstance(term.control, Flip):
        return draw_verdict(term.control, sample)
    said = verdicts.get(term.name)
    if said is None:
        return None
    if term.control is not None:
        return flip_verdict(term.control, sample, said, conditions)
    if term.fallback:
        said = _after_fallbacks(term, said, verdicts)
    if term.noise is not None and term.noise.appeals is not None and term.noise.appeals.overturn:
        return _after_appeal(f"{term.name}:appeal", said, verdicts)
    return said


def _after_fallbacks(term: Term, said: Verdict, verdicts: Verdicts) -> Verdict:
    for position, fallback in enumerate(term.fallback, start=1):
        if not fallback.doubts(said):
            break
        asked = verdicts.get(f"{term.name}:{position}")
        if asked is None:
            break
        # a judge that the response itself put out of action takes nothing back
        said = said if asked.outcome is Outcome.INVALID and not said.outcome.missing else asked
    return said


def _after_appeal(key: str, said: Verdict, verdicts: Verdicts) -> Verdict:
    appeal = verdicts.get(key)
    overturned = appeal is not None and appeal.outcome is Outcome.CORRECT and said.outcome is Outcome.INCORRECT
    return appeal if appeal is not None and overturned else said
