"""Short forms: what may be left out when a recipe is written by hand, spelled out.

``{"verifier": "math"}`` is a recipe of one term; ``terms`` may be one name, a list of names, or names with weights;
``shaping``, ``combine`` and ``rules`` may be a name, or a name with its parameters; ``noise`` at the root belongs to
the one term that is a yes or no. Nothing is checked here but what could not be spelled out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from rewards.facts import Facts, facts_of
from rewards.noise.noise import LATEST
from trueward.errors import FieldProblem, InvalidRecipe

_OF_TERM = ("verifier", "params", "weight")


def expand_recipe(body: Mapping[str, object], facts: Mapping[str, Facts]) -> dict[str, object]:
    """The same recipe in full. Raises :class:`InvalidRecipe` where root noise has no term, or several, to go to."""
    full = _course(dict(body))
    if "verifier" in full and "terms" not in full:
        full["terms"] = [{key: full.pop(key) for key in _OF_TERM if key in full}]
    if isinstance(routes := full.get("routes"), list):
        full["routes"] = [_course(dict(route)) if isinstance(route, Mapping) else route for route in routes]
    if isinstance(group := full.get("group"), Mapping) and "rules" in group:
        full["group"] = {**group, "rules": _methods(group["rules"], "rule")}
    if full.get("on_truncated") == "penalty":
        full["on_truncated"] = {}
    noise = full.pop("noise", None)
    if noise is not None:
        full["terms"] = _with_noise(full, noise, facts)
    return _with_versions(full)


def _course(part: dict[str, object]) -> dict[str, object]:
    """What a recipe and a route have in common."""
    if "terms" in part:
        part["terms"] = _terms(part["terms"])
    if "shaping" in part and part["shaping"] is not None:
        part["shaping"] = _methods(part["shaping"], "method")
    if isinstance(part.get("combine"), str | Mapping):
        part["combine"] = _method(part["combine"], "method")
    return part


def _terms(terms: object) -> object:
    if isinstance(terms, str):
        return [terms]
    if not isinstance(terms, Mapping):
        return terms
    return [
        {"name": name, "verifier": name, **entry} if isinstance(entry, Mapping) else {"verifier": name, "weight": entry}
        for name, entry in terms.items()
    ]


def _methods(entries: object, key: str) -> object:
    if isinstance(entries, str | Mapping):
        entries = [entries]
    return [_method(entry, key) for entry in entries] if isinstance(entries, list | tuple) else entries


def _method(entry: object, key: str) -> object:
    """``par`` and ``{par: {steepness: 2}}`` as ``{method: par, steepness: 2}``; ``{clip: [0, 1]}`` names its ends."""
    if isinstance(entry, str):
        return {key: entry}
    if not isinstance(entry, Mapping) or key in entry:
        return entry
    rest = {name: value for name, value in entry.items() if name == "term"}
    names = [name for name in entry if name != "term"]
    if len(names) != 1:
        return entry
    given = entry[names[0]]
    if names[0] == "clip" and isinstance(given, list | tuple) and len(given) == 2:
        given = {"low": given[0], "high": given[1]}
    if given is None:
        given = {}
    return {key: names[0], **given, **rest} if isinstance(given, Mapping) else entry


def _with_noise(full: Mapping[str, object], noise: object, facts: Mapping[str, Facts]) -> object:
    terms = full.get("terms")
    if full.get("routes"):
        _refuse("noise at the root has no place beside routes: put it on each term that it belongs to")
    if not isinstance(terms, list | tuple):
        _refuse("noise at the root needs terms")
    binary = [position for position, term in enumerate(terms) if _is_binary(term, facts)]
    if len(binary) != 1:
        _refuse(
            f"noise at the root belongs to the one term that is a yes or no, and {len(binary)} of {len(terms)} are: "
            "put noise on the term that it belongs to"
        )
    position = binary[0]
    term = terms[position]
    term = {"verifier": term} if isinstance(term, str) else term
    if "noise" in term:
        _refuse("noise stands at the root and on its term: leave one out")
    return [*terms[:position], {**term, "noise": noise}, *terms[position + 1 :]]


def _with_versions(full: dict[str, object]) -> dict[str, object]:
    """Noise that names no version is of the latest; a stored recipe is never expanded, so it keeps its own."""
    if "terms" in full:
        full["terms"] = _with_version(full["terms"])
    if isinstance(routes := full.get("routes"), list):
        full["routes"] = [
            {**route, "terms": _with_version(route["terms"])} if isinstance(route, dict) and "terms" in route else route
            for route in routes
        ]
    return full


def _with_version(terms: object) -> object:
    if not isinstance(terms, list | tuple):
        return terms
    return [
        {**term, "noise": {"version": LATEST, **term["noise"]}}
        if isinstance(term, Mapping) and isinstance(term.get("noise"), Mapping)
        else term
        for term in terms
    ]


def _is_binary(term: object, facts: Mapping[str, Facts]) -> bool:
    if isinstance(term, str):
        return facts_of(term, facts).binary
    if not isinstance(term, Mapping) or term.get("shadow"):
        return False
    return facts_of(str(term.get("verifier")), facts).binary


def _refuse(detail: str) -> NoReturn:
    problem = FieldProblem(field="recipe.noise", code="ambiguous_noise", detail=detail)
    raise InvalidRecipe(f"recipe.noise: {detail}", errors=[problem])
