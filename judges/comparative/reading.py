"""What a reply says of two responses that are shown as A and B, or of several that are shown as model-1 to model-n."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from judges.asking import Unreadable
from judges.comparative.standings import level

MIDDLE = 3.5
"""Of the rankings 1 (the first is much better) to 6 (the second is)."""
RANK_STEP = 1e-3
"""What a place in the ranking takes from a score: it breaks ties, and nothing else (arXiv 2506.03637)."""
_SHARES = {"A": 1.0, "tie": 0.5, "B": 0.0}


class Comparing(BaseModel):
    """What is made of the reply of a comparative preset.

    Of a pair: ``verdict`` is one of A, B and tie; ``scores`` are ``score_1``, ``score_2`` and a ``ranking`` from 1 to
    6; ``strength`` is a number, positive where A is better; ``token`` is the probability of ``A`` against ``B`` as the
    next token. ``list``: ``scores`` by name, in ``range``, and where ``ranked`` the names in ``best-to-worst``.
    ``samples`` is how many replies there are to a question; those to a list see a new order each.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    reading: Literal["verdict", "scores", "strength", "token", "list"]
    range: tuple[int, int] | None = None
    ranked: bool = False
    samples: Annotated[int, Field(ge=1, le=64)] = 1
    temperature: Annotated[float, Field(ge=0)] = 0.0
    max_tokens: int = 1024

    @model_validator(mode="after")
    def _readable(self) -> Self:
        if (self.reading == "list") != (self.range is not None):
            raise ValueError("a list has a range, and nothing else has one")
        return self

    @property
    def scores(self) -> bool:
        """Whether responses get scores, and not a preference alone."""
        return self.reading in ("scores", "strength", "list")


@dataclass(frozen=True, slots=True)
class Said:
    """Of two responses: how far the first is the better one (1, 0.5 for a tie, 0), and their scores."""

    first: float
    scores: tuple[float, float] | None = None


def of_pair(comparing: Comparing, value: Mapping[str, JsonValue]) -> Said:
    """The preset's form says that what is read here is there."""
    if comparing.reading == "verdict":
        return Said(_SHARES[str(value["verdict"])])
    if comparing.reading == "strength":
        strength = _number(value["strength"])
        return Said(share(strength), (strength, -strength))
    one, other = tie_broken(_number(value["score_1"]), _number(value["score_2"]), _number(value["ranking"]))
    return Said(share(one - other), (one, other))


def tie_broken(one: float, other: float, ranking: float) -> tuple[float, float]:
    """Equal scores are drawn apart by the ranking (NeMo Gym, genrm_compare)."""
    apart = MIDDLE - ranking if one == other else 0.0
    return one + apart, other - apart


def share(difference: float) -> float:
    """1 where the first is better by it, 0.5 for a tie, 0 where it is worse."""
    return 0.5 + sign(difference) / 2


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def names(count: int) -> list[str]:
    """As responses are masked in a list."""
    return [f"model-{number}" for number in range(1, count + 1)]


def list_check(comparing: Comparing, count: int) -> Callable[[Mapping[str, JsonValue]], None]:
    """A check of replies about ``count`` responses: every one scored once, and the ranking agrees with the scores."""
    known = names(count)

    def checked(value: Mapping[str, JsonValue]) -> None:
        scores = value["scores"]
        assert isinstance(scores, dict), "the preset's form says so"
        if set(scores) != set(known):
            raise Unreadable(f"its scores are not those of {known[0]} to {known[-1]}, each once")
        if not comparing.ranked:
            return
        order = value["best-to-worst"]
        assert isinstance(order, list), "the preset's form says so"
        if sorted(map(str, order)) != sorted(known):
            raise Unreadable("best-to-worst does not name every response once")
        ranked = [_number(scores[str(name)]) for name in order]
        if any(worse > better for better, worse in pairwise(ranked)):
            raise Unreadable("best-to-worst contradicts the scores")

    return checked


@dataclass(frozen=True, slots=True)
class Listed:
    """One reply about a list, in the order of the responses: the scores as given, and what they are worth."""

    given: Sequence[float]
    worth: Sequence[float]

    def level(self, texts: Sequence[str]) -> Listed:
        """With copies of a text worth the same: their mean."""
        worths = level(dict(enumerate(self.worth)), dict(enumerate(texts)))
        return replace(self, worth=[worths[place] for place in range(len(texts))])


def of_list(comparing: Comparing, value: Mapping[str, JsonValue], order: Sequence[int]) -> Listed:
    """``order`` has the response behind each name. Worth is the score scaled to [0, 1], less a step a rank."""
    assert comparing.range is not None, "a list has a range"
    low, high = comparing.range
    scores = value["scores"]
    ranking = value.get("best-to-worst", [])
    assert isinstance(scores, dict), "the preset's form says so"
    assert isinstance(ranking, list), "and this"
    known = names(len(order))
    ranks = {str(name): rank for rank, name in enumerate(ranking)}
    given = {place: _number(scores[name]) for place, name in zip(order, known, strict=True)}
    steps = {place: RANK_STEP * ranks.get(name, 0) for place, name in zip(order, known, strict=True)}
    places = range(len(order))
    return Listed(
        [given[place] for place in places],
        [(given[place] - low) / (high - low) - steps[place] for place in places],
    )


def _number(value: JsonValue) -> float:
    assert isinstance(value, int | float), "the preset's form says that it is a number"
    return float(value)
