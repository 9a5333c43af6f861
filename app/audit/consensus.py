"""Error rates without gold: what three or more verifiers say of the same samples (Dawid and Skene 1979).

A sample counts where at least two have a verdict. The intervals are Wilson's at the expected numbers of right and wrong
samples: errors that verifiers share are not in them, nor is it that the truth was estimated, so they are too narrow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import JsonValue

from app.audit.labelled.records import read_records
from app.audit.labelled.report import prevalence
from app.audit.statistics.agreement import Agreement, agreement, pairwise
from app.audit.statistics.arrays import Floats
from app.audit.statistics.dawid_skene import LEAST_VOTERS, Consensus, dawid_skene
from app.audit.statistics.prevalence import rogan_gladen
from app.audit.statistics.proportion import wilson
from app.audit.statistics.rates import rates_of
from app.audit.work import Work
from rewards.noise.rates import Rate
from trueward.audits import AuditReport, Cell, ConsensusAudit, Figure, Line, Table
from trueward.errors import InvalidRequest

_LEAST_VOTES = 2


async def consensus(spec: ConsensusAudit, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` for fewer than three verifiers, for one without any verdict, and where no sample
    was judged by two."""
    said: dict[str, dict[str, float]] = {}
    for place, subject in enumerate(spec.subjects):
        await work.progress(place, len(spec.subjects))
        records = await read_records(work.db, subject, spec.population)
        name = subject.name if subject.name not in said else f"{subject.name} ({place + 1})"
        said[name] = records.last_words()
        if not said[name]:
            raise InvalidRequest(
                f"{name} has accepted or rejected nothing in this population: leave it out, judge the samples with it, "
                "or give it a threshold where it gives scores without a pass line"
            )
    votes = await asyncio.to_thread(_votes, list(said.values()))
    _refuse(votes, list(said))
    return await asyncio.to_thread(_fitted, spec, f"audit:{work.id}", votes, list(said))


def _votes(said: Sequence[Mapping[str, float]]) -> Floats:
    """Samples x verifiers, NaN where one is missing; samples with fewer than two verdicts are left out."""
    samples = list(dict.fromkeys(sample for words in said for sample in words))
    votes = np.array([[words.get(sample, np.nan) for words in said] for sample in samples])
    kept: Floats = votes[np.count_nonzero(~np.isnan(votes), axis=1) >= _LEAST_VOTES]
    return kept


def _refuse(votes: Floats, names: Sequence[str]) -> None:
    alone = [name for name, column in zip(names, votes.T, strict=True) if np.isnan(column).all()]
    if not len(votes) or alone:
        raise InvalidRequest(
            f"no sample was judged by {' and by '.join(alone or names)} and by another verifier: judge the same "
            "samples with all of them"
        )
    if len(names) < LEAST_VOTERS:
        found = agreement(votes[:, 0], votes[:, 1])
        raise InvalidRequest(
            f"{len(names)} verifiers cannot be told apart without labels. Both accept {found.both} of {found.items} "
            f"samples, both reject {found.neither}, and there is no majority on the other "
            f"{found.only_first + found.only_second}: give a third verifier, or labels"
        )


def _fitted(spec: ConsensusAudit, source: str, votes: Floats, names: Sequence[str]) -> AuditReport:
    level = spec.level
    fit = dawid_skene(votes, smoothing=float(spec.smoothing))
    right = fit.posterior[:, 1]
    rates = [_rate(fit, votes, place, level) for place in range(len(names))]
    passing = [_passing(rate, votes[:, place], level) for place, rate in enumerate(rates)]
    pairs = pairwise(dict(zip(names, votes.T, strict=True)))
    found: dict[str, JsonValue] = {
        "samples": len(votes),
        "judged_by_all": int(np.count_nonzero(~np.isnan(votes).any(axis=1))),
        "right_share": float(right.mean()),
        "iterations": fit.iterations,
        "converged": fit.converged,
        "flipped": fit.flipped,
        "verifiers": [
            {**rate.model_dump(mode="json"), "name": name, "youden": rate.index, "true_pass_rate": share}
            for name, rate, share in zip(names, rates, passing, strict=True)
        ],
        "pairs": [
            {"first": one, "second": other, "items": pair.items, "agreement": pair.share, "kappa": pair.kappa}
            for (one, other), pair in pairs.items()
        ],
        "shared_errors": [
            {"first": names[one], "second": names[other], "correlation": value}
            for (one, other), value in fit.shared_errors.items()
        ],
    }
    return AuditReport(
        findings=found,
        rates=rates_of(source, rates[0]).model_dump(mode="json"),
        origins={"consensus": len(votes)},
        tables=[_rates_table(names, rates), _pairs_table(pairs, fit, names)],
        figures=[_bars("false-positive", names, rates), _bars("false-negative", names, rates)],
        notes=_notes(fit, names),
    )


def _rate(fit: Consensus, votes: Floats, voter: int, level: float) -> Rate:
    """The expected numbers of wrong and right samples among those that it judged stand for labels."""
    judged = fit.posterior[~np.isnan(votes[:, voter])]
    wrong, right = (float(mass) for mass in judged.sum(axis=0))
    positive, negative = fit.false_positive_rate(voter), fit.false_negative_rate(voter)
    return Rate(
        false_positive=positive,
        false_negative=negative,
        false_positive_interval=wilson(positive * wrong, wrong, level),
        false_negative_interval=wilson(negative * right, right, level),
        right=round(right),
        wrong=round(wrong),
    )


def _passing(rate: Rate, votes: Floats, level: float) -> JsonValue:
    """The true share of right samples by this verifier alone (Rogan and Gladen); None where it says nothing."""
    cast = votes[~np.isnan(votes)]
    if not (rate.index > 0 and rate.wrong and rate.right):
        return None
    found = rogan_gladen(
        float(cast.mean()),
        len(cast),
        rate.false_positive,
        rate.false_negative,
        wrong=rate.wrong,
        right=rate.right,
        level=level,
    )
    return prevalence(found)


def _notes(fit: Consensus, names: Sequence[str]) -> list[str]:
    numbered = ", ".join(f"{place} is {name}" for place, name in enumerate(names))
    notes = [
        "no label is behind these rates: they hold if the verifiers err independently given the truth, and their "
        "intervals know of no other case"
    ]
    if fit.warnings:
        notes += [*fit.warnings, f"in these warnings {numbered}"]
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


def _pairs_table(pairs: Mapping[tuple[str, str], Agreement], fit: Consensus, names: Sequence[str]) -> Table:
    place = {name: number for number, name in enumerate(names)}
    return Table(
        title="Pairwise agreement",
        columns=["first", "second", "samples", "agree", "kappa", "shared errors"],
        rows=[
            [one, other, pair.items, pair.share, pair.kappa, fit.shared_errors.get((place[one], place[other]))]
            for (one, other), pair in pairs.items()
        ],
        shares=["agree"],
        note="shared errors: how much more they agree than independent errors explain, as a correlation",
    )


def _bars(kind: str, names: Sequence[str], rates: Sequence[Rate]) -> Figure:
    positive = kind == "false-positive"
    lines = []
    for place, (name, rate) in enumerate(zip(names, rates, strict=True)):
        value = rate.false_positive if positive else rate.false_negative
        low, high = (rate.false_positive_interval if positive else rate.false_negative_interval) or (value, value)
        lines.append(Line(name=name, x=[place], y=[value], low=[low], high=[high]))
    return Figure(kind="bars", title=f"Estimated {kind} rate", y=f"{kind} rate", lines=lines)
