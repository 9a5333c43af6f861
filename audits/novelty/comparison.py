"""Earlier responses of a run held against later ones."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from audits.novelty.clusters import clusters
from audits.novelty.phrases import phrases
from audits.novelty.response_features import ResponseFeatures
from audits.novelty.rises import SHOWN, Sides, rises
from trueward.wire.change import RunChanges


def compare(run: str, since: int, before: Sequence[ResponseFeatures], after: Sequence[ResponseFeatures]) -> RunChanges:
    """Both in order; what rose most comes first. Without responses on one side nothing rose."""
    sides = Sides.of(before, after)
    return RunChanges(
        run=run,
        since=since,
        before=len(before),
        after=len(after),
        reward_before=_mean(before),
        reward_after=_mean(after),
        reasons=rises(sides, lambda one: [one.reason])[:SHOWN],
        forms=rises(sides, lambda one: one.forms)[:SHOWN],
        phrases=phrases(sides),
        clusters=clusters(sides),
    )


def _mean(said: Sequence[ResponseFeatures]) -> float | None:
    known = [one.reward for one in said if one.reward is not None]
    return fmean(known) if known else None
