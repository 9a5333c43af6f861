"""A recipe: how verdicts become a reward. YAML or JSON, identified by the hash of its content.

Not here: running verifiers, storing recipes, the rules that span several parts (:mod:`rewards.check`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from rewards.budget import Budget
from rewards.check import check
from rewards.combine import Sum
from rewards.controls import Flip
from rewards.course import Course, Judgement
from rewards.facts import CONTROLS, Facts
from rewards.parts import AnyCombination, AnyRule, AnyShaping
from rewards.route import Route, When
from rewards.rules.semi_supervised import SemiSupervised
from rewards.schema import Name, Strict
from rewards.short_form import expand_recipe
from rewards.term import Term
from trueward.errors import FieldProblem, InvalidRecipe
from trueward.wire.sample import Sample
from trueward.wire.verifier import GROUP_VERIFIERS

MOST_PROBLEMS = 20
MOST_VALUES = 5000
"""Keys and values of a recipe; the longest that we know has some hundreds, and each costs some microseconds."""


class Penalty(Strict):
    """``penalty`` from 0 to 1 takes its share of a positive reward; below 0 it is the reward (ProRL, 2505.24864)."""

    penalty: float = Field(0.5, le=1.0)


class GroupRules(Strict):
    """``size`` and ``wait_s`` say how one-sample requests are gathered; without a size they are not.

    ``when_apart``: what becomes of a sample whose group did not come, where the group decides what its reward is. Alone
    it would be paid on another scale than its siblings, so by default its reward is missing.
    """

    size: int | None = Field(None, ge=2, le=4096)
    wait_s: float = Field(60.0, gt=0, le=3600)
    when_apart: Literal["missing", "alone"] = "missing"
    rules: tuple[AnyRule, ...] = ()


def _null(value: object) -> object:
    return "null" if value is None else value


class Recipe(Strict):
    """``range`` is what the terms together are declared to lie in: shaping and noise correction may leave it.

    ``invalid`` prices what the policy made unjudgeable, by default with the lower end of ``range``, or with what the
    terms are worth at a score of 0 where that is less: saying nothing never pays better than being wrong.
    """

    name: Name = "inline"
    description: str = ""
    range: tuple[float, float] = (0.0, 1.0)
    routes: tuple[Route, ...] = ()
    terms: tuple[Term, ...] = Field((), description="what a sample takes that no route matches; none: `no_route`")
    combine: AnyCombination = Sum(method="sum")
    shaping: tuple[AnyShaping, ...] = ()
    group: GroupRules = GroupRules()
    invalid: float | None = Field(None, description="reward of `invalid`; default: the lower end of range")
    missing: Annotated[Literal["null", "mean", "drop"], BeforeValidator(_null)] = Field(
        "null", description="reward of a missing score: none, the mean of the group's others, or left out of the group"
    )
    on_truncated: Literal["score", "floor", "mask"] | Penalty = Field(
        "score", description="finish_reason length: as usual, lower end of range, no reward, or {penalty: share}"
    )
    budget: Budget | None = Field(None, description="what the judges' models may cost; default: whatever they do")
    unsupervised: bool = Field(False, description="the reward needs no label, and may collapse unnoticed")
    control: bool = Field(False, description="a recipe that is meant to know nothing")

    @model_validator(mode="after")
    def _range_is_ordered(self) -> Self:
        if not self.range[0] < self.range[1]:
            raise ValueError(f"range {list(self.range)} must be [low, high] with low below high")
        return self

    @property
    def price_of_invalid(self) -> float:
        return self.range[0] if self.invalid is None else self.invalid

    @cached_property
    def courses(self) -> tuple[Course, ...]:
        """One a route, in order."""
        return tuple(
            Course(
                route.terms,
                self.combine if route.combine is None else route.combine,
                self.shaping if route.shaping is None else route.shaping,
            )
            for route in self.routes
        )

    @cached_property
    def default(self) -> Course | None:
        return Course(self.terms, self.combine, self.shaping) if self.terms else None

    @cached_property
    def all_courses(self) -> tuple[Course, ...]:
        return (*self.courses, self.default) if self.default else self.courses

    @cached_property
    def judgements(self) -> tuple[Judgement, ...]:
        """Every verifier that some sample may need, over all routes: what has to exist before a request is taken."""
        return tuple(one for course in self.all_courses for one in course.judgements.values())

    def course_of(self, sample: Sample) -> Course | None:
        """The course of a sample: that of the first route that matches, else the default, else None."""
        for when, course in self._routed:
            if when.matches(sample):
                return course
        return self.default

    @cached_property
    def _routed(self) -> tuple[tuple[When, Course], ...]:
        return tuple(zip((route.when for route in self.routes), self.courses, strict=True))

    @cached_property
    def components(self) -> tuple[str, ...]:
        """The names of all terms of all routes: the keys of every reward's `components`."""
        return tuple(dict.fromkeys(term.name for course in self.all_courses for term in course.terms))

    @cached_property
    def verifiers(self) -> tuple[str, ...]:
        """The verifiers of all terms of all routes, each once; fallbacks and shadows are left out."""
        return tuple(dict.fromkeys(term.verifier for course in self.all_courses for term in course.terms))

    @cached_property
    def needs_group(self) -> bool:
        """True where a reward is known only with its whole group."""
        return any(course.needs_group for course in self.all_courses)

    @cached_property
    def judges_groups(self) -> bool:
        """True where some verifier judges whole groups, in a shadow too."""
        return any(one.verifier in GROUP_VERIFIERS for course in self.all_courses for one in course.judgements.values())

    @cached_property
    def learns(self) -> bool:
        """True where the run's state changes with what was priced."""
        shapings = [shaping for course in self.all_courses for shaping in course.shaping]
        return (
            any(getattr(part, "remembers", None) for part in (*shapings, *self.group.rules))
            or any(getattr(shaping, "statistics", None) == "ema" for shaping in shapings)
            or any(term.noise and term.noise.appeals for course in self.all_courses for term in course.terms)
        )

    @cached_property
    def corrects(self) -> bool:
        """True where some term's noise is corrected."""
        return any(term.noise for course in self.all_courses for term in course.terms)

    @cached_property
    def reads_histories(self) -> bool:
        """True where a rule looks at the success rates that prompts had before."""
        return any(isinstance(rule, SemiSupervised) for rule in self.group.rules)

    @cached_property
    def formulas(self) -> Mapping[str, int]:
        """The versions above 1 of the formulas that it prices by, by the name of the shaping, rule or control."""
        shapings = [(shaping.method, shaping.version) for course in self.all_courses for shaping in course.shaping]
        terms = [term.control for course in self.all_courses for term in course.terms]
        controls = [(control.kind, control.version) for control in terms if isinstance(control, Flip)]
        rules = [(rule.rule, rule.version) for rule in self.group.rules]
        return {name: version for name, version in (*shapings, *controls, *rules) if version > 1}

    @cached_property
    def audits(self) -> tuple[str, ...]:
        """The audits whose rates it is corrected with."""
        noises = [term.noise for course in self.all_courses for term in course.terms if term.noise]
        return tuple(dict.fromkeys(noise.audit for noise in noises if noise.audit))

    @cached_property
    def hash(self) -> str:
        """``sha256:`` of the content in canonical JSON; name, description and whatever is at its default left out.

        So a recipe keeps its hash when recipes learn something new.
        """
        content = self.model_dump(mode="json", exclude={"description", "name"}, exclude_defaults=True)
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def parse_recipe(body: Mapping[str, object], facts: Mapping[str, Facts] = CONTROLS) -> Recipe:
    """A recipe from its plain or its short form. Raises :class:`InvalidRecipe` naming each field that is wrong."""
    if more_values(body, MOST_VALUES):
        detail = f"a recipe has at most {MOST_VALUES} keys and values"
        raise InvalidRecipe.at_field("recipe", "too_long", detail)
    full = expand_recipe(body, facts)
    try:
        recipe = Recipe.model_validate(full)
    except ValidationError as refusal:
        problems = _problems(refusal, full)
    else:
        problems = check(recipe, facts)
    if not problems:
        return recipe
    raise InvalidRecipe(f"{problems[0].field}: {problems[0].detail}", errors=problems)


def _problems(refusal: ValidationError, body: object) -> list[FieldProblem]:
    """One a field, at most ``MOST_PROBLEMS``."""
    found: dict[str, FieldProblem] = {}
    for item in refusal.errors(include_url=False, include_context=False, include_input=False):
        field = ".".join(["recipe", *_within(body, item["loc"])])
        detail = item["msg"].removeprefix("Value error, ")
        found.setdefault(field, FieldProblem(field=field, code=item["type"], detail=detail))
        if len(found) == MOST_PROBLEMS:
            break
    return list(found.values())


def more_values(value: object, most: int) -> bool:
    """Whether it has more keys and values in all than so many, without a look at the rest."""
    open_parts, count = [value], 0
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, Mapping):
            count += 2 * len(part)
            children: Iterable[object] = part.values()
        elif isinstance(part, list | tuple):
            count += len(part)
            children = part
        else:
            continue
        if count > most:
            return True
        open_parts.extend(children)
    return False


def _within(body: object, loc: Sequence[int | str]) -> list[str]:
    """The parts of a location that are keys of the body; those that name a branch of a union are left out."""
    names: list[str] = []
    for position, part in enumerate(loc, start=1):
        if isinstance(body, Mapping):
            absent = position == len(loc) and part not in _tags(body)
            if part in body or absent:
                body = body.get(part)
                names.append(str(part))
        elif isinstance(body, list | tuple) and isinstance(part, int) and part < len(body):
            body = body[part]
            names.append(str(part))
    return names


def _tags(body: Mapping[object, object]) -> set[object]:
    return {body.get("method"), body.get("rule")}
