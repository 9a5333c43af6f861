"""What judging costs: seconds of work in a lane, by verifier, learned from the verdicts that were judged.

Two moving means a verifier (by name and parameters): how many of its samples reach its lane (the others are judged at
once, or known from before), and how long the lane works on one of them. What nothing is known of is taken to be cheap:
an estimate is made to refuse what would surely be late, so it may be low and not high.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from trueward.authoring.verifier import Verifier
from trueward.wire.verdict import Outcome, Verdict

_KEPT = 1000
_LATEST = 0.05
"""Share that the latest sample has in a mean."""

_PRIOR_S = {"cpu": 1e-3, "sandbox": 0.1, "model": 0.01}
_OURS = frozenset({Outcome.TIMEOUT, Outcome.ERROR})


@dataclass(slots=True)
class _Means:
    reach: float
    seconds: float


@dataclass(frozen=True, slots=True)
class LaneLoad:
    """The expected load that some samples put on a lane: their number and seconds of work."""

    items: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: LaneLoad) -> LaneLoad:
        return LaneLoad(self.items + other.items, self.seconds + other.seconds)


class Costs:
    """Running means of the verifiers that were asked most recently. All others start without data."""

    def __init__(self) -> None:
        self._known = lru_cache(_KEPT)(_first_means)

    def record_reach(self, verifier: Verifier, *, reached: bool) -> None:
        """A sample had to go to the lane, or had not."""
        means = self._means(verifier)
        means.reach += _LATEST * (reached - means.reach)

    def record_verdict(self, verifier: Verifier, verdict: Verdict) -> None:
        """A lane has worked on a sample; one that it did not get to, or failed at, tells nothing."""
        if verdict.outcome not in _OURS:
            means = self._means(verifier)
            means.seconds += _LATEST * (verdict.elapsed_s - means.seconds)

    def item_s(self, verifier: Verifier) -> float:
        """Seconds that its lane works on one item."""
        return self._means(verifier).seconds

    def load(self, verifier: Verifier, samples: int) -> LaneLoad:
        """The expected load of so many samples on the verifier's lane."""
        means = self._means(verifier)
        items = samples * means.reach
        return LaneLoad(items, items * means.seconds)

    def estimate_cost_s(self, wanted: Iterable[tuple[Verifier, int]]) -> float:
        """Seconds of work in all lanes, for so many samples of each verifier."""
        return sum(self.load(verifier, samples).seconds for verifier, samples in wanted)

    def _means(self, verifier: Verifier) -> _Means:
        return self._known(verifier.producer.name, verifier.producer.params, verifier.lane)


def _first_means(name: str, params: str, lane: str) -> _Means:
    """Of a verifier that nothing is known of."""
    return _Means(0.0, _PRIOR_S.get(lane, 0.0))
