"""Appeals: a second verifier rechecks a known share of the rejections, and the false-negative rate follows.

Each rejection is appealed with known probability, so counting an overturned one as 1/probability estimates how many
there were (Horvitz and Thompson). Sources: arXiv 2510.00915, appendix B.9, and TinyV, arXiv 2505.14625. The appeal
judge's own false alarms inflate the estimate unless its rates are given.

Until version 2 of :class:`~rewards.noise.noise.Noise` the estimate was an average of the ratios of requests; now it is
the ratio of their averages (:mod:`rewards.noise.ratio`), with an interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Self

from pydantic import Field, JsonValue, model_validator

from rewards.noise.ratio import Moments, Recheck, estimate
from rewards.schema import Share, Strict


class Appeals(Strict):
    """Who rechecks, how many, and how the estimate moves.

    ``overturn`` pays an overturned rejection as accepted; both error rates of the pair then change.
    """

    verifier: str
    params: Mapping[str, JsonValue] = {}
    share: float = Field(0.25, gt=0.0, le=1.0, description="probability that a rejection is appealed")
    overturn: bool = False
    smoothing: Literal["ema", "beta"] = Field("ema", description="a moving average, or a posterior of all counts")
    rate: float = Field(0.1, gt=0.0, le=1.0, description="weight of the newest estimate in the moving average")
    prior: tuple[float, float] = Field((1.0, 9.0), description="Beta prior: missed and found right responses")
    cap: float = Field(0.5, gt=0.0, lt=1.0, description="the estimate is never above this")
    judge_true_positive: Share = 1.0
    judge_false_positive: Share = 0.0

    @model_validator(mode="after")
    def _judge_tells_right_from_wrong(self) -> Self:
        if not self.judge_true_positive > self.judge_false_positive:
            raise ValueError("judge_true_positive must be above judge_false_positive, else an appeal says nothing")
        if min(self.prior) <= 0:
            raise ValueError("both counts of prior must be positive")
        return self


class AppealTally(NamedTuple):
    """What became of a batch: numbers of responses. ``answered`` appeals are those that got a verdict."""

    accepted: int = 0
    rejected: int = 0
    appealed: int = 0
    answered: int = 0
    overturned: int = 0


class AppealState(Strict):
    """The estimate so far: ``missed`` and ``found`` are expected numbers of right responses.

    ``moments`` are what the ratio of averages is taken of; ``interval`` is its 95% interval, None while it cannot be
    said. Without ``moments`` it is of version 1 or 2.
    """

    false_negative: Share
    missed: float = 0.0
    found: float = 0.0
    moments: Moments | None = None
    interval: tuple[Share, Share] | None = None


class Rights(NamedTuple):
    """Expected numbers of right responses in a batch: rejected by mistake, and accepted."""

    missed: float
    found: float


def rights(tally: AppealTally, appeals: Appeals, false_positive: float) -> Rights:
    """``missed = overturned / share``, less the judge's false alarms; ``found`` = accepted less false positives.

    Appeals that never got a verdict lower the share that was really rechecked.
    """
    if tally.answered == 0:
        return Rights(0.0, 0.0)
    share = appeals.share * tally.answered / tally.appealed
    alarms, hits = appeals.judge_false_positive, appeals.judge_true_positive
    missed = max((tally.overturned / share - alarms * tally.rejected) / (hits - alarms), 0.0)
    total = tally.accepted + tally.rejected
    found = (tally.accepted - false_positive * (total - missed)) / (1 - false_positive)
    return Rights(missed, max(found, 0.0))


def count_appeals(
    state: AppealState, groups: Sequence[AppealTally], appeals: Appeals, false_positive: float, step: int | None
) -> AppealState:
    """The state after the groups of a request. Requests of one step are one batch of the moving average, requests
    without a step a batch each; a posterior forgets nothing."""
    before = state.moments or Moments()
    moments = before.with_groups(
        [(tally.accepted, tally.rejected, tally.overturned) for tally in groups],
        sum(tally.appealed for tally in groups),
        sum(tally.answered for tally in groups),
        keep=1.0 if appeals.smoothing == "beta" else 1.0 - appeals.rate,
        step=step,
    )
    judge = Recheck(appeals.share, appeals.judge_true_positive, appeals.judge_false_positive)
    found = estimate(moments, judge, false_positive, appeals.prior if appeals.smoothing == "beta" else None)
    if found is None:
        return state.model_copy(update={"moments": moments})
    return AppealState(
        false_negative=min(found.rate, appeals.cap),
        missed=found.missed,
        found=found.found,
        moments=moments,
        interval=found.interval,
    )


def update_state(state: AppealState, tally: AppealTally, appeals: Appeals, false_positive: float) -> AppealState:
    """The state after a batch, by version 1 or 2; without an answered appeal, or without a right response, it stays."""
    missed, found = rights(tally, appeals, false_positive)
    if missed + found <= 0:
        return state
    total_missed, total_found = state.missed + missed, state.found + found
    if appeals.smoothing == "beta":
        prior_missed, prior_found = appeals.prior
        estimate = (prior_missed + total_missed) / (prior_missed + prior_found + total_missed + total_found)
    else:
        estimate = (1 - appeals.rate) * state.false_negative + appeals.rate * missed / (missed + found)
    return AppealState(false_negative=min(estimate, appeals.cap), missed=total_missed, found=total_found)


def residual(false_positive: float, false_negative: float, appeals: Appeals) -> tuple[float, float]:
    """Both rates of verifier and overturning appeal together: ``(false_positive, false_negative)``."""
    return (
        false_positive + (1 - false_positive) * appeals.share * appeals.judge_false_positive,
        false_negative * (1 - appeals.share * appeals.judge_true_positive),
    )
