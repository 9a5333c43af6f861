"""The comparisons of one group: who was asked about, what was said, and whose doing it is where nothing could be read.

A comparison that no reply can be read of is the doing of one of its texts, or of the judge. Each of them is therefore
compared with a harmless response: whoever makes the judge fail there too is ``invalid``. Where none does, a response
that fails against most others, which can be compared among themselves, is to blame, or the one without which a list
can be read. What remains is nobody's, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from judges.comparative.contestants import as_baseline
from judges.comparative.reading import share
from judges.comparative.standings import Match
from judges.failure_verdicts import HARMLESS, is_to_blame
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers.grouped import Ask
from verifiers.scope import Scope

Game = tuple[int, ...]
"""Members that are compared in one question; one alone is compared with a harmless response."""
_BY_THE_TEXTS = frozenset({"judge_malformed", "unjudgeable", "unaskable", "too_long", "prompt_too_long"})
_BY_ONE_TEXT = frozenset({"model_unavailable", "not_finite"})
"""How a comparison may end because of its texts where others are answered: else the model is away."""


class Table:
    """``said`` is the verdict of ``compare`` on each game: of its first member against the others."""

    def __init__(self, members: Sequence[Sample], scope: Scope, ask: Ask) -> None:
        self.said: dict[Game, Verdict] = {}
        self._members = members
        self._scope = scope
        self._ask = ask

    async def play(self, games: Iterable[Game]) -> None:
        """Has those compared that were not yet."""
        new = [game for game in dict.fromkeys(games) if game not in self.said]
        verdicts = await self._ask([(game[0], self._sample(game)) for game in new]) if new else []
        self.said |= zip(new, verdicts, strict=True)

    async def spoilers(self, games: Sequence[Game]) -> dict[int, Verdict]:
        """The members that made comparisons fail, with their verdicts."""
        unread = [game for game in games if self.is_unread(game)]
        suspects = sorted({place for game in unread for place in game})
        await self.play((place,) for place in suspects)
        found = {place: self.said[place,] for place in suspects if self.said[place,].outcome is Outcome.INVALID}
        if found or not unread:
            return found
        blamed = await self._spoiler_of_list(unread[0]) if len(unread[0]) > 2 else self._selective(games, suspects)
        reason = "the judge cannot compare this response with others of its group, and can compare those"
        return {} if blamed is None else {blamed: Verdict.invalid("unjudgeable", reason)}

    def is_unread(self, game: Game) -> bool:
        code = self.said[game].reason_code
        return code in _BY_THE_TEXTS or (code in _BY_ONE_TEXT and any(map(self._told, self.said)))

    def _selective(self, games: Sequence[Game], suspects: Sequence[int]) -> int | None:
        """Who fails in most of its comparisons, and hardly by chance, as the others' comparisons go."""
        found = []
        for place in suspects:
            own = [self.is_unread(game) for game in games if place in game]
            others = [self.is_unread(game) for game in games if place not in game]
            most = 2 * sum(own) > len(own) and not all(others)
            if most and is_to_blame(sum(own), len(others), sum(others)):
                found.append((sum(own), place))
        return max(found)[1] if found else None

    async def _spoiler_of_list(self, game: Game) -> int | None:
        """The one without which the list can be read."""
        rest = {place: tuple(one for one in game if one != place) for place in game}
        await self.play(rest.values())
        read = [place for place, others in rest.items() if self._told(others)]
        return read[0] if len(read) == 1 else None

    def matches(self, games: Iterable[Game]) -> list[Match]:
        """What was said, by pairs."""
        told = [game for game in games if self._told(game)]
        return [match for game in told for match in _matches(game, self.said[game].evidence)]

    def _told(self, game: Game) -> bool:
        """Whether the judge said who is better; a threshold of ``compare`` changes nothing."""
        verdict = self.said[game]
        return verdict.outcome is not Outcome.INVALID and not verdict.outcome.missing

    def _sample(self, game: Game) -> Sample:
        others = [as_baseline(self._members[place], self._scope) for place in game[1:]] or [HARMLESS[1]]
        return self._members[game[0]].model_copy(update={"baselines": others})


def _matches(game: Game, evidence: Mapping[str, JsonValue]) -> list[Match]:
    if len(game) > 2:
        return _of_list(game, evidence)
    [preference], [agreed] = _numbers(evidence["preferences"]), _numbers(evidence["agreed"])
    scores = _pairs(evidence["scores"])[0] if "scores" in evidence else None
    return [Match(game[0], game[1], preference, int(agreed), evidence["flip_rate"] == 0, scores)]


def _of_list(game: Game, evidence: Mapping[str, JsonValue]) -> list[Match]:
    """Everyone with everyone, by the scores in the list."""
    pairs = _pairs(evidence["scores"])
    worths = [pairs[0][0], *(other for _, other in pairs)]
    return [
        Match(game[one], game[other], share(worths[one] - worths[other]), scores=(worths[one], worths[other]))
        for one in range(len(game))
        for other in range(one + 1, len(game))
    ]


def _pairs(value: JsonValue) -> list[tuple[float, float]]:
    assert isinstance(value, list), "compare says so"
    found = [_numbers(one) for one in value]
    return [(one, other) for one, other in found]


def _numbers(value: JsonValue) -> list[float]:
    assert isinstance(value, list), "compare says so"
    return [float(one) for one in value if isinstance(one, int | float)]
