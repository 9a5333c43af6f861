"""Which prompts of a run are hard, brittle or without a signal, by the success rates of their latest groups."""

from __future__ import annotations

import heapq
import statistics
from collections.abc import Sequence

from app.prompts.repository import History, PromptsRepository
from trueward.errors import NotFound
from trueward.wire.prompt import PromptList, PromptPage, PromptView

HARD = 0.25
"""Hard but solvable: right sometimes, and at most at this mean rate."""

EASY = 0.75
"""Easy: right at least at this mean rate; brittle where a group was right at ``FELL`` or less all the same."""

FELL = 0.5
FLAT = 2
"""Groups in a row without any variance from which on a prompt teaches nothing."""

_AT_ONCE = 2000


class Prompts:
    def __init__(self, repository: PromptsRepository) -> None:
        self._repository = repository

    async def page(self, run: str, which: PromptList, after: str | None, limit: int) -> PromptPage:
        """A page of a list, from behind the prompt ``after``. Raises :class:`NotFound` where that is none of the run's.

        All prompts of the run are read, in parts; what a page does not show is not kept.
        """
        behind = await self._rank_of(run, after, which) if after is not None else None
        best: list[tuple[tuple[float, str], PromptView]] = []
        last: str | None = None
        while part := await self._repository.part_of_run(run, last, _AT_ONCE):
            last = part[-1].prompt
            listed = [view for view in map(_view, part) if _belongs(view, which)]
            ranked = [(_rank(view, which), view) for view in listed]
            following = [pair for pair in ranked if behind is None or pair[0] > behind]
            best = heapq.nsmallest(limit + 1, [*best, *following], key=lambda pair: pair[0])
        prompts = [view for _, view in best[:limit]]
        return PromptPage(prompts=prompts, next=prompts[-1].prompt if len(best) > limit else None)

    async def _rank_of(self, run: str, prompt: str, which: PromptList) -> tuple[float, str]:
        found = await self._repository.of_run(run, [prompt])
        if not found:
            raise NotFound(f"run {run[:100]!r} has no prompt {prompt[:100]!r} to go on after")
        return _rank(_view(found[0]), which)


def _view(history: History) -> PromptView:
    rates: Sequence[float] = history.rates
    return PromptView(
        prompt=history.prompt,
        labelled=history.labelled,
        rates=[*rates],
        groups=history.groups,
        difficulty=1 - statistics.fmean(rates),
        lowest=min(rates),
        streak=history.streak,
    )


def _belongs(view: PromptView, which: PromptList) -> bool:
    mean = 1 - view.difficulty
    if which == "hard":
        return max(view.rates) > 0 and mean <= HARD
    if which == "brittle":
        return mean >= EASY and view.lowest <= FELL
    return view.streak >= FLAT if which == "flat" else True


def _rank(view: PromptView, which: PromptList) -> tuple[float, str]:
    """Smaller comes first: the hardest, the most brittle, the longest without variance; then by name."""
    first = {"difficulty": -view.difficulty, "hard": -view.difficulty, "brittle": view.lowest, "flat": -view.streak}
    return first[which], view.prompt
