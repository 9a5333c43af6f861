"""What stands in a recipe and changes nothing: most likely not what its author meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rewards.course import Course
from rewards.facts import CONTROLS, Facts, facts_of
from rewards.recipe import Recipe
from rewards.term import Schedule, Term


def without_effect(recipe: Recipe, facts: Mapping[str, Facts] = CONTROLS) -> list[str]:
    """One warning for each part without effect: weightless terms, routes that nothing reaches, a group's size, a budget
    where by ``facts`` nothing asks a model."""
    found = list(_unreached(recipe))
    for course in recipe.all_courses:
        found += list(_weightless(course))
    group = recipe.group
    if group.size is not None and not (recipe.needs_group or group.rules or recipe.missing == "mean"):
        found.append("group.size makes one-sample requests wait for each other, and no reward here needs its group")
    if recipe.budget is not None and not any(_may_ask(course, facts) for course in recipe.all_courses):
        found.append("budget is of what models cost, and no verifier here asks one")
    return list(dict.fromkeys(found))


def _may_ask(course: Course, facts: Mapping[str, Facts]) -> bool:
    return any(facts_of(one.verifier, facts).asks is not False for one in course.judgements.values())


def _unreached(recipe: Recipe) -> Iterator[str]:
    whens = [route.when for route in recipe.routes]
    catcher = next((position for position, when in enumerate(whens) if not when.fields), None)
    for position, when in enumerate(whens):
        earlier = catcher if catcher is not None and catcher < position else whens.index(when)
        if earlier < position:
            yield f"route {position + 1} is never taken: route {earlier + 1} takes all that it would"
    if catcher is not None and recipe.terms:
        yield f"the default terms are never taken: route {catcher + 1} takes every sample"


def _weightless(course: Course) -> Iterator[str]:
    if not course.combine.additive:
        return
    if all(_weighs_nothing(term) for term in course.paid):
        yield "every term weighs 0: all rewards are the same"
        return
    for term in course.paid:
        if _weighs_nothing(term) and not _is_looked_at(term, course):
            yield (
                f"term {term.name!r} weighs 0: it adds nothing, and only where it is missing or invalid does it count; "
                "make it a shadow to have it recorded"
            )


def _weighs_nothing(term: Term) -> bool:
    if isinstance(term.weight, Schedule):
        return all(weight == 0 for _, weight in term.weight.points)
    return term.weight == 0


def _is_looked_at(term: Term, course: Course) -> bool:
    """By a gate, as the answer, by the combination or by a shaping."""
    others = [other for other in course.terms if other is not term]
    named = {gate.term for other in others for gate in other.gate} | set(course.combine.term_names())
    named |= {str(getattr(shaping, field, None)) for shaping in course.shaping for field in ("by", "confidence")}
    return term.name in named or term is course.answer
