"""A reward's arithmetic, line by line: what :mod:`rewards.evaluation` did, told while it is done again."""

from __future__ import annotations

from collections.abc import Sequence

from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.judging import Verdicts, final
from rewards.price import Member, price
from rewards.recipe import Recipe
from rewards.settle import settle
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict


class ExplanationLines:
    """A recorder that writes one line a step, for one member of a group."""

    def __init__(self, member: int = 0) -> None:
        self._member = member
        self.lines: list[str] = []

    def note(self, case: int, subject: str, step: str, before: float | None, after: float | None) -> None:
        if case != self._member:
            return
        change = " -> ".join(_number(value) for value in (before, after) if value is not None)
        self.lines.append(f"{subject}: {step}{': ' + change if change else ''}")


def explain_member(
    recipe: Recipe, name: str, members: Sequence[Member], position: int, conditions: Conditions = NOTHING_KNOWN
) -> list[str]:
    """The lines of one member of a group."""
    lines = ExplanationLines(position)
    settled = settle(recipe, name, members, conditions, lines)
    member = members[position]
    course = recipe.course_of(member.sample)
    if course is None or not course.needs_group or not conditions.grouped:
        alone = ExplanationLines()
        price(recipe, member.sample, member.verdicts, conditions, alone)
        lines.lines = alone.lines
    kept = f"group {name}: not kept, {settled.group.reason}" if settled.group.kept is False else ""
    known = _describe_verdicts(recipe, member.sample, member.verdicts, conditions)
    return [line for line in (*known, *lines.lines, _last(settled.rewards[position]), kept) if line]


def _describe_verdicts(recipe: Recipe, sample: Sample, verdicts: Verdicts, conditions: Conditions) -> list[str]:
    course = recipe.course_of(sample)
    if course is None:
        return []
    lines = [f"route: {_route(recipe, sample)}"] if recipe.routes else []
    for term in course.terms:
        standing = final(term, sample, verdicts, conditions)
        steps = {term.name: term.name} | {
            f"{term.name}:{position}": f"{term.name}, by its fallback {fallback.verifier}"
            for position, fallback in enumerate(term.fallback, start=1)
        }
        asked = {key: label for key, label in steps.items() if key in verdicts}
        lines += [f"{asked[key]}: {_verdict(verdicts[key])}" for key in asked if verdicts[key] is not standing]
        if standing is None:
            lines.append(f"{term.name}: not judged")
        else:
            whose = next((label for key, label in asked.items() if verdicts[key] is standing), term.name)
            lines.append(f"{whose}: {_verdict(standing)}{' (a shadow, not paid)' if term.shadow else ''}")
    return lines


def _route(recipe: Recipe, sample: Sample) -> str:
    for position, route in enumerate(recipe.routes, start=1):
        if route.when.matches(sample):
            return f"number {position}, by {', '.join(route.when.fields) or 'nothing: it takes all'}"
    return "the default"


def _verdict(verdict: Verdict) -> str:
    score = "no score" if verdict.score is None else f"score {_number(verdict.score)}"
    return f"{verdict.outcome}, {score} ({verdict.reason_code})"


def _last(reward: Reward) -> str:
    if reward.reward is None:
        why = " ".join(reward.reason.split())
        return f"reward: none ({reward.outcome}, {reward.reason_code}){f': {why}' if why else ''}"
    return f"reward: {_number(reward.reward)}"


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}"  # no -0
