"""The rules of a recipe that span several of its parts; each finding names its field and how to mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rewards.combine.arithmetic import SoftAnd
from rewards.controls import Flip
from rewards.course import Course
from rewards.facts import Facts, facts_of
from rewards.term import Schedule, Term
from trueward.errors import FieldProblem
from trueward.wire.verifier import VOTING_VERIFIERS

if TYPE_CHECKING:
    from rewards.recipe import Recipe


def check(recipe: Recipe, facts: Mapping[str, Facts]) -> list[FieldProblem]:
    """What is wrong with a recipe whose parts are right each for itself; empty where nothing is."""
    if not recipe.all_courses:
        return [_problem("terms", "missing", "a recipe needs terms, or routes that have some")]
    found: list[FieldProblem] = []
    for place, course in _places(recipe):
        # what follows relies on names that are unique and on a paid term
        found += list(_names(place, course)) or [
            *_gates(place, course),
            *_combination(place, course),
            *_forward(place, course),
            *_shapings(place, course),
            *_bounds(place, course, recipe, facts),
            *_controls(place, course, recipe),
            *_votes(place, course, recipe),
        ]
    return [*found, *_shaped_terms(recipe)]


def _problem(field: str, code: str, detail: str) -> FieldProblem:
    return FieldProblem(field=f"recipe.{field}", code=code, detail=detail)


def _places(recipe: Recipe) -> Iterator[tuple[str, Course]]:
    for position, course in enumerate(recipe.courses):
        yield f"routes.{position}.", course
    if recipe.default is not None:
        yield "", recipe.default


def _names(place: str, course: Course) -> Iterator[FieldProblem]:
    for name, count in Counter(term.name for term in course.terms).items():
        if count > 1:
            yield _problem(f"{place}terms", "duplicate_term", f"{count} terms are named {name!r}: give each a name")
    if not course.paid:
        yield _problem(f"{place}terms", "no_paid_term", "every term is a shadow: at least one must be paid")
    if sum(term.answer for term in course.terms) > 1:
        yield _problem(f"{place}terms", "several_answers", "only one term can be the answer")


def _gates(place: str, course: Course) -> Iterator[FieldProblem]:
    gates = {term.name: [gate.term for gate in term.gate] for term in course.terms}
    shadows = {term.name for term in course.terms if term.shadow}
    for position, term in enumerate(course.terms):
        for gate in term.gate:
            field = f"{place}terms.{position}.gate"
            if gate.term not in gates:
                yield _problem(field, "unknown_term", f"there is no term {gate.term!r}; known: {_listed(gates)}")
            elif gate.term in shadows:
                yield _problem(field, "shadow_gate", f"{gate.term!r} is a shadow, judged for some samples only")
        circle = _circle(term.name, gates)
        if circle:
            yield _problem(
                f"{place}terms.{position}.gate", "cyclic_gate", f"gates go in a circle: {' -> '.join(circle)}"
            )


def _circle(start: str, gates: Mapping[str, Sequence[str]]) -> list[str]:
    """A way along the gates from a term back to it, or nothing."""
    ways = [[start]]
    seen = set()
    while ways:
        way = ways.pop()
        for following in gates.get(way[-1], ()):
            if following == start:
                return [*way, start]
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    return []


def _combination(place: str, course: Course) -> Iterator[FieldProblem]:
    usable = {term.name for term in course.paid if term.required}
    for name in course.combine.term_names():
        if name not in usable:
            yield _problem(
                f"{place}combine", "unknown_term", f"{name!r} is no paid and required term; known: {_listed(usable)}"
            )
    if isinstance(course.combine, SoftAnd) and any(_lowest_weight(term) < 0 for term in course.paid):
        yield _problem(
            f"{place}combine", "negative_weight", "soft_and is an AND of good properties: weights must not be negative"
        )


def _lowest_weight(term: Term) -> float:
    return min(weight for _, weight in term.weight.points) if isinstance(term.weight, Schedule) else term.weight


def _forward(place: str, course: Course) -> Iterator[FieldProblem]:
    for position, term in enumerate(course.terms):
        if term.noise is None or term.noise.method != "forward":
            continue
        if len(course.paid) > 1 or course.shaping:
            yield _problem(
                f"{place}terms.{position}.noise",
                "forward_not_alone",
                "forward correction gives a policy-gradient weight in place of the reward, to which no other term and "
                "no shaping can be added: use method backward, or leave the term alone",
            )


def _shapings(place: str, course: Course) -> Iterator[FieldProblem]:
    names = {term.name for term in course.terms}
    for shaping in course.shaping:
        for field in ("by", "confidence"):
            named = getattr(shaping, field, None)
            if named is not None and named not in names:
                yield _problem(
                    f"{place}shaping",
                    "unknown_term",
                    f"{field} names {named!r}, which is no term; known: {_listed(names)}",
                )


def _shaped_terms(recipe: Recipe) -> Iterator[FieldProblem]:
    paid = {term.name for course in recipe.all_courses for term in course.paid}
    for position, shaping in enumerate(recipe.shaping):
        if shaping.term is not None and shaping.term not in paid:
            detail = f"there is no paid term {shaping.term!r}; known: {_listed(paid)}"
            yield _problem(f"shaping.{position}.term", "unknown_term", detail)


def _bounds(place: str, course: Course, recipe: Recipe, facts: Mapping[str, Facts]) -> Iterator[FieldProblem]:
    if recipe.invalid is not None:
        return
    for position, term in enumerate(course.terms):
        verifiers = [term.verifier, *(fallback.verifier for fallback in term.fallback)]
        shaped = course.shaped.get(term.name, ())
        if (
            all(facts_of(name, facts).bounded for name in verifiers)
            or any(one.bounded for one in shaped)
            or term.shadow
        ):
            continue
        yield _problem(
            f"{place}terms.{position}",
            "unbounded_term",
            f"the scores of {term.verifier!r} have no bounds, so the lower end of range may be better than they are: "
            "state `invalid`, the reward of a response that cannot be judged, or clip the term",
        )


def _controls(place: str, course: Course, recipe: Recipe) -> Iterator[FieldProblem]:
    if recipe.control:
        return
    for position, term in enumerate(course.terms):
        if term.control is not None:
            yield _problem(
                f"{place}terms.{position}.verifier",
                "unlabelled_control",
                f"{term.verifier!r} is a control, whose reward knows nothing: label the recipe `control: true`",
            )


def _votes(place: str, course: Course, recipe: Recipe) -> Iterator[FieldProblem]:
    if recipe.unsupervised:
        return
    for position, term in enumerate(course.terms):
        judges = [term.verifier, *(fallback.verifier for fallback in term.fallback)]
        judges += [term.noise.appeals.verifier] if term.noise is not None and term.noise.appeals is not None else []
        judges += [term.control.inner.verifier] if isinstance(term.control, Flip) else []
        for verifier in judges:
            if verifier in VOTING_VERIFIERS and not term.shadow:
                yield _problem(
                    f"{place}terms.{position}.verifier",
                    "unlabelled_vote",
                    f"{verifier!r} pays for what responses agree on, right or wrong, and can collapse unnoticed: "
                    "label the recipe `unsupervised: true`",
                )


def _listed(names: Mapping[str, object] | set[str]) -> str:
    return ", ".join(sorted(names))
