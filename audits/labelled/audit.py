"""Stored verdicts against labels, or against a second verifier."""

from __future__ import annotations

import asyncio

import numpy as np

from audits.absent import describe_absence
from audits.labelled.features import OF_RECORDS, OF_SAMPLES, REASON
from audits.labelled.measured import measure, select_labelled, true_pass_rate
from audits.labelled.records import Records
from audits.labelled.report import LabelledFindings, report
from audits.labelled.scores import calibrations, score_curve
from audits.labelled.slice_pooling import pool_slices
from audits.labelled.slices import by_feature, measure_slices
from audits.labelled.truth import Truth, truth_of_verifier
from audits.ports import Work
from rewards.noise.rates import Rates
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, LabelledAudit


async def labelled(spec: LabelledAudit, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` without stored verdicts or without labels, for labels of several draws that
    cannot be computed again, and for names that are no features."""
    _refuse_unkeyable(spec)
    features = [*spec.by, *spec.rates_by, REASON]
    # of samples without a label too: the rates of a slice are weighed by how many records it has
    records = await work.ledger.records(spec.subject, spec.population, features, work.progress)
    if not len(records):
        raise InvalidRequest(await describe_absence(work.ledger, spec.subject))
    if spec.against is not None:
        truth = await truth_of_verifier(work.ledger, spec.against, records)
    else:
        truth = await work.ledger.truth_of_labels(spec.labels, records)
    if np.isnan(truth.right).all():
        raise InvalidRequest(
            " ".join([*await work.ledger.unknown_draw(spec.labels), _unlabelled(spec, len(records)), *truth.notes])
        )
    if spec.lasting and truth.design is None:
        detail = "lasting needs labels that were drawn: of others nobody knows in which order they come"
        raise InvalidRequest.at_field("audit.lasting", "not_drawn", detail)
    found = await asyncio.to_thread(_audited, spec, f"audit:{work.id}", records, truth)
    found.versions = await work.ledger.list_versions(spec.subject, spec.population)
    found.notes = [*found.notes, *await work.ledger.model_changes(spec.population)]
    return found


def _unlabelled(spec: LabelledAudit, records: int) -> str:
    which = "" if spec.labels == type(spec.labels)() else " among those that `labels` chooses"
    return (
        f"none of the {records} responses that {spec.subject.name} judged has a label{which}: label some "
        "(`trueward labels import`, POST /v1/labels; or a draw: `trueward labels draw`, POST /v1/labels/draws), or "
        "give `against`."
    )


def _refuse_unkeyable(spec: LabelledAudit) -> None:
    """Recipes key their rates by the response's length and the evidence, and look every other name up there."""
    for place, name in enumerate(spec.rates_by):
        if name in OF_RECORDS or (name in OF_SAMPLES and name != "length"):
            detail = f"rates_by cannot have {name!r}: a recipe knows a response's length and its verdict's evidence"
            field = f"audit.rates_by.{place}"
            raise InvalidRequest.at_field(field, "feature", detail)


def _list_assumptions(spec: LabelledAudit, truth: Truth) -> list[str]:
    """What an audit by labels assumes of them where no labellers disagree."""
    if spec.against is not None or truth.votes is not None:
        return []
    return ["labels are taken for right, for no two disagree: what labellers get wrong counts as the verifier's"]


def _audited(spec: LabelledAudit, source: str, records: Records, truth: Truth) -> AuditReport:
    level, seed = spec.level, spec.seed
    labelled = select_labelled(records, truth, level, spec.lasting)
    found = measure(labelled, level, seed)
    features = {name: records.features[name] for name in dict.fromkeys(spec.by)}
    sliced, unsliced = by_feature(labelled, features, spec.guard, level)
    alone, unkeyed = measure_slices(labelled, records, spec.rates_by, level, seed)
    pooled = pool_slices(alone, level)
    audited = LabelledFindings(
        subject=spec.subject,
        records=records,
        labelled=labelled,
        found=found,
        passing=true_pass_rate(records.accepted, found, level),
        sliced=sliced,
        curve=score_curve(records, labelled.items),
        calibrations=calibrations(records, labelled, level),
        rates=Rates(
            source=source, pooled=found.rate, elsewhere=pooled.elsewhere, by=tuple(spec.rates_by), slices=pooled.slices
        ),
        origins=truth.origins,
        notes=[*_list_assumptions(spec, truth), *truth.notes, *unsliced, *unkeyed],
    )
    return report(audited)
