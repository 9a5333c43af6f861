"""Error rates without gold: what three or more verifiers say of the same samples (Dawid and Skene 1979).

A sample counts where at least two have a verdict. Verifiers that agree beyond what independent errors explain count as
one voter (:mod:`audits.statistics.families`): fewer than three distinct ones are refused, and with three no rates
are given to recipes, since three fit any votes. The intervals are profile likelihoods of independent samples and
errors: what all verifiers get wrong together is in no rate and in no interval; only labels find it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from pydantic import JsonValue

from audits.labelled.report import prevalence
from audits.ports import Work
from audits.statistics.agreement import Agreement
from audits.statistics.arrays import Floats
from audits.statistics.consensus_intervals import profile
from audits.statistics.dawid_skene import LEAST_VOTERS, Consensus, dawid_skene
from audits.statistics.families import LEAST_DISTINCT, Family, families, pick_votes
from audits.statistics.prevalence import rogan_gladen
from audits.votes import Patterns
from rewards.noise.rates import Rate, Rates
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, Cell, ConsensusAudit, Figure, FigureLine, Table

_LEAST_VOTES = 2
_ITERATIONS, _TOLERANCE = 5000, 1e-10
_LABELS = "Label some (`trueward labels draw`, then a labelled audit)"


async def consensus(spec: ConsensusAudit, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` for fewer than three distinct verifiers, for one without any verdict, and where no
    sample was judged by two."""
    await work.progress(0, len(spec.subjects))
    patterns = await work.ledger.vote_patterns(spec.subjects, spec.population)
    names: list[str] = []
    for place, subject in enumerate(spec.subjects):
        names.append(subject.name if subject.name not in names else f"{subject.name} ({place + 1})")
    silent = [name for name, column in zip(names, patterns.votes.T, strict=True) if np.isnan(column).all()]
    if silent:
        raise InvalidRequest(
            f"{silent[0]} has accepted or rejected nothing in this population: leave it out, judge the samples with "
            "it, or give it a threshold where it gives scores without a pass line"
        )
    judged = patterns.of(patterns.cast >= _LEAST_VOTES)
    _refuse(judged, names)
    return await asyncio.to_thread(_audited, spec, f"audit:{work.id}", judged, names)


def _refuse(patterns: Patterns, names: Sequence[str]) -> None:
    alone = [name for name, column in zip(names, patterns.votes.T, strict=True) if np.isnan(column).all()]
    if not len(patterns.counts) or alone:
        raise InvalidRequest(
            f"no sample was judged by {' and by '.join(alone or names)} and by another verifier: judge the same "
            "samples with all of them"
        )
    if len(names) < LEAST_VOTERS:
        found = _agreement(patterns, 0, 1)
        raise InvalidRequest(
            f"{len(names)} verifiers cannot be told apart without labels. Both accept {found.both} of {found.items} "
            f"samples, both reject {found.neither}, and there is no majority on the other "
            f"{found.only_first + found.only_second}: give a third verifier, or labels"
        )


@dataclass(frozen=True, slots=True)
class _Fitted:
    """The fit of one vote a family, and each verifier's rates from a fit in which it has its family's seat."""

    patterns: Patterns
    names: Sequence[str]
    families: Sequence[Family]
    fit: Consensus
    rates: Sequence[Rate]

    @property
    def distinct(self) -> bool:
        """Whether shared errors of two could have been seen."""
        return len(self.families) >= LEAST_DISTINCT

    def format_family(self, family: Family) -> str:
        *first, last = (self.names[place] for place in family)
        return f"{', '.join(first)} and {last}" if first else last


def _audited(spec: ConsensusAudit, source: str, patterns: Patterns, names: Sequence[str]) -> AuditReport:
    found = families(patterns.votes, patterns.counts)
    merged = [", ".join(names[place] for place in family) for family in found if len(family) > 1]
    if len(found) < LEAST_VOTERS:
        raise InvalidRequest(
            f"{len(names)} verifiers are {len(found)} distinct voter{'s' * (len(found) > 1)}: those of a family "
            f"({'; '.join(merged)}) agree beyond what independent errors explain, and without labels nobody can tell "
            f"whether they are right together or wrong together. {_LABELS}, or give verifiers of other kinds"
        )
    seats = pick_votes(patterns.votes, found)
    fit = _fit(seats, patterns.counts, spec)
    rates = [_rate(spec, patterns, found, place) for place in range(len(names))]
    return _report(spec, source, _Fitted(patterns, names, found, fit, rates))


def _fit(seats: Floats, counts: Floats, spec: ConsensusAudit) -> Consensus:
    smoothing = float(spec.smoothing)
    return dawid_skene(seats, counts=counts, smoothing=smoothing, iterations=_ITERATIONS, tolerance=_TOLERANCE)


def _rate(spec: ConsensusAudit, patterns: Patterns, found: Sequence[Family], voter: int) -> Rate:
    """The expected numbers of wrong and right samples among those that it judged stand for labels."""
    seat = next(place for place, family in enumerate(found) if voter in family)
    seats = pick_votes(patterns.votes, found)
    seats[:, seat] = patterns.votes[:, voter]
    fit = _fit(seats, patterns.counts, spec)
    judged = ~np.isnan(seats[:, seat])
    wrong, right = (float(mass) for mass in patterns.counts[judged] @ fit.posterior[judged])
    ends = profile(
        np.where(np.isnan(seats), -1, seats).astype(np.int64),
        patterns.counts,
        float(fit.prior[1]),
        np.stack([fit.confusion[:, 0, 1], fit.confusion[:, 1, 0]], axis=1),
        seat,
        smoothing=float(spec.smoothing),
        level=spec.level,
    )
    return Rate(
        false_positive=fit.false_positive_rate(seat),
        false_negative=fit.false_negative_rate(seat),
        false_positive_interval=ends.false_positive,
        false_negative_interval=ends.false_negative,
        right=round(right),
        wrong=round(wrong),
    )


def _report(spec: ConsensusAudit, source: str, fitted: _Fitted) -> AuditReport:
    patterns, names, fit, rates = fitted.patterns, fitted.names, fitted.fit, fitted.rates
    passing = [_passing(rate, patterns, place, spec.level) for place, rate in enumerate(rates)]
    pairs = {
        (names[one], names[other]): _agreement(patterns, one, other)
        for one, other in combinations(range(len(names)), 2)
    }
    samples = int(patterns.counts.sum())
    everywhere = patterns.cast == len(names)
    shared = {
        (fitted.format_family(fitted.families[one]), fitted.format_family(fitted.families[other])): value
        for (one, other), value in fit.shared_errors.items()
    }
    found: dict[str, JsonValue] = {
        "samples": samples,
        "judged_by_all": int(patterns.counts[everywhere].sum()),
        "right_share": float(patterns.counts @ fit.posterior[:, 1] / samples),
        "iterations": fit.iterations,
        "converged": fit.converged,
        "flipped": fit.flipped,
        "distinct": len(fitted.families),
        "families": [[names[place] for place in family] for family in fitted.families],
        "verifiers": [
            {**rate.model_dump(mode="json"), "name": name, "youden": rate.index, "true_pass_rate": share}
            for name, rate, share in zip(names, rates, passing, strict=True)
        ],
        "pairs": [
            {"first": one, "second": other, "items": pair.items, "agreement": pair.share, "kappa": pair.kappa}
            for (one, other), pair in pairs.items()
        ],
        "shared_errors": [
            {"first": one, "second": other, "correlation": value} for (one, other), value in shared.items()
        ],
    }
    return AuditReport(
        findings=found,
        rates=Rates(source=source, pooled=rates[0]).model_dump(mode="json") if fitted.distinct else None,
        origins={"consensus": samples},
        tables=[_rates_table(names, rates), _pairs_table(pairs, shared)],
        figures=[_bars("false-positive", names, rates), _bars("false-negative", names, rates)],
        notes=_notes(fitted),
    )


def _agreement(patterns: Patterns, one: int, other: int) -> Agreement:
    votes, counts = patterns.votes, patterns.counts
    counted = [counts[(votes[:, one] == a) & (votes[:, other] == b)].sum() for a, b in ((1, 1), (0, 0), (1, 0), (0, 1))]
    return Agreement(*(int(count) for count in counted))


def _passing(rate: Rate, patterns: Patterns, voter: int, level: float) -> JsonValue:
    """The true share of right samples by this verifier alone (Rogan and Gladen); None where it says nothing."""
    column = patterns.votes[:, voter]
    judged = ~np.isnan(column)
    items = float(patterns.counts[judged].sum())
    if not (rate.index > 0 and rate.wrong and rate.right):
        return None
    found = rogan_gladen(
        float(patterns.counts[judged] @ column[judged]) / items,
        round(items),
        rate.false_positive,
        rate.false_negative,
        wrong=rate.wrong,
        right=rate.right,
        level=level,
    )
    return prevalence(found)


def _notes(fitted: _Fitted) -> list[str]:
    """What only labels can cure comes first."""
    notes = [
        "no label is behind these rates: errors that all these verifiers share are in no rate and in no interval, and "
        f"only labels find them. {_LABELS}"
    ]
    notes += [
        f"{fitted.format_family(family)} share errors, or are free of them: they agree beyond what independent errors "
        "explain, and count as one voter"
        for family in fitted.families
        if len(family) > 1
    ]
    if not fitted.distinct:
        notes.append(
            f"no rates for recipes: of {len(fitted.families)} distinct voters shared errors of two cannot be seen, "
            f"since three fit any votes; give {LEAST_DISTINCT} of different kinds, or labels"
        )
    if fitted.fit.warnings:
        numbered = ", ".join(
            f"{place} is {fitted.format_family(family)}" for place, family in enumerate(fitted.families)
        )
        notes += [*fitted.fit.warnings, f"in these warnings {numbered}"]
    return notes


def _rates_table(names: Sequence[str], rates: Sequence[Rate]) -> Table:
    rows: list[list[Cell]] = [
        [
            name,
            rate.false_positive,
            *(rate.false_positive_interval or (None, None)),
            rate.false_negative,
            *(rate.false_negative_interval or (None, None)),
            rate.index,
        ]
        for name, rate in zip(names, rates, strict=True)
    ]
    shares = ["false positive", "FP low", "FP high", "false negative", "FN low", "FN high"]
    return Table(title="Error rates without gold", columns=["verifier", *shares, "J"], rows=rows, shares=shares)


def _pairs_table(pairs: Mapping[tuple[str, str], Agreement], shared: Mapping[tuple[str, str], float]) -> Table:
    return Table(
        title="Pairwise agreement",
        columns=["first", "second", "samples", "agree", "kappa", "shared errors"],
        rows=[
            [one, other, pair.items, pair.share, pair.kappa, shared.get((one, other))]
            for (one, other), pair in pairs.items()
        ],
        shares=["agree"],
        note="shared errors: how much more they agree than independent errors explain, as a correlation; empty for "
        "verifiers that count as one with another",
    )


def _bars(kind: str, names: Sequence[str], rates: Sequence[Rate]) -> Figure:
    positive = kind == "false-positive"
    lines = []
    for place, (name, rate) in enumerate(zip(names, rates, strict=True)):
        value = rate.false_positive if positive else rate.false_negative
        low, high = (rate.false_positive_interval if positive else rate.false_negative_interval) or (value, value)
        lines.append(FigureLine(name=name, x=[place], y=[value], low=[low], high=[high]))
    return Figure(kind="bars", title=f"Estimated {kind} rate", y=f"{kind} rate", lines=lines)
