"""What a correction will and will not change, said before a run starts, and how uncertain rates turn its gradient."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from rewards.noise.correction import Corrector
from rewards.noise.rates import Rate, Rates
from rewards.recipe import Recipe
from trueward.estimators.noise import Effect, Estimator, effect

_NAMED = 3
"""How many slices a warning names."""


def advice(recipe: Recipe, estimator: Estimator, rates: Mapping[str, Rates] | None = None) -> list[str]:
    """One warning for each correction that has no effect, or only a scale, under the estimator of the trainer; for one
    that leaves responses without a reward; and for one by an audit of a verifier whose fallback is corrected with it.

    ``rates`` are those of the audits that the recipe names. A total of several terms is mixed anew by a correction, so
    nothing is said of terms beside others.
    """
    known = rates or {}
    found = []
    for course in recipe.all_courses:
        for term in course.paid:
            noise = term.noise
            if noise is not None and noise.audit is not None and term.fallback:
                found.append(
                    f"term {term.name!r}: the audit measured {term.verifier!r} alone, and what a fallback says is "
                    "corrected by the same rates; audit the recipe without its correction, and state the rates found"
                )
            if noise is None:
                continue
            given = noise.rates(known.get(noise.audit or ""), None, 0)
            refusals = Corrector(noise, given).list_refusals() if given is not None and noise.audit else {}
            if given is not None and refusals:
                found.append(_unpaid(term.name, given, refusals))
                if len(refusals) > len(given.slices):
                    continue
            found += _uncertain(term.name, given) if given is not None else []
            if noise.method != "backward" or len(course.paid) > 1:
                continue
            sliced = bool(given.slices) if given is not None else bool(noise.by)
            match effect(estimator, rates_differ_within_group=sliced):
                case Effect.NONE:
                    found.append(
                        f"term {term.name!r}: dividing by the group's own spread removes a correction whose rates all "
                        "responses share; key the rates by response slice (`by`), or use the estimator `debiased`, "
                        "`leave_one_out` or `centred`"
                    )
                case Effect.SCALE:
                    found.append(
                        f"term {term.name!r}: with rates that all responses share the correction only scales the "
                        "update (1/J) and makes the mean reward unbiased; it does not change its direction"
                    )
                case Effect.DIRECTION:
                    pass
    return found


def _unpaid(term: str, rates: Rates, refusals: Mapping[str, str]) -> str:
    """That a correction leaves responses without a reward, and why."""
    why = next(iter(refusals.values()))
    if len(refusals) > len(rates.slices):
        return f"term {term!r}: no response gets a reward, each is abstained (uncorrectable): {why}"
    named = [name or "those that were not measured" for name in refusals]
    return (
        f"term {term!r}: responses of {len(named)} slices get no reward, they are abstained (uncorrectable): "
        f"{', '.join(named[:_NAMED])}{' and others' if len(named) > _NAMED else ''}; {why}"
    )


def _uncertain(term: str, rates: Rates) -> list[str]:
    """What the uncertainty of measured rates does to the gradient; nothing for rates that are stated."""
    found = measure_turn(rates)
    if found is None:
        return []
    size = (
        f"term {term!r}: by {rates.source} J is {rates.pooled.index:.3f}, and the size of the update is uncertain by "
    )
    if not rates.slices:
        return [f"{size}{found.scale:.0%} (one standard error); its direction is not, as all responses share the rates"]
    return [
        f"{size}{found.scale:.0%}; by slice its direction is, too: expect a cosine of {found.cosine:.2f} with the "
        f"gradient of exact rates. Least is known of {found.slice}, where pay is off by {found.error:.2f} (a standard "
        "error) in every step, however many responses are sampled: label more of it"
    ]


class Turned(NamedTuple):
    """``scale``: relative standard error of the update's size. ``cosine``: of the expected update with that of exact
    rates, each slice's policy logits apart; 1 without slices. ``slice``: where responses are paid least surely, with
    the standard error of their pay."""

    scale: float
    cosine: float
    slice: str
    error: float


def measure_turn(rates: Rates) -> Turned | None:
    """None for rates that are stated or that leave no J. Slices count by their labelled responses."""
    errors = rates.pooled.errors
    if errors is None or not rates.pooled.index > 0:
        return None
    scale = math.hypot(*errors) / rates.pooled.index
    known = {key: rate for key, rate in rates.slices.items() if rate.errors is not None and rate.index > 0}
    total = sum((rate.wrong or 0) + (rate.right or 0) for rate in known.values())
    right = sum(rate.right or 0 for rate in known.values())
    if not total:
        return Turned(scale, 1.0, "", scale)
    share_right = right / total
    signal = noise = 0.0
    for rate in known.values():
        for count, error, truth in zip((rate.wrong, rate.right), _paid(rate), (0.0, 1.0), strict=True):
            share = (count or 0) / total
            signal += (share * (truth - share_right)) ** 2
            noise += (share * error) ** 2
    least = max(known, key=lambda key: max(_paid(known[key])))
    cosine = math.sqrt(signal / (signal + noise)) if signal > 0 else 0.0
    return Turned(scale, cosine, least, max(_paid(known[least])))


def _paid(rate: Rate) -> tuple[float, float]:
    """Standard errors of what a wrong and a right response of the slice are paid on average."""
    positive, negative = rate.errors or (0.0, 0.0)
    return positive / rate.index, negative / rate.index
