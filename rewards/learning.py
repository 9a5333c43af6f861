"""What a run's state becomes after a request: a pure function of the state before and of what was priced with it.

Called once a request, after all its groups are settled, in the order of the ledger; never for evaluation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from rewards.conditions import Conditions
from rewards.judging import final, is_appealed
from rewards.noise.appeals import AppealState, AppealTally, count_appeals, update_state
from rewards.noise.noise import Noise
from rewards.price import Member, price
from rewards.recipe import Recipe
from rewards.settle import Settled
from rewards.shaping.base import OneShaping
from rewards.shaping.verpo import Verpo, move_rates, pass_rates
from rewards.state import TESTS_KEPT, State
from rewards.term import Term
from rewards.view import Unshapeable, View
from trueward.wire.verdict import Outcome, Verdict

GroupOf = tuple[str, Sequence[Member], Settled]
"""A group's name, its members, and what became of them."""


def learn(recipe: Recipe, groups: Sequence[GroupOf], conditions: Conditions) -> State:
    """The state after a request; the very same value where the recipe learns nothing, else of the next version."""
    state = conditions.state
    if not recipe.learns or not groups:
        return state
    return State(
        version=state.version + 1,
        averages=_averages(recipe, groups, conditions),
        appeals=_appeals(recipe, groups, conditions),
        tests=_tests(recipe, groups, conditions),
    )


def _averages(recipe: Recipe, groups: Sequence[GroupOf], conditions: Conditions) -> Mapping[str, float]:
    averages = dict(conditions.state.averages)
    for rule in recipe.group.rules:
        if rule.remembers is not None:
            summaries = [settled.group for _, _, settled in groups]
            learned = rule.learn(averages.get(rule.remembers), summaries, conditions.step)
            if learned is not None:
                averages[rule.remembers] = learned
    shapings = {
        (shaping.term or "reward", shaping.method): shaping
        for course in recipe.all_courses
        for shaping in course.shaping
        if isinstance(shaping, OneShaping) and shaping.remembers is not None
    }
    if shapings:
        seen = _Incoming()
        for _, members, _ in groups:
            for member in members:
                price(recipe, member.sample, member.verdicts, conditions, seen)
        for place, shaping in shapings.items():
            if isinstance(shaping, OneShaping) and shaping.remembers is not None and place in seen.values:
                averages[shaping.remembers] = shaping.learn(averages.get(shaping.remembers), seen.values[place])
    return averages


class _Incoming:
    """Gathers the values that came into each shaping."""

    def __init__(self) -> None:
        self.values: defaultdict[tuple[str, str], list[float]] = defaultdict(list)

    def note(self, case: int, subject: str, step: str, before: float | None, after: float | None) -> None:
        if before is not None:
            self.values[(subject, step)].append(before)


def _appeals(recipe: Recipe, groups: Sequence[GroupOf], conditions: Conditions) -> Mapping[str, AppealState]:
    appeals = dict(conditions.state.appeals)
    tallies: defaultdict[str, dict[str, AppealTally]] = defaultdict(dict)
    noises: dict[str, Noise] = {}
    for group, members, _ in groups:
        for member in members:
            course = recipe.course_of(member.sample)
            for term in course.paid if course is not None else ():
                if term.noise is not None and term.noise.appeals is not None:
                    noises[term.name] = term.noise
                    tallies[term.name][group] = _tallied(tallies[term.name].get(group, AppealTally()), term, member)
    for name, noise in noises.items():
        if noise.appeals is None:
            continue
        before = appeals.get(name) or AppealState(false_negative=noise.false_negative or 0.0)
        positive, of_groups = noise.false_positive or 0.0, list(tallies[name].values())
        if noise.version < 3:
            whole = AppealTally(*(sum(column) for column in zip(*of_groups, strict=True)))
            appeals[name] = update_state(before, whole, noise.appeals, positive)
        else:
            appeals[name] = count_appeals(before, of_groups, noise.appeals, positive, conditions.step)
    return appeals


def _tallied(tally: AppealTally, term: Term, member: Member) -> AppealTally:
    said = member.verdicts.get(term.name)
    if said is not None and term.fallback:
        said = final(_without_appeals(term), member.sample, member.verdicts)
    if said is None or said.outcome not in (Outcome.CORRECT, Outcome.INCORRECT):
        return tally
    if said.outcome is Outcome.CORRECT:
        return tally._replace(accepted=tally.accepted + 1)
    tally = tally._replace(rejected=tally.rejected + 1)
    if not is_appealed(term, member.sample, said):
        return tally
    appeal = member.verdicts.get(f"{term.name}:appeal")
    return tally._replace(
        appealed=tally.appealed + 1,
        answered=tally.answered + (_answered(appeal)),
        overturned=tally.overturned + (appeal is not None and appeal.outcome is Outcome.CORRECT),
    )


def _without_appeals(term: Term) -> Term:
    return term.model_copy(update={"noise": None})


def _answered(appeal: Verdict | None) -> bool:
    return appeal is not None and not appeal.outcome.missing


def _tests(recipe: Recipe, groups: Sequence[GroupOf], conditions: Conditions) -> Mapping[str, tuple[float, ...]]:
    tests = dict(conditions.state.tests)
    for name, members, _ in groups:
        for course in dict.fromkeys(recipe.course_of(member.sample) for member in members):
            for shaping in course.shaping if course is not None else ():
                if isinstance(shaping, Verpo) and shaping.statistics == "ema" and course is not None:
                    term = shaping.term or course.answer.name
                    rates = _pass_rates(shaping, term, members, conditions)
                    if rates:
                        tests[name] = move_rates(tests.pop(name, None), rates, shaping.rate)
    return dict(list(tests.items())[-TESTS_KEPT:])


def _pass_rates(shaping: Verpo, term: str, members: Sequence[Member], conditions: Conditions) -> list[float]:
    results: list[list[float]] = []
    failed = 0
    for member in members:
        verdict = member.verdicts.get(term)
        if verdict is None or verdict.score is None:
            continue
        try:
            found = shaping.results(View(member.sample, verdict, correct=False, conditions=conditions))
        except Unshapeable:
            continue
        if found is not None:
            results.append(found)
        else:
            failed += conditions.version(shaping.method, shaping.version) >= 2
    lengths = {len(found) for found in results}
    if len(lengths) != 1:
        return []
    return pass_rates([*results, *[[0.0] * len(results[0])] * failed])
