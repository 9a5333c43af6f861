"""What a recipe reads of a sample, and what it gives beside the reward: what a trainer sends, and may learn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rewards.course import Course
from rewards.facts import CONTROLS, Facts, facts_of
from rewards.recipe import Recipe
from rewards.rules.policy_filtration import PolicyFiltration
from rewards.shaping.steps import StepShaping, TokensShaping


class Exchange(NamedTuple):
    """``reads``: fields of the sample without which there is no reward; where there are routes, of samples on some.

    ``gives``: ``step_rewards``, ``token_rewards``, ``weight`` (of a forward correction) and ``draw`` (of a group).
    Verifiers may need more than they declare, by their parameters or their models; those verdicts are ``abstained``.
    """

    reads: tuple[str, ...]
    gives: tuple[str, ...]


def exchange(recipe: Recipe, facts: Mapping[str, Facts] = CONTROLS) -> Exchange:
    reads = {field for course in recipe.all_courses for field in _read(course, facts)}
    return Exchange(tuple(sorted(reads)), tuple(sorted(set(_list_given(recipe)))))


def _read(course: Course, facts: Mapping[str, Facts]) -> Iterator[str]:
    for shaping in course.shaping:
        yield from shaping.reads
    for term in course.paid:
        asked = course.judgements.get(term.name)
        if term.required and not term.gate and not term.fallback and asked is not None:
            yield from facts_of(asked.verifier, facts).reads


def _list_given(recipe: Recipe) -> Iterator[str]:
    for course in recipe.all_courses:
        for shaping in course.shaping:
            if isinstance(shaping, StepShaping):
                yield "step_rewards"
            elif isinstance(shaping, TokensShaping):
                yield "token_rewards"
        if any(term.noise is not None and term.noise.method == "forward" for term in course.paid):
            yield "weight"
    if any(isinstance(rule, PolicyFiltration) for rule in recipe.group.rules):
        yield "draw"
