"""The rewards of a complete group: what depends on the others, and what becomes of missing scores.

State is read here and never changed: all groups of a request are settled with the state before it, and
:func:`rewards.learning.learn` moves it afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.course import Course
from rewards.evaluation import Case, Evaluation, Recorder
from rewards.judging import final
from rewards.noise.correction import decide_accepted
from rewards.price import Member, copy_reward, price, price_case
from rewards.recipe import Recipe
from trueward.estimators.advantage import centre, leave_one_out
from trueward.estimators.noise import true_rate
from trueward.estimators.scores import drop_missing, mean, std, zero_variance
from trueward.wire.reward import Group, Reward
from trueward.wire.verdict import Outcome

_JUDGED = frozenset({Outcome.CORRECT, Outcome.INCORRECT, Outcome.PARTIAL, Outcome.INVALID})


@dataclass(frozen=True, slots=True)
class Settled:
    """The rewards of the members, in their order, and the group's summary."""

    rewards: list[Reward]
    group: Group


def settle(
    recipe: Recipe,
    name: str,
    members: Sequence[Member],
    conditions: Conditions = NOTHING_KNOWN,
    recorder: Recorder | None = None,
) -> Settled:
    """Settles one complete group of at least one member; the members' own rewards are not changed."""
    rewards = [member.reward for member in members]
    if not conditions.grouped:
        return Settled(rewards, summarise(name, rewards))
    if recipe.needs_group:
        rewards = _together(recipe, name, members, conditions, recorder)
    if recipe.missing != "null" or recipe.group.rules:
        own = zip(rewards, members, strict=True)
        rewards = [copy_reward(reward) if reward is member.reward else reward for reward, member in own]
    settle_missing(recipe, rewards)
    group = summarise(name, rewards)
    if recipe.corrects:
        _estimate_truth(recipe, members, conditions, group)
    labelled = any(member.sample.reference is not None for member in members)
    return Settled(*_ruled(recipe, rewards, group, conditions, labelled=labelled))


def success_rate(rewards: Sequence[Reward]) -> float | None:
    """The share of right answers among those with a pass line; None where a group has none of them."""
    judged = [reward.outcome is Outcome.CORRECT for reward in rewards if reward.outcome in _JUDGED]
    return sum(judged) / len(judged) if judged else None


def summarise(name: str, rewards: Sequence[Reward]) -> Group:
    """A group's statistics; rewards that are missing are left out, and their advantage is 0."""
    values = [reward.reward for reward in rewards]
    rate, ids = success_rate(rewards), [reward.id for reward in rewards]
    return Group(
        group=name,
        size=len(rewards),
        scored=len(drop_missing(values)),
        mean=mean(values),
        std=std(values),
        zero_variance=zero_variance(values),
        success_rate=rate,
        all_fail=rate == 0,
        ids=ids,
        centred=centre(values),
        leave_one_out=leave_one_out(values),
    )


def settle_missing(recipe: Recipe, group: Sequence[Reward]) -> None:
    """Gives the missing rewards of a complete group what the recipe says they become, in place."""
    if recipe.missing == "null":
        return
    absent = [reward for reward in group if reward.reward is None and reward.outcome.missing]
    if recipe.missing == "drop":
        for reward in absent:
            reward.kept = False
    scored = [reward.reward for reward in group if reward.reward is not None]
    if recipe.missing == "mean" and scored:
        mean = sum(scored) / len(scored)
        for reward in absent:
            reward.reward = mean


def _together(
    recipe: Recipe, name: str, members: Sequence[Member], conditions: Conditions, recorder: Recorder | None
) -> list[Reward]:
    rewards = [member.reward for member in members]
    courses = [recipe.course_of(member.sample) for member in members]
    for course in dict.fromkeys(courses):
        if course is None or not course.needs_group:
            continue
        places = [position for position, taken in enumerate(courses) if taken is course]
        cases = [Case(members[place].sample, members[place].verdicts, group=name) for place in places]
        told = _Placed(recorder, places) if recorder is not None else None
        Evaluation(recipe, course, cases, conditions, grouped=True, recorder=told).run()
        for place, case in zip(places, cases, strict=True):
            rewards[place] = price_case(recipe, course, case, rewards[place].record)
    return rewards


@dataclass(frozen=True, slots=True)
class _Placed:
    """A recorder that translates positions: a course may have only some of the members of a group."""

    recorder: Recorder
    places: Sequence[int]

    def note(self, case: int, subject: str, step: str, before: float | None, after: float | None) -> None:
        self.recorder.note(self.places[case], subject, step, before, after)


def _estimate_truth(recipe: Recipe, members: Sequence[Member], conditions: Conditions, group: Group) -> None:
    """The group's true success rate, where its answers share one corrected verifier and its rates."""
    courses = {recipe.course_of(member.sample) for member in members}
    course: Course | None = courses.pop() if len(courses) == 1 else None
    noise = course.answer.noise if course is not None else None
    if course is None or noise is None:
        return
    state = conditions.state
    given = conditions.rates.get(noise.audit) if noise.audit is not None else None
    rates = noise.rates(given, state.appeals.get(course.answer.name), state.version)
    if rates is None or rates.slices or noise.refusal(rates.pooled) is not None:
        return
    alone = [member.reward for member in members]
    if course.needs_group:
        alone = [price(recipe, member.sample, member.verdicts, conditions) for member in members]
    said = [_accepted(course, member, noise.threshold, conditions) for member in members]
    said = [None if reward.reward is None else one for one, reward in zip(said, alone, strict=True)]
    truth = true_rate(said, rates.pooled.false_positive, rates.pooled.missed)
    if truth is not None:
        group.true_rate, group.true_std = truth


def _accepted(course: Course, member: Member, threshold: float | None, conditions: Conditions) -> float | None:
    verdict = final(course.answer, member.sample, member.verdicts, conditions)
    return decide_accepted(verdict, threshold) if verdict is not None else None


def _ruled(
    recipe: Recipe, rewards: list[Reward], group: Group, conditions: Conditions, *, labelled: bool
) -> tuple[list[Reward], Group]:
    """Applies the group rules. The first rule that drops the group gives the reason."""
    for rule in recipe.group.rules:
        decision = rule.decide(group, [reward.reward for reward in rewards], conditions, labelled=labelled)
        group.draw = decision.weights or group.draw
        if group.kept is not False:
            group.kept, group.reason = decision.kept, decision.reason
    if group.kept is not None:
        for reward in rewards:
            reward.kept = group.kept and reward.kept is not False
    return rewards, group
