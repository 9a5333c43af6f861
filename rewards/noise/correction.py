"""One verdict corrected: with which rates, to what, how surely, or why not.

A rejected response and an invalid one are the same to a correction: neither was accepted. What cannot be corrected is
``abstained: uncorrectable``, with one exception. A slice where the audit found no truly right response, where few can
be right, and whose verdicts say nothing, is worth 0: its responses are wrong. Were it missing, a policy could choose
that slice to escape the price of its wrong answers.

For the same reason a slice that was labelled little, or not at all, is corrected where the verifier as a whole is
known well enough: with the rates that partial pooling leaves it. ``uncertainty`` says how little that is.

Sources: Cai et al., arXiv 2510.00915, section 3; the backward correction after Natarajan et al., NeurIPS 2013.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rewards.noise.noise import Noise
from rewards.noise.rates import Rate, Rates
from trueward.estimators.noise import youden
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

UNCORRECTABLE = "uncorrectable"


class Correction(NamedTuple):
    """Exactly one of ``value`` (backward), ``weight`` (forward) and ``refusal`` is set, or none: left as it was.

    ``uncertainty`` is the standard error of value or weight, as far as it is the rates'; None for constants."""

    value: float | None = None
    weight: float | None = None
    estimate: str | None = None
    uncertainty: float | None = None
    refusal: str | None = None


UNTOUCHED = Correction()


def correct_reward(accepted: float, false_positive: float, false_negative: float) -> float:
    """Backward: ``(accepted - false_positive) / J`` for 1 (accepted) or 0 (rejected), so that its mean given the truth
    is it. Not in [0, 1], and never clipped, which would bias it.

    Its variance grows with 1/J². Raises ValueError where J is not positive.
    """
    return (accepted - false_positive) / youden(false_positive, false_negative)


def uncertainty(accepted: float, false_positive: float, false_negative: float, errors: tuple[float, float]) -> float:
    """Standard error of :func:`correct_reward` for independent estimates of both rates with these standard errors
    (delta method). It is the same for all responses of a slice, so no number of them averages it out."""
    index = youden(false_positive, false_negative)
    by_positive = (accepted - 1 + false_negative) / index**2
    by_negative = (accepted - false_positive) / index**2
    return math.hypot(by_positive * errors[0], by_negative * errors[1])


def weight(accepted: float, false_negative: float) -> float:
    """Forward: a signed weight on the policy gradient, not a reward. In [-1, 1]: ``false_negative`` for an accepted
    response, ``false_negative - 1`` for a rejected one.

    Its mean is 0 given a right response and -J given a wrong one, so the expected update is J times the clean one,
    without the false-positive rate and without blowing up the variance. Only where all responses of a prompt share
    their rates: by slices each slice would be scaled by its own J and the direction turn.
    """
    return accepted - (1 - false_negative)


def decide_accepted(verdict: Verdict, threshold: float | None) -> float | None:
    """1.0 or 0.0; None for a graded verdict where no threshold makes it a yes or no."""
    match verdict.outcome:
        case Outcome.CORRECT:
            return 1.0
        case Outcome.INCORRECT | Outcome.INVALID:
            return 0.0
        case Outcome.PARTIAL | Outcome.SCORED if threshold is not None and verdict.score is not None:
            return float(verdict.score >= threshold)
    return None


class Corrector:
    """Corrects the verdicts of one term with one set of rates; what it worked out once it keeps."""

    def __init__(self, noise: Noise, rates: Rates) -> None:
        self.rates = rates
        self._noise = noise
        self._known: dict[tuple[str | None, float], Correction] = {}

    def correct(self, sample: Sample, verdict: Verdict) -> Correction:
        """Corrects one verdict that has a score."""
        said = decide_accepted(verdict, self._noise.threshold)
        if said is None:
            return UNTOUCHED
        slices = self.rates.slices
        key = self.rates.slice_of(sample, verdict) if slices else None
        place = (key if key in slices else None, said)  # the response chooses the key: those unknown are one
        known = self._known.get(place)
        if known is None:
            known = self._known[place] = self._work_out(*place)
        return known

    def list_refusals(self) -> dict[str, str]:
        """Why responses get no reward, by slice; under no name those of slices that were not measured, and all
        responses where rates have no slices."""
        keys = (None, *self.rates.slices)
        found = {key or "": self._work_out(key, 1.0).refusal for key in keys}
        return {key: refusal for key, refusal in found.items() if refusal is not None}

    def _work_out(self, key: str | None, said: float) -> Correction:
        return self._forward(said) if self._noise.method == "forward" else self._backward(key, said)

    def _backward(self, key: str | None, said: float) -> Correction:
        rates = self.rates
        rate, name = self._of(key)
        estimate = f"{rates.source}[{name}]" if rates.slices else rates.source
        refused = self._refusal(rate, pooled=rate is rates.pooled)
        if refused is None:
            return Correction(
                value=correct_reward(said, rate.false_positive, rate.missed),
                estimate=estimate,
                uncertainty=self._uncertainty(rate, said),
            )
        if rate.none_right:
            return Correction(value=0.0, estimate=f"{estimate}: none was right")
        return Correction(refusal=f"{estimate}: {refused}")

    def _of(self, key: str | None) -> tuple[Rate, str]:
        """The rate of a slice, and its name; that of the whole where the slice's own is uncertain and not pooled."""
        rates = self.rates
        if key is None:
            return (rates.elsewhere, "elsewhere") if rates.elsewhere is not None else (rates.pooled, "pooled")
        rate = rates.slices[key]
        usable = rate.errors is None or rate.false_positive_error is not None
        if self._noise.version == 1 or usable or rate.none_right or not self._noise.uncertain(rate):
            return rate, key
        return rates.pooled, "pooled"

    def _refusal(self, rate: Rate, pooled: bool) -> str | None:
        noise = self._noise
        if noise.version == 1 or pooled:
            return noise.refusal(rate)
        return noise.says_nothing(rate) or (noise.uncertain(rate) and noise.refusal(self.rates.pooled))

    def _uncertainty(self, rate: Rate, said: float) -> float | None:
        errors = rate.errors if self._noise.version > 1 else None
        if errors is None:
            return None
        if self._noise.method == "forward":
            return errors[1]
        return uncertainty(said, rate.false_positive, rate.missed, errors)

    def _forward(self, said: float) -> Correction:
        rates = self.rates
        if rates.differ():
            return Correction(refusal=f"{rates.source}: the rates differ by {', '.join(rates.by)}; use method backward")
        refused = self._noise.refusal(rates.pooled)
        if refused is not None:
            return Correction(refusal=f"{rates.source}: {refused}")
        return Correction(
            weight=weight(said, rates.pooled.missed),
            estimate=rates.source,
            uncertainty=self._uncertainty(rates.pooled, said),
        )
