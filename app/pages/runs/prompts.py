"""A run's prompts with their texts, and the same prompts in another run beside it."""

from __future__ import annotations

from collections.abc import Mapping

from app.kit.db import Database
from app.pages.runs.plots.colours import OURS
from app.pages.runs.plots.figure import RunFigure, Spot
from app.pages.runs.samples import sample_path
from app.pages.runs.views import PromptLine, PromptsView, Twin
from app.runs.contents import contents_of, prompt_of, response_of
from app.runs.prompt_rates import PromptRate, PromptRates
from app.runs.series import Series
from trueward.wire.audit import FigureLine

TWINS = 6
_TEXT = 300
_RESPONSE = 1500


async def prompts_view(db: Database, rates: PromptRates) -> PromptsView:
    ends = (rates.worst, rates.best, rates.flat)
    contents = await contents_of(db, {one.sample for part in ends for one in part})
    worst, best, flat = ([_row(one, contents) for one in part] for part in ends)
    counts = {"never_right": rates.never_right, "always_right": rates.always_right}
    return PromptsView(passed=rates.passed, prompts=rates.prompts, worst=worst, best=best, flat=flat, **counts)


def _row(one: PromptRate, contents: Mapping[str, str]) -> PromptLine:
    return PromptLine(
        text=prompt_of(contents.get(one.sample))[:_TEXT] or one.prompt,
        path=sample_path(one.record),
        records=one.records,
        rate=one.rate,
        rates=one.rates,
        varies=one.varies,
    )


async def pair_prompts(db: Database, ours: PromptRates, theirs: PromptRates) -> list[Twin]:
    """Prompts of both runs, those first on which they differ most, with the latest response of each."""
    both = sorted(
        ours.every.keys() & theirs.every.keys(),
        key=lambda prompt: (-abs(ours.every[prompt].rate - theirs.every[prompt].rate), prompt),
    )[:TWINS]
    pairs = [(ours.every[prompt], theirs.every[prompt]) for prompt in both]
    contents = await contents_of(db, {one.sample for pair in pairs for one in pair})
    return [
        Twin(
            prompt=prompt_of(contents.get(our.sample))[:_TEXT],
            ours=response_of(contents.get(our.sample))[:_RESPONSE],
            theirs=response_of(contents.get(their.sample))[:_RESPONSE],
            our_path=sample_path(our.record),
            their_path=sample_path(their.record),
            our_rate=our.rate,
            their_rate=their.rate,
        )
        for our, their in pairs
    ]


def both_runs(shown: RunFigure, other: Series, beside: str, spots: list[Spot]) -> RunFigure:
    """The mean reward of both over their steps; ``spots`` lead to the other's samples where this run has none."""
    x = [spot.x for spot in spots]
    low, high = (
        [None if point.score_ends is None else point.score_ends[side] for point in other.points] for side in (0, 1)
    )
    y = [point.score for point in other.points]
    theirs = FigureLine(name=beside, x=x, y=y, low=low, high=high)
    known = {spot.x for spot in shown.spots}
    every = sorted([*shown.spots, *(spot for spot in spots if spot.x not in known)], key=lambda spot: spot.x)
    ours = shown.lines[0].model_copy(update={"name": OURS})
    update = {"title": f"Beside {beside}", "lines": [ours, theirs], "spots": every, "note": ""}
    return shown.model_copy(update=update)
