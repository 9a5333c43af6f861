"""Which verifiers a request needs: resolves names and parameters once and keeps what it made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from app.kit.tokens import derived_ids
from app.scoring.cache import Cache
from app.scoring.facts import FACTS
from rewards.course import Judgement
from rewards.judging import judgements, places
from rewards.recipe import Recipe, parse_recipe
from trueward.errors import FieldProblem, InvalidRecipe, InvalidRequest
from trueward.types import Sample
from trueward.verifier import Verifier
from verifiers import registry
from verifiers.grouped import GroupVerifier
from verifiers.sandboxed import SandboxVerifier

_LANES = frozenset({"inline", "cpu", "sandbox"})
_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Plan:
    """A recipe with a verifier for each judgement that some sample may need."""

    recipe: Recipe
    verifiers: Mapping[Judgement, Verifier]

    @property
    def everyone(self) -> list[Verifier]:
        """The verifiers, and those that they ask."""
        return with_inner(self.verifiers.values())

    def named(self, sample: Sample, record: str) -> list[tuple[str, Verifier, str]]:
        """Key, verifier and record of each verdict that this sample may get, where ``record`` is its reward's."""
        course = self.recipe.course_of(sample)
        wanted = course.judgements if course is not None else {}
        records = derived_ids(record, len(wanted))
        return [(key, self.verifiers[one], name) for (key, one), name in zip(wanted.items(), records, strict=True)]


def with_inner(verifiers: Iterable[Verifier]) -> list[Verifier]:
    """The verifiers, and those whose word group verifiers take: a run pins them too."""
    found = []
    for verifier in verifiers:
        found += [verifier, verifier.inner] if isinstance(verifier, GroupVerifier) else [verifier]
    return found


class RecipeSource(Protocol):
    """Where recipes are found by name."""

    def find(self, reference: str) -> Recipe:
        """``name`` or ``name@hash``. Raises :class:`UnknownRecipe`."""
        ...


class Planner:
    def __init__(self, recipes: RecipeSource) -> None:
        self._recipes = recipes
        self._verifiers: Cache[tuple[str, str], Verifier] = Cache(_KEPT)

    def verifier(self, name: str, params: Mapping[str, JsonValue]) -> Verifier:
        """Raises :class:`UnknownVerifier`, :class:`InvalidParameters`, or :class:`InvalidRequest`."""
        key = (name, json.dumps(dict(params), sort_keys=True) if params else "")
        known = self._verifiers.get(key)
        if known is None:
            known = registry.create(name, params)
            if known.lane not in _LANES:
                raise InvalidRequest(f"verifier {name!r} runs in the {known.lane} lane, which this service lacks")
            if known.lane == "sandbox" and not isinstance(known, SandboxVerifier):
                raise InvalidRequest(f"verifier {name!r} is in the sandbox lane but is no SandboxVerifier")
            self._verifiers.put(key, known)
        return known

    def plan(self, recipe: str | Mapping[str, JsonValue]) -> Plan:
        """Raises :class:`UnknownRecipe` or :class:`InvalidRecipe`."""
        return self.of(self._recipes.find(recipe) if isinstance(recipe, str) else parse_recipe(recipe, FACTS))

    def of(self, recipe: Recipe) -> Plan:
        """Raises :class:`InvalidRecipe` where this service cannot judge what the recipe asks for."""
        if recipe.audits:
            detail = f"recipe {recipe.name!r} needs the rates of audit {recipe.audits[0]!r}: there are no audits yet"
            raise InvalidRecipe(detail, errors=[FieldProblem(field="recipe.terms", code="no_audits", detail=detail)])
        try:
            return Plan(recipe, {one: self.verifier(one.verifier, one.params) for one in judgements(recipe)})
        except InvalidRequest as refusal:
            problems = list(self._problems(recipe))
            raise InvalidRecipe(f"recipe {recipe.name!r}: {refusal.detail}", errors=problems) from refusal

    def _problems(self, recipe: Recipe) -> Iterator[FieldProblem]:
        """What is wrong with the verifiers of a recipe, each with its place."""
        for place, one in places(recipe):
            try:
                self.verifier(one.verifier, one.params)
            except InvalidRequest as refusal:
                if not refusal.errors:
                    yield FieldProblem(field=f"{place}.verifier", code=refusal.code, detail=refusal.detail)
                for problem in refusal.errors:
                    yield problem.model_copy(update={"field": f"{place}.{problem.field}"})
