"""A labelled audit as its report: findings, tables, figures, and what to hold against them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import JsonValue

from audits.labelled import figures, tables
from audits.labelled.features import REASON
from audits.labelled.measured import Items, Labelled, MeasuredRate, Metric
from audits.labelled.records import Records
from audits.labelled.scores import Curve
from audits.labelled.slices import SliceRate
from audits.statistics.calibration import Calibration
from audits.statistics.confusion import Confusion
from audits.statistics.drawn import DrawnRate
from audits.statistics.label_errors import LabelErrors
from audits.statistics.prevalence import Prevalence
from audits.subject_verdict import format_reasons
from rewards.noise.noise import LATEST, Noise
from rewards.noise.rates import Fate, Rates, fate
from trueward.wire.audit import AuditReport, Subject

_NAMED = 5


@dataclass(frozen=True, slots=True)
class LabelledFindings:
    """All that was found. ``passing`` is the true pass rate of the population, or why it is not known."""

    subject: Subject
    records: Records
    labelled: Labelled
    found: MeasuredRate
    passing: Prevalence | str
    sliced: Sequence[SliceRate]
    curve: Curve | None
    calibrations: dict[str, Calibration]
    rates: Rates
    origins: dict[str, int]
    notes: list[str]


def report(audited: LabelledFindings) -> AuditReport:
    found = audited.found
    return AuditReport(
        findings=_findings(audited),
        false_positives=found.false_positives,
        false_negatives=found.false_negatives,
        rates=audited.rates.model_dump(mode="json") if found.rate.wrong or found.rate.right else None,
        origins=audited.origins,
        tables=[
            tables.matrix(found.counts),
            tables.metrics(found),
            *tables.slices(audited.sliced),
            *tables.recipe_slices(audited.rates),
        ],
        figures=[
            figures.matrix(found.counts),
            *figures.slices(audited.sliced),
            *figures.curve(audited.curve),
            *figures.reliability(audited.calibrations),
        ],
        notes=_notes(audited),
    )


def _findings(audited: LabelledFindings) -> dict[str, JsonValue]:
    records, found, curve = audited.records, audited.found, audited.curve
    outcomes = np.bincount(records.outcome.codes, minlength=len(records.outcome.names)).tolist()
    judged = records.accepted[~np.isnan(records.accepted)]
    return {
        "subject": audited.subject.name,
        "verdicts": len(records),
        "judged": len(judged),
        "accepted_share": float(judged.mean()) if len(judged) else None,
        "outcomes": dict(zip(records.outcome.names, outcomes, strict=True)),
        "labelled": len(audited.labelled.items),
        "drawn": audited.labelled.drawn,
        "groups": len(np.unique(audited.labelled.items.groups)),
        "confusion": dict(found.counts._asdict()),
        "metrics": {name: _metric(metric) for name, metric in found.metrics.items()},
        "youden": None if found.youden is None else {"value": found.youden[0], "interval": [*found.youden[1]]},
        "fate": fate(found.rate).value if found.youden is not None else None,
        "true_pass_rate": prevalence(audited.passing) if isinstance(audited.passing, Prevalence) else None,
        "slices": [_slice(one) for one in audited.sliced],
        "scores": None if curve is None else _scores(curve),
        "calibration": {
            name: {"error": one.error, "worst": one.worst, "brier": one.brier}
            for name, one in audited.calibrations.items()
        },
        "cells": cell_records(records, audited.labelled.items),
    }


def prevalence(found: Prevalence) -> JsonValue:
    return {**found._asdict(), "interval": [*found.interval]}


def _metric(metric: Metric) -> JsonValue:
    value: dict[str, JsonValue] = {"value": metric.value, "interval": [*metric.interval] if metric.interval else None}
    return value if metric.weighted is None else {**value, "weighted": _weighted(metric.weighted)}


def _weighted(found: DrawnRate) -> JsonValue:
    return {"value": found.rate, "interval": [*found.interval] if found.rate is not None else None}


def _slice(one: SliceRate) -> JsonValue:
    rate = one.slice.proportion
    return {
        "feature": one.feature,
        "value": one.value,
        "rate": one.kind,
        "errors": rate.errors,
        "items": rate.trials,
        "value_here": rate.rate,
        "interval": [*one.interval],
        "elsewhere": one.slice.rest,
        "p_value": one.slice.p_value,
        "adjusted": one.adjusted,
        "weighted": None if one.weighted is None else _weighted(one.weighted),
    }


def _scores(curve: Curve) -> JsonValue:
    threshold, positive, negative = curve.at_best
    return {
        "auc": curve.auc,
        "average_precision": curve.average_precision,
        "thresholds": curve.thresholds,
        "best": {"threshold": threshold, "false_positive_rate": positive, "false_negative_rate": negative},
    }


def _notes(audited: LabelledFindings) -> list[str]:
    counts, records = audited.found.counts, audited.records
    errors = audited.labelled.framed.label_errors
    notes = [*([] if errors is None else [_of_labellers(errors)]), _fate(audited.found), *audited.notes]
    if np.isnan(records.accepted).all():
        notes.append(
            "no verdict is an acceptance or a rejection: "
            + (
                "scores without a pass line are none, so state a threshold"
                if _only_scores(records)
                else "all are missing"
            )
        )
    if missing := _missing(records, audited.labelled.items):
        notes.append(
            f"{missing.total()} of {counts.items} labelled responses have no verdict, and are in neither rate: "
            + format_reasons(missing)
        )
    if audited.labelled.framed.drawn:
        notes.append(
            "matrix, curves and the slices' p-values are of the labelled responses; weighted rates are of the run, and "
            "the claim"
        )
    notes += _uncorrectable(audited.rates)
    if isinstance(audited.passing, str):
        notes.append(audited.passing)
    return notes


def _missing(records: Records, items: Items) -> Counter[str]:
    """Why labelled responses have no verdict."""
    reasons = records.features[REASON]
    return Counter(reasons.names[code] for code in reasons.codes[items.rows[~items.judged]].tolist())


def _of_labellers(errors: LabelErrors) -> str:
    return (
        f"labellers disagree: by that a label calls {errors.blamed:.1%} of right responses wrong, and "
        f"{errors.missed:.1%} of wrong ones right. The rates that are the claim are without these errors, and wider "
        "for them; it is taken that labellers err alike, independently of each other and of the verdict. What all of "
        "them get wrong counts as the verifier's. Matrix and curves are by majority"
    )


def _uncorrectable(rates: Rates) -> list[str]:
    """What a recipe at its defaults gives no reward for, said before a run finds out."""
    noise = Noise(audit=rates.source, version=LATEST)
    notes = []
    whole = noise.refusal(rates.pooled)
    if whole is not None:
        notes.append(f"a recipe's noise correction abstains (uncorrectable) with the rates of the whole: {whole}")
    useless = [key for key, rate in rates.slices.items() if noise.says_nothing(rate) and not rate.none_right]
    if useless:
        notes.append(
            f"a recipe's noise correction abstains (uncorrectable) where verdicts say too little: {_listed(useless)}"
        )
    unsure = [key for key, rate in rates.slices.items() if noise.uncertain(rate) and key not in useless]
    if unsure:
        notes.append(
            f"little is known of {len(unsure)} of {len(rates.slices)} slices: their rates are near the others', and "
            f"rewards say so (uncertainty): {_listed(unsure)}; label more of them"
        )
    return notes


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _only_scores(records: Records) -> bool:
    return not np.isnan(records.score).all()


def _fate(found: MeasuredRate) -> str:
    """Rate or fate (arXiv 2601.04411)."""
    if found.youden is None:
        lacking = [name for name, count in (("wrong", found.rate.wrong), ("right", found.rate.right)) if not count]
        return (
            f"no {' and no '.join(lacking)} response with a verdict is labelled: that error rate is not known, nor is J"
        )
    index, interval = found.youden
    shown = f"J = {index:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
    match fate(found.rate):
        case Fate.LEARNS:
            return (
                f"{shown}: learning from it keeps its direction, slowed down; probe for errors that a policy can choose"
            )
        case Fate.UNCERTAIN:
            return f"{shown}: do not train with it yet, J may be 0 or below, where learning goes nowhere; label more"
        case Fate.NEUTRAL:
            return f"{shown}: do not train with it, its verdicts say nothing of the truth"
    return f"{shown}: do not train with it, learning from it goes the wrong way"


LISTED = 2_000
"""Records of a cell that a report keeps."""


def cell_records(records: Records, items: Items) -> dict[str, JsonValue]:
    """Records of each cell of the confusion matrix, to be looked at.

    By the names of :class:`Confusion`'s counts the newest 2,000 records of each, newest first.
    """
    verdicts = {"accepted": items.accepted == 1, "rejected": items.accepted == 0, "missing": ~items.judged}
    truths = {"right": items.right, "wrong": ~items.right}
    found: dict[str, JsonValue] = {}
    for name in Confusion._fields:
        truth, _, verdict = name.partition("_")
        places = items.rows[np.flatnonzero(truths[truth] & verdicts[verdict])][-LISTED:][::-1]
        found[name] = [records.record[place] for place in places.tolist()]
    return found
