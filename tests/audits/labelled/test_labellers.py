"""A labelled audit with labellers that are wrong at times: what it claims, and what it says it assumes."""

from __future__ import annotations

import numpy as np

from app import tables
from app.kit.db import Database
from audits.labelled.audit import labelled
from rewards.noise.rates import Rates
from tests.audits.labelled.planted import label, put, put_judged, sample, verdict, work
from trueward.wire.audit import AuditReport, LabelledAudit

ACCEPTED = {True: 0.95, False: 0.02}


async def audited(db: Database, labellers: int, mistaken: float, size: int = 1_000) -> AuditReport:
    """Two in five responses are wrong, of which the verifier accepts one in fifty, as planted to the record."""
    chance = np.random.default_rng(4)
    right = [place % 5 < 3 for place in range(size)]
    seen = {True: 0, False: 0}
    judged, labels = [], []
    for place, truth in enumerate(right):
        seen[truth] += 1
        accepted = int(seen[truth] * ACCEPTED[truth]) > int((seen[truth] - 1) * ACCEPTED[truth])
        one = sample(f"{place}")
        judged.append((one, verdict(one, "correct" if accepted else "incorrect", group=f"g{place}")))
        labels += [
            label(one, truth != bool(chance.random() < mistaken), annotator=f"labeller {who}")
            for who in range(labellers)
        ]
    await put_judged(db, judged)
    await put(db, tables.Label, labels)
    spec = LabelledAudit.model_validate({"subject": {"verifier": "math"}, "by": ["length"], "rates_by": ["length"]})
    return await labelled(spec, work(db))


async def test_three_labellers_that_are_each_wrong_once_in_ten_do_not_bias_the_claim(db: Database) -> None:
    report = await audited(db, 3, 0.1)
    assert report.notes[0].startswith("labellers disagree: by that a label calls ")
    [claim] = [one for one in report.false_positives if one.claim]
    [majority] = [one for one in report.false_positives if one.method == "clopper_pearson"]
    assert claim.interval is not None
    assert majority.interval is not None
    assert claim.interval[0] <= 0.02 <= claim.interval[1] < 0.08
    assert majority.interval[0] > 0.03
    assert "no claim" in majority.note
    [missed] = [one for one in report.false_negatives if one.claim]
    assert missed.interval is not None
    assert missed.interval[0] <= 0.05 <= missed.interval[1]
    rates = Rates.model_validate(report.rates)
    assert rates.pooled.false_positive_interval == claim.interval


async def test_where_nobody_disagrees_labels_are_taken_for_right_and_the_report_says_so(db: Database) -> None:
    report = await audited(db, 2, 0.0, 100)
    assert any(note.startswith("labels are taken for right") for note in report.notes)
    assert {one.method for one in report.false_positives} == {"wilson", "clopper_pearson", "cluster_bootstrap"}


async def test_ties_count_in_the_claim_and_not_in_the_matrix(db: Database) -> None:
    report = await audited(db, 2, 0.2)
    assert any("their annotators disagree, as many on one side" in note for note in report.notes)
    labelled_items = report.findings["labelled"]
    assert isinstance(labelled_items, int)
    assert labelled_items < 800
    [claim] = [one for one in report.false_positives if one.claim]
    assert 330 < claim.items < 470
