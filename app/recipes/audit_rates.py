"""Recipes and the audits that they name: a name becomes the id that it means now, and an audit a correction.

A recipe is stored with ids alone, so that it stays what it is when another audit is called so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from app.path.facts import FACTS
from app.path.plan import Planner
from rewards.judging import iter_audited_terms
from rewards.recipe import Recipe, parse_recipe
from trueward.errors import FieldProblem, InvalidRecipe, InvalidRequest

_OTHER_SOURCES = ("version", "false_positive", "false_negative", "slices", "appeals", "audit", "by")
"""Of a noise, what an audit in its place replaces; the version is then the latest."""


class AuditNames(Protocol):
    """Where audits are found by what people call them."""

    async def find_rated(self, said: str, verifiers: Collection[str]) -> tuple[str, str] | None:
        """Id and verifier of the completed audit that is called so and measured the rates of one of these verifiers;
        None where there is none. Raises :class:`InvalidRequest` where several are called so."""
        ...


async def pin_audits(recipe: Recipe, planner: Planner, audits: AuditNames | None) -> Recipe:
    """The same recipe with the id of each audit that it names otherwise. What means nothing stays for the planner to
    refuse. Raises :class:`InvalidRecipe` where a name means several."""
    known = planner.find_rates(recipe)
    ids: dict[tuple[str, str], str] = {}
    problems = []
    for place, term, said in iter_audited_terms(recipe):
        if said in known or audits is None:
            continue
        try:
            found = await audits.find_rated(said, {term.verifier})
        except InvalidRequest as refusal:
            problems.append(FieldProblem(field=f"{place}.noise.audit", code="ambiguous_audit", detail=refusal.detail))
        else:
            ids |= {} if found is None else {(term.verifier, said): found[0]}
    if problems:
        raise InvalidRecipe(f"recipe {recipe.name!r}: {problems[0].detail}", errors=problems)
    return _with_audits(recipe, ids) if ids else recipe


async def correct_recipe(
    recipe: Recipe, name: str, said: str, planner: Planner, audits: AuditNames
) -> tuple[Recipe, str]:
    """The recipe under another name, each term of the audited verifier corrected with that audit's rates, and the
    audit's id. A correction that a term has keeps its settings, but for where its rates come from.

    Raises :class:`InvalidRequest` where no audit of one of its verifiers is called so.
    """
    body = recipe.model_dump(mode="json")
    verifiers = sorted({term["verifier"] for term in _terms(body)})
    found = await audits.find_rated(said, verifiers)
    if found is None:
        raise InvalidRequest(
            f"no completed audit {said[:100]!r} measured rates of {' or '.join(verifiers)}, of which recipe "
            f"{recipe.name!r} has terms: audit one (`trueward audit run labelled --verifier {verifiers[0]}`); one of a "
            "recipe says nothing of its verifiers"
        )
    audit, verifier = found
    for term in _terms(body):
        if term["verifier"] == verifier:
            kept = {key: value for key, value in (term["noise"] or {}).items() if key not in _OTHER_SOURCES}
            term["noise"] = {**kept, "audit": audit, "by": _keys(planner, audit, kept)}
    return parse_recipe({**body, "name": name}, FACTS), audit


def _keys(planner: Planner, audit: str, kept: Mapping[str, object]) -> list[str]:
    """The features that the audit keyed its rates by; a forward correction has one rate for all."""
    return [] if kept.get("method") == "forward" else list(planner.rates_of(audit).by)


def _with_audits(recipe: Recipe, ids: Mapping[tuple[str, str], str]) -> Recipe:
    body = recipe.model_dump(mode="json")
    for term in _terms(body):
        if (noise := term["noise"]) is not None:
            noise["audit"] = ids.get((term["verifier"], noise["audit"]), noise["audit"])
    return Recipe.model_validate(body)


def _terms(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All terms of a recipe's body, those of its routes first."""
    return [term for course in (*body["routes"], body) for term in course["terms"]]
