"""A course: the terms that a sample takes, with how they are shaped and combined; worked out once a recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from rewards.combine import Combination
from rewards.controls import Flip
from rewards.noise.correction import Corrector
from rewards.parts import AnyShaping
from rewards.term import Term
from trueward.wire.verifier import GROUP_VERIFIERS


@dataclass(frozen=True, eq=False)
class Judgement:
    """One verifier that may have to judge a sample: ``key`` names its verdict among those of the sample.

    The key of a term's own verifier is the term's name, that of its nth fallback ``name:n``, that of an appeal
    ``name:appeal``. A ``shadow`` is off the critical path: nobody waits for it.
    """

    key: str
    verifier: str
    params: Mapping[str, JsonValue]
    shadow: bool = False


@dataclass(frozen=True, eq=False)
class Course:
    """``shaping`` is in the recipe's order, for terms and for the total together."""

    terms: tuple[Term, ...]
    combine: Combination
    shaping: tuple[AnyShaping, ...]

    @cached_property
    def answer(self) -> Term:
        """The term whose outcome is the reward's: the one marked so, else the first that is paid."""
        return next((term for term in self.paid if term.answer), self.paid[0])

    @cached_property
    def paid(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if not term.shadow)

    @cached_property
    def judgements(self) -> dict[str, Judgement]:
        """Every verifier that a sample on this course may need, by key."""
        return {one.key: one for term in self.terms for one in _of_term(term)}

    @cached_property
    def shaped(self) -> dict[str | None, tuple[AnyShaping, ...]]:
        """The shapings of each term, and under None those of the total."""
        names = {term.name for term in self.terms}
        found: dict[str | None, list[AnyShaping]] = {}
        for shaping in self.shaping:
            if shaping.term is None or shaping.term in names:
                found.setdefault(shaping.term, []).append(shaping)
        return {name: tuple(shapings) for name, shapings in found.items()}

    @cached_property
    def before_price(self) -> tuple[AnyShaping, ...]:
        """The total's shapings before the price of invalid: one by one, up to the first of a group."""
        of_total = self.shaped.get(None, ())
        first = next((index for index, shaping in enumerate(of_total) if shaping.of_group), len(of_total))
        return of_total[:first]

    @cached_property
    def after_price(self) -> tuple[AnyShaping, ...]:
        """The total's shapings from the first of a group on."""
        return self.shaped.get(None, ())[len(self.before_price) :]

    @cached_property
    def named(self) -> dict[str, Term]:
        return {term.name: term for term in self.terms}

    @cached_property
    def plain(self) -> bool:
        """True where every judgement is due at once and unconditionally."""
        return not any(term.gate or term.shadow or term.chained for term in self.terms)

    @cached_property
    def constant_correctors(self) -> dict[str, Corrector]:
        """Of the terms whose rates stand in the recipe."""
        noises = {term.name: term.noise for term in self.terms if term.noise}
        constant = {name: noise for name, noise in noises.items() if noise.audit is None and noise.appeals is None}
        return {name: Corrector(noise, noise.constant) for name, noise in constant.items()}

    @cached_property
    def needs_group(self) -> bool:
        return (
            self.combine.of_group
            or any(shaping.of_group for shaping in self.shaping)
            or any(one.verifier in GROUP_VERIFIERS and not one.shadow for one in self.judgements.values())
        )


def _of_term(term: Term) -> Sequence[Judgement]:
    found = []
    if isinstance(term.control, Flip):
        found.append(Judgement(term.name, term.control.inner.verifier, term.control.inner.params))
    elif term.control is None:
        found.append(Judgement(term.name, term.verifier, term.params, shadow=term.shadow > 0))
    for position, fallback in enumerate(term.fallback, start=1):
        found.append(Judgement(f"{term.name}:{position}", fallback.verifier, fallback.params, shadow=term.shadow > 0))
    if term.noise and (appeals := term.noise.appeals):
        # without overturning an appeal only measures, and nobody waits for it
        found.append(Judgement(f"{term.name}:appeal", appeals.verifier, appeals.params, shadow=not appeals.overturn))
    return found
