"""Finds the verifiers that a request needs. Each is made once for its name and parameters, and kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Protocol

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_json

from app.kit.cache import Cache
from app.kit.text import clean_json
from app.kit.tokens import derive_ids
from app.lanes.model_source import ModelSource, NoModels
from app.path.facts import FACTS
from judges.base import AsksModels, ModelVerifier, UnknownModel, model_stamp
from rewards.course import Course, Judgement
from rewards.judging import iter_audited_terms, iter_judged_terms, places
from rewards.noise.rates import Rates
from rewards.recipe import MOST_PROBLEMS, Recipe, more_values, parse_recipe
from rewards.term import Term
from trueward.authoring.verifier import Params, Verifier
from trueward.errors import FieldProblem, InvalidParameters, InvalidRecipe, InvalidRequest, JudgeFailedAudit
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.verdict import Producer, Verdict
from verifiers import registry
from verifiers.grouped import GroupVerifier
from verifiers.sandboxed import SandboxVerifier
from verifiers.stated_confidence import StatedConfidenceVerifier

_LANES = frozenset({"inline", "cpu", "sandbox", "model"})
_KEPT = 1000
_MOST_IN_PARAMS = 20_000


@dataclass(frozen=True, eq=False)
class RecipePlan:
    """A recipe with a verifier for each judgement that some sample may need, and the rates of each audit it names."""

    recipe: Recipe
    verifiers: Mapping[Judgement, Verifier]
    rates: Mapping[str, Rates]

    @cached_property
    def all_verifiers(self) -> list[Verifier]:
        """The verifiers, and those that they ask."""
        return expand_verifiers(self.verifiers.values())

    @cached_property
    def asks_models(self) -> bool:
        return any(verifier.lane == "model" for verifier in self.all_verifiers)

    def samples_to_judge(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        """The samples, in order; without the confidence that their responses state, where the recipe reads it.

        So a reward model does not see what is priced beside it. The statement moves to the sample's metadata: what is
        recorded is what verifiers saw, and judging it again finds the same.
        """
        readers = {one: found for one, found in self.verifiers.items() if isinstance(found, StatedConfidenceVerifier)}
        if not readers:
            return samples
        found = []
        for sample in samples:
            course = self.recipe.course_of(sample)
            asked = course.judgements.values() if course is not None else ()
            reader = next((readers[one] for one in asked if one in readers), None)
            found.append(reader.split_statement(sample) if reader is not None else sample)
        return found

    def stamp(
        self, course: Course | None, sample: Sample, record: str, said: Mapping[str, Verdict]
    ) -> dict[str, Verdict]:
        """The verdicts of a sample by key, each under a record of its own. ``record`` is the record of the reward."""
        wanted = course.judgements if course is not None else {}
        found = {}
        for (key, one), name in zip(wanted.items(), derive_ids(record, len(wanted)), strict=True):
            if key in said:
                found[key] = stamp_verdict(said[key], sample, name, self.verifiers[one])
        return found


def stamp_verdict(verdict: Verdict, sample: Sample, record: str, verifier: Verifier) -> Verdict:
    """The verdict under its sample, its record and its verifier, in text that can be stored and sent.

    A copy: the same verdict may have been said of other samples, and be kept. Whatever a verifier wrote that neither
    database nor JSON can carry is replaced.
    """
    named = {"id": sample.id, "record": record, "producer": verifier.producer}
    verdict = verdict.model_copy(update=named)
    try:
        if b"\\u0000" not in to_json((verdict.reason_code, verdict.reason, verdict.evidence, verdict.feedback)):
            return verdict
    except PydanticSerializationError:
        pass
    return Verdict.model_validate(clean_json(verdict.model_dump()))


def expand_verifiers(verifiers: Iterable[Verifier]) -> list[Verifier]:
    """The verifiers, and the inner verifiers of group verifiers: a run pins them too."""
    found = []
    for verifier in verifiers:
        found += [verifier, verifier.inner] if isinstance(verifier, GroupVerifier) else [verifier]
    return found


class RecipeSource(Protocol):
    """Where recipes are found by name."""

    def find(self, reference: str) -> Recipe:
        """``name`` or ``name@hash``. Raises :class:`UnknownRecipe`."""
        ...


class RatesSource(Protocol):
    """Where the error rates that audits measured are found."""

    def find(self, audit: str) -> tuple[str, Rates] | None:
        """The audited verifier's name with its rates; None where there is no such audit, or it measured none."""
        ...

    def find_failed(self, producer: Producer) -> str | None:
        """The latest audit with a gate of this verifier and these parameters, where it did not pass."""
        ...


class NoRates:
    """For a path without a store: there are no audits."""

    def find(self, audit: str) -> tuple[str, Rates] | None:
        return None

    def find_failed(self, producer: Producer) -> str | None:
        return None


class Planner:
    def __init__(self, recipes: RecipeSource, rates: RatesSource, models: ModelSource | None = None) -> None:
        self._recipes = recipes
        self._rates = rates
        self._models = models or NoModels()
        self._created = lru_cache(_KEPT)(_create)
        self._stamped: Cache[tuple[str, str, str], Verifier] = Cache(_KEPT)

    def verifier(self, name: str, params: Mapping[str, JsonValue]) -> Verifier:
        """Raises :class:`UnknownVerifier`, :class:`InvalidParameters`, or :class:`InvalidRequest`."""
        if params and more_values(params, _MOST_IN_PARAMS):
            detail = f"the parameters of {name[:100]!r} have over {_MOST_IN_PARAMS} values"
            raise InvalidRequest.at_field("params", "too_long", detail)
        key = (name, json.dumps(dict(params), sort_keys=True) if params else "")
        known = self._created(*key)
        asking = known.inner if isinstance(known, GroupVerifier) else known
        if isinstance(asking, ModelVerifier):
            self._refuse_unknown(asking)
            return self._of_models(key, known, asking.models)
        return known

    def _of_models(self, key: tuple[str, str], known: Verifier, models: Sequence[str]) -> Verifier:
        """The verifier with the models that are registered now. If another model has the name, it is another judge."""
        if not models or not isinstance(known, AsksModels):
            return known
        stamp = model_stamp([self._models.find(name).entry for name in models])
        made = self._stamped.get((*key, stamp))
        if made is None:
            made = known.of_models(stamp)
            self._stamped.put((*key, stamp), made)
        return made

    def _refuse_unknown(self, verifier: ModelVerifier[Params]) -> None:
        """Raises :class:`InvalidParameters` for models that are not registered. Checked every time: models change."""
        problems = []
        for model in verifier.models:
            try:
                self._models.find(model)
            except UnknownModel as unknown:
                place = f"params.{verifier.place(model)}"
                problems.append(FieldProblem(field=place, code=unknown.code, detail=str(unknown)))
        if problems:
            detail = f"the parameters of {verifier.name!r} are not valid: {problems[0].detail}"
            raise InvalidParameters(detail, errors=problems)

    def check(self, request: VerifyRequest | RewardsRequest) -> None:
        """Raises what this request would be refused with, whatever its samples."""
        if isinstance(request, VerifyRequest):
            self.verifier(request.verifier, request.params)
        else:
            plan = self.plan(request.recipe)
            if request.split == "train" and plan.asks_models:
                self.refuse_failed(plan)

    def refuse_failed(self, plan: RecipePlan) -> None:
        """Raises :class:`JudgeFailedAudit` where a term is paid by a judge whose last audit did not pass its gate, and
        does not name that audit."""
        problems = []
        for place, term, one in iter_judged_terms(plan.recipe):
            audit = self._failed(plan.verifiers[one])
            if audit is not None and not one.shadow and term.despite_audit != audit:
                detail = f"audit {audit} of {one.verifier!r} with these parameters did not pass its gate"
                problems.append(FieldProblem(field=place, code=JudgeFailedAudit.code, detail=detail))
        if problems:
            raise JudgeFailedAudit(
                f"recipe {plan.recipe.name!r} is not for training: {problems[0].detail}; audit the judge anew, or set "
                "despite_audit of the term to that id",
                errors=problems,
            )

    def _failed(self, verifier: Verifier) -> str | None:
        """The audit that the verifier, or its inner verifier, failed last; None if there is none."""
        asked = [one for one in expand_verifiers([verifier]) if one.lane == "model"]
        return next((audit for one in asked if (audit := self._rates.find_failed(one.producer)) is not None), None)

    def plan(self, recipe: str | Mapping[str, JsonValue]) -> RecipePlan:
        """Raises :class:`UnknownRecipe` or :class:`InvalidRecipe`."""
        return self.of(self._recipes.find(recipe) if isinstance(recipe, str) else parse_recipe(recipe, FACTS))

    def of(self, recipe: Recipe) -> RecipePlan:
        """Raises :class:`InvalidRecipe` where this service cannot judge what the recipe asks for."""
        rates = self._audited(recipe) if recipe.audits else {}
        try:
            return RecipePlan(
                recipe, {one: self.verifier(one.verifier, one.params) for one in recipe.judgements}, rates
            )
        except InvalidRequest as refusal:
            problems = list(islice(self._problems(recipe), MOST_PROBLEMS))
            raise InvalidRecipe(f"recipe {recipe.name!r}: {refusal.detail}", errors=problems) from refusal

    def find_rates(self, recipe: Recipe) -> dict[str, Rates]:
        """The rates of those audits that the recipe names and that are known here."""
        found = {audit: self._rates.find(audit) for audit in recipe.audits}
        return {audit: one[1] for audit, one in found.items() if one is not None}

    def rates_of(self, audit: str) -> Rates:
        """What an audit measured. Raises :class:`InvalidRequest` where it is not known here."""
        found = self._rates.find(audit)
        if found is None:
            raise InvalidRequest(_unknown_audit(audit))
        return found[1]

    def _audited(self, recipe: Recipe) -> dict[str, Rates]:
        """The rates of each audit that the recipe names. Raises :class:`InvalidRecipe`."""
        rates: dict[str, Rates] = {}
        problems = []
        for place, term, audit in iter_audited_terms(recipe):
            found = self._rates.find(audit)
            problem = _unfit(term, audit, found)
            if found is not None and problem is None:
                rates[audit] = found[1]
            elif problem is not None:
                problems.append(FieldProblem(field=f"{place}.noise.audit", code=problem[0], detail=problem[1]))
        if problems:
            raise InvalidRecipe(f"recipe {recipe.name!r}: {problems[0].detail}", errors=problems)
        return rates

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


def _create(name: str, params: str) -> Verifier:
    """Makes a verifier and checks that this service has its lane. ``params`` is JSON, or empty."""
    made = registry.create(name, json.loads(params) if params else {})
    if made.lane not in _LANES:
        raise InvalidRequest(f"verifier {name!r} runs in the {made.lane} lane, which this service lacks")
    if made.lane == "sandbox" and not isinstance(made, SandboxVerifier):
        raise InvalidRequest(f"verifier {name!r} is in the sandbox lane but is no SandboxVerifier")
    if made.lane == "model" and not isinstance(made, ModelVerifier):
        raise InvalidRequest(f"verifier {name!r} is in the model lane but is no ModelVerifier")
    return made


def _unfit(term: Term, audit: str, found: tuple[str, Rates] | None) -> tuple[str, str] | None:
    """Code and text of the reason why a term cannot be corrected with the rates of an audit; None if it can."""
    if found is None:
        return "unknown_audit", _unknown_audit(audit)
    verifier, rates = found
    if verifier != term.verifier:
        return "audit_of_another", f"audit {audit} measured {verifier!r}, and the term's verifier is {term.verifier!r}"
    if term.noise is not None and term.noise.by and term.noise.by != rates.by:
        asked, keyed = ", ".join(term.noise.by), ", ".join(rates.by) or "no feature"
        return "audit_keyed_apart", f"audit {audit} keys its rates by {keyed}, not by {asked}: audit with rates_by"
    return None


def _unknown_audit(audit: str) -> str:
    return (
        f"no completed audit {audit[:100]!r} measured error rates here; GET /v1/audits lists them. Names of audits are "
        "taken where a recipe is put into a service, which stores ids"
    )
