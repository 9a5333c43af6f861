"""``tournament``: the members of a group compared with each other by ``compare``, and their standings as scores.

Who is compared with whom, and what is made of it, are parameters; the order in which members come in the request is
not: the ring and the reference are drawn from the responses themselves. Scores are as each method defines them, and
are relative to the group: the same response scores otherwise in other company. Copies in one group score the same. A
response alone in its group is ``abstained``.

Not covered: length as a price (a recipe's shaping; the evidence says how far standings go with it).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import combinations, pairwise
from statistics import StatisticsError, correlation, fmean
from typing import ClassVar, Literal, Self

from pydantic import Field, JsonValue, model_validator

from judges.base import stamp_producer
from judges.comparative.compare import CompareParams, CompareVerifier
from judges.comparative.contestants import as_baseline, part_of
from judges.comparative.orders import orders
from judges.comparative.standings import (
    Match,
    balance,
    bradley_terry,
    elo,
    level,
    mean_scores,
    score_against,
    win_rates,
)
from judges.comparative.table import Game, Table
from judges.failure_verdicts import HARMLESS
from trueward.authoring.verifier import Abstain, Example, Params
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from trueward.wire.verifier import Scale
from verifiers.grouped import Ask, GroupVerifier

Aggregate = Literal["win_rate", "mean", "bradley_terry", "elo", "brpo"]
_MISSING = {Outcome.TIMEOUT: Verdict.timeout, Outcome.ABSTAINED: Verdict.abstained}


class TournamentParams(Params):
    compare: CompareParams = Field(
        default_factory=CompareParams, description="how responses are compared: the parameters of `compare`"
    )
    pairs: Literal["circular", "all"] = Field(
        "circular",
        description="who meets: two neighbours in a drawn ring, or everyone; presets of lists show all at once",
    )
    aggregate: Aggregate = Field("win_rate", description="what is made of the comparisons")
    seed: int | None = Field(None, description="draws another ring, reference or order of rating")

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        comparing = self.compare.comparing
        if self.aggregate == "mean" and not comparing.scores:
            raise ValueError(f"a mean is one of scores, and the preset {self.compare.preset!r} gives none: `win_rate`?")
        if self.aggregate == "brpo" and comparing.reading == "list":
            raise ValueError(f"brpo compares with one reference, and the preset {self.compare.preset!r} shows a list")
        return self


class TournamentVerifier(GroupVerifier[TournamentParams]):
    name: ClassVar[str] = "tournament"
    summary: ClassVar[str] = "The standing of a response among those of its group, compared by a model"
    version: ClassVar[str] = "8"
    scale: ClassVar[Scale] = "unbounded"
    Params: ClassVar[type[Params]] = TournamentParams
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(prompt="Name a prime.", response="It is 7."), outcome="abstained"),
        Example(sample=Sample(prompt="Name a prime.", response=""), outcome="invalid"),
    )

    def __init__(self, params: TournamentParams | None = None) -> None:
        super().__init__(params)
        preset = self.inner.preset
        self.producer = self.producer.model_copy(update={"version": f"{self.version}-{preset.stamp}"})

    @cached_property
    def inner(self) -> CompareVerifier:
        return CompareVerifier(self.params.compare)

    def of_models(self, stamp: str) -> Self:
        """As :meth:`judges.base.ModelVerifier.of_models`, of the verifier that compares, too."""
        made = copy(self)
        made.__dict__["inner"] = self.inner.of_models(stamp)
        made.producer = stamp_producer(self.producer, stamp)
        return made

    def judge_alone(self) -> Verdict:
        return Verdict.abstained("group_of_one", "a response alone in its group has nothing to be compared with")

    async def together(
        self, members: Sequence[Sample], size: int, ask: Ask, known: Mapping[int, Verdict]
    ) -> list[Verdict]:
        table = Table(members, self.params.compare.scope, ask)
        unfit = [(place, known.get(place) or self._unfit(sample)) for place, sample in enumerate(members)]
        found = {place: verdict for place, verdict in unfit if verdict is not None}
        ring = self._ring(members)
        while True:
            fit = [place for place in ring if place not in found]
            games = self._games(fit)
            await table.play(games)
            spoilers = await table.spoilers(games)
            if not spoilers:
                break
            found |= spoilers
        found |= self._placed(members, fit, games, table)
        elapsed_s = sum(verdict.elapsed_s for verdict in table.said.values()) / size
        return [found[place].model_copy(update={"elapsed_s": elapsed_s}) for place in range(size)]

    def _unfit(self, sample: Sample) -> Verdict | None:
        """What is said of a response before a model is asked."""
        try:
            said = self.inner.triage(sample.model_copy(update={"baselines": [HARMLESS[1]]}))
        except Abstain as refusal:
            return Verdict.abstained(refusal.reason_code, refusal.reason)
        return said if isinstance(said, Verdict) else None

    def _ring(self, members: Sequence[Sample]) -> list[int]:
        texts = [as_baseline(sample, self.params.compare.scope) for sample in members]
        return orders(texts, 1, self.params.seed)[0]

    def _games(self, fit: Sequence[int]) -> list[Game]:
        """Two are always compared in the ring's order: so nothing is asked again when another drops out."""
        if len(fit) < 2:
            return []
        if self.inner.comparing.reading == "list":
            return [tuple(fit)]
        if self.params.aggregate == "brpo":
            return [(fit[0], other) for other in fit[1:]]
        if self.params.pairs == "all" or len(fit) == 2:
            return list(combinations(fit, 2))
        return [*pairwise(fit), (fit[0], fit[-1])]

    def _placed(
        self, members: Sequence[Sample], fit: Sequence[int], games: Sequence[Game], table: Table
    ) -> dict[int, Verdict]:
        if not games:
            return {place: self.judge_alone() for place in fit}
        matches = table.matches(games)
        standings = self._standings(matches, fit)
        if standings is None:
            detail = "comparisons are missing that would tie the group together"
            return {place: Verdict.abstained("disconnected", detail) for place in fit}
        texts = {place: part_of(members[place], self.params.compare.scope) for place in standings}
        standings = level(standings, texts, fit[0] if self.params.aggregate == "brpo" else None)
        shared = self._shared(members, fit, standings)
        return {
            place: self._verdict(
                standings[place], {**describe_matches(place, matches), **shared, **sum_usage(place, table.said)}
            )
            if place in standings
            else report_uncompared(place, games, table)
            for place in fit
        }

    def _standings(self, matches: Sequence[Match], fit: Sequence[int]) -> dict[int, float] | None:
        """None where the comparisons do not tie the group together."""
        match self.params.aggregate:
            case "win_rate":
                return win_rates(matches)
            case "mean":
                return mean_scores(matches)
            case "bradley_terry":
                return bradley_terry(matches)
            case "elo":
                return elo(matches, self.params.seed)
            case "brpo":
                return score_against(matches, fit[0])

    def _shared(
        self, members: Sequence[Sample], fit: Sequence[int], standings: Mapping[int, float]
    ) -> dict[str, JsonValue]:
        """What evidence says of the whole group."""
        evidence: dict[str, JsonValue] = {"length_correlation": length_correlation(members, standings)}
        if self.params.aggregate != "brpo":
            return evidence
        return {**evidence, "reference": fit[0], "balance": balance(standings.values())}

    def _verdict(self, score: float, evidence: dict[str, JsonValue]) -> Verdict:
        return Verdict.scored(score, "placed", f"{self.params.aggregate} {score:.4g} in its group", evidence=evidence)


def describe_matches(place: int, matches: Iterable[Match]) -> dict[str, JsonValue]:
    """The matches of a member as evidence tells them: opponents by their position in the group."""
    own = [match for match in matches if place in (match.one, match.other)]
    first = [match.one == place for match in own]
    pairs = list(zip(own, first, strict=True))
    evidence: dict[str, JsonValue] = {
        "opponents": [match.other if is_first else match.one for match, is_first in pairs],
        "preferences": [match.preference if is_first else 1 - match.preference for match, is_first in pairs],
        "flip_rate": fmean(not match.consistent for match in own) if own else None,
    }
    scores = [match.scores[0 if is_first else 1] for match, is_first in pairs if match.scores is not None]
    return {**evidence, "scores": [*scores]} if scores else evidence


def sum_usage(place: int, said: Mapping[Game, Verdict]) -> dict[str, JsonValue]:
    """What its questions took: each is counted with the one member that it was asked about first."""
    usages = [verdict.evidence.get("usage") for game, verdict in said.items() if game[0] == place]
    found: dict[str, float] = {}
    for usage in usages:
        for name, value in usage.items() if isinstance(usage, dict) else ():
            found[name] = found.get(name, 0) + (value if isinstance(value, int | float) else 0)
    return {"usage": dict(found)} if found else {}


def length_correlation(members: Sequence[Sample], standings: Mapping[int, float]) -> float | None:
    """Of standings and lengths (tokens where all are told, else characters); None where either is the same for all."""
    there = [members[place] for place in standings]
    tokens = [sample.tokens for sample in there if sample.tokens is not None]
    lengths = tokens if len(tokens) == len(there) else [len(sample.response_text) for sample in there]
    try:
        return correlation(lengths, list(standings.values()))
    except StatisticsError:
        return None


def report_uncompared(place: int, games: Iterable[Game], table: Table) -> Verdict:
    """The verdict on a member that no comparison says anything of, through no doing of its own."""
    failed = [table.said[game] for game in games if place in game]
    verdict = next((one for one in failed if one.outcome.missing), None)
    if verdict is None:
        return Verdict.error("judge_malformed", "no comparison of this response could be read")
    make = _MISSING.get(verdict.outcome, Verdict.error)
    return make(verdict.reason_code, f"no comparison of this response came to an end: {verdict.reason}"[:300])
