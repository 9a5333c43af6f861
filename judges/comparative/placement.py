"""What a member of a group is told: its standing, how it came about, or why it has none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import StatisticsError, correlation, fmean

from pydantic import JsonValue

from judges.comparative.standings import Match
from judges.comparative.table import Game, Table
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

_MISSING = {Outcome.TIMEOUT: Verdict.timeout, Outcome.ABSTAINED: Verdict.abstained}


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
