"""The reward of one sample from its verdicts.

A missing score never becomes a number by accident: it is None until the recipe's ``missing`` says otherwise in
:mod:`rewards.settle`. What a recipe does with a whole group is left out here: a sample alone is its ungrouped form.
"""

from __future__ import annotations

from dataclasses import dataclass

from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.course import Course
from rewards.evaluation import Case, Evaluation, Recorder
from rewards.judging import Verdicts
from rewards.noise.correction import UNTOUCHED, Correction
from rewards.recipe import Recipe
from rewards.route import value_of
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

_DEFAULTS: dict[str, object] = {name: field.default for name, field in Reward.model_fields.items()}
"""For rewards that are made without validation: see :func:`make_reward`."""


GROUP_INCOMPLETE = "group_incomplete"
WHEN_APART = {"when_apart": 2}
"""The version of what becomes of a sample whose group did not come; by the first it was always priced alone."""


@dataclass(frozen=True, slots=True)
class Member:
    """One sample of a group with its verdicts and the reward that it has by itself."""

    sample: Sample
    verdicts: Verdicts
    reward: Reward

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        course: Course | None,
        sample: Sample,
        verdicts: Verdicts,
        conditions: Conditions,
        record: str | None = None,
    ) -> Member:
        """Priced by itself, on its course; where its group decides, it has no reward yet:
        ``abstained: group_incomplete``.

        It stays so where its group did not come, unless the recipe prices such a sample alone.
        """
        if course is None:
            reward = report_unrouted(recipe, sample)
        elif course.needs_group and (conditions.grouped or _is_missing_apart(recipe, conditions)):
            reward = make_reward(
                id=sample.id,
                outcome=Outcome.ABSTAINED,
                components=dict.fromkeys(recipe.components),
                reason_code=GROUP_INCOMPLETE,
                reason="its reward depends on the whole group"
                if conditions.grouped
                else "its group did not come: alone it would be paid on another scale (group.when_apart)",
                producers=[],
            )
        else:
            reward = _price_alone(recipe, course, sample, verdicts, conditions)
        reward.record = record
        return cls(sample, verdicts, reward)


def _is_missing_apart(recipe: Recipe, conditions: Conditions) -> bool:
    return recipe.group.when_apart == "missing" and conditions.version("when_apart", 2) > 1


def price(
    recipe: Recipe,
    sample: Sample,
    verdicts: Verdicts,
    conditions: Conditions = NOTHING_KNOWN,
    recorder: Recorder | None = None,
) -> Reward:
    """The reward of one sample, from its verdicts by key (:func:`rewards.judging.due`)."""
    course = recipe.course_of(sample)
    if course is None:
        return report_unrouted(recipe, sample)
    return _price_alone(recipe, course, sample, verdicts, conditions, recorder)


def _price_alone(
    recipe: Recipe,
    course: Course,
    sample: Sample,
    verdicts: Verdicts,
    conditions: Conditions,
    recorder: Recorder | None = None,
) -> Reward:
    case = Case(sample, verdicts)
    Evaluation(recipe, course, (case,), conditions, recorder=recorder).run()
    return price_case(recipe, course, case)


def report_unrouted(recipe: Recipe, sample: Sample) -> Reward:
    """The reward of a sample that no route takes: missing, with the value that no route knows."""
    fields = dict.fromkeys(field for route in recipe.routes for field in route.when.fields)
    shown = ", ".join(f"{field} {str(value_of(sample, field))[:100]!r}" for field in fields)
    return Reward(
        id=sample.id,
        outcome=Outcome.ABSTAINED,
        components=dict.fromkeys(recipe.components),
        reason_code="no_route",
        reason=f"no route of the recipe takes {shown}, and it has no default terms",
    )


def price_case(recipe: Recipe, course: Course, case: Case, record: str | None = None) -> Reward:
    """The reward of a case that was evaluated, as the trainer gets it."""
    answer = case.missing or _answer(course, case)
    code, reason, outcome = answer.reason_code, answer.reason, answer.outcome
    if case.missing is None and case.refused is not None:
        outcome, (code, reason) = Outcome.ABSTAINED, case.refused
    elif case.truncated:
        code, reason = "truncated", f"cut at the length limit; the recipe's on_truncated is {case.truncated}"
    elif case.total is not None and case.invalid is not None:
        code, reason = case.invalid.reason_code, case.invalid.reason
    components: dict[str, float | None] = dict.fromkeys(recipe.components)
    for name, verdict in case.said.items():
        components[name] = verdict.score
    done = _correction(course, case) if case.corrections else UNTOUCHED
    paid = case.total is not None
    return make_reward(
        id=case.sample.id,
        record=record,
        reward=case.total,
        outcome=outcome,
        components=components,
        corrected=done.value,
        weight=done.weight,
        estimate=done.estimate,
        uncertainty=done.uncertainty,
        step_rewards=case.steps if paid else None,
        step_spans=case.step_spans if paid else None,
        token_rewards=case.tokens if paid else None,
        token_spans=case.token_spans if paid else None,
        reason_code=code,
        reason=reason,
        producers=[verdict.producer for verdict in case.verdicts.values() if verdict.producer is not None],
    )


def _answer(course: Course, case: Case) -> Verdict:
    """The verdict whose outcome is the reward's; an answer behind a shut gate is not accepted."""
    said = case.said.get(course.answer.name)
    if said is not None:
        return said
    gate = next((case.said[one.term] for one in course.answer.gate if one.term in case.said), None)
    if gate is not None and gate.outcome is Outcome.INVALID:
        return gate
    return Verdict.incorrect(
        "gate_shut", f"the term {course.answer.name!r} does not count: {gate.reason if gate else ''}"
    )


def _correction(course: Course, case: Case) -> Correction:
    """The correction of the answer's term, else of the first corrected one; ``estimate`` names those of all."""
    done = {name: one for name, one in case.corrections.items() if one.estimate is not None}
    if not done or case.total is None:
        return UNTOUCHED
    first = done.get(course.answer.name) or next(iter(done.values()))
    estimates = [f"{name}: {one.estimate}" for name, one in done.items()]
    return first._replace(estimate="; ".join(estimates)) if len(done) > 1 else first


def make_reward(**fields: object) -> Reward:
    """A reward of these fields, without validation; ``outcome``, ``components`` and ``producers`` must be among them.

    The values were checked when they came in, and checking them again is most of what a reward costs; pydantic's own
    ``model_construct`` and ``model_copy`` take longer still. What is made here has the types that
    :class:`trueward.Reward` declares: ``tests/rewards/test_built_in.py`` holds every built-in recipe to it.
    """
    return _of({**_DEFAULTS, **fields}, set(fields))


def copy_reward(reward: Reward) -> Reward:
    """A shallow copy, without validation."""
    return _of(dict(reward.__dict__), reward.model_fields_set.copy())


def _of(values: dict[str, object], given: set[str]) -> Reward:
    reward = Reward.__new__(Reward)
    # past the model's own __setattr__, as pydantic does it itself
    object.__setattr__(reward, "__dict__", values)
    object.__setattr__(reward, "__pydantic_fields_set__", given)
    object.__setattr__(reward, "__pydantic_extra__", None)
    object.__setattr__(reward, "__pydantic_private__", None)
    return reward
