"""Consensus of stored verdicts: planted error rates are found, and what cannot be told apart is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.audit.consensus import consensus
from app.audit.statistics.dawid_skene import dawid_skene
from app.kit.db import Database
from rewards.noise.rates import Rates
from tests.app.audit.labelled.planted import put_judged, sample, verdict, work
from trueward.audits import AuditReport, ConsensusAudit
from trueward.errors import InvalidRequest

RATES = {"math": (0.05, 0.2), "exact": (0.2, 0.05), "numeric": (0.1, 0.1), "judge": (0.3, 0.25)}
"""Planted false-positive and false-negative rates."""


def votes(count: int = 1200) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Independent errors on responses of which two in five are right; one vote in twenty is missing."""
    generator = np.random.default_rng(11)
    right = np.arange(count) % 5 < 2
    said = [np.where(right, generator.random(count) >= missed, generator.random(count) < false)
            for false, missed in RATES.values()]  # fmt: skip
    found = np.stack(said, axis=1).astype(np.float64)
    found[generator.random(found.shape) < 0.05] = np.nan
    return found


async def plant(db: Database, said: np.ndarray[Any, Any], names: list[str]) -> None:
    judged = []
    for place, row in enumerate(said):
        one = sample(f"{place}")
        for name, vote in zip(names, row, strict=True):
            outcome = "timeout" if np.isnan(vote) else "correct" if vote else "incorrect"
            judged.append((one, verdict(one, outcome, verifier=name)))
    await put_judged(db, judged)


async def audit(db: Database, names: list[str], **rest: Any) -> AuditReport:
    subjects = [{"verifier": name} for name in names]
    report = await consensus(ConsensusAudit.model_validate({"subjects": subjects, **rest}), work(db))
    assert AuditReport.model_validate_json(report.model_dump_json()) == report
    return report


async def test_planted_rates_are_found_without_a_label(db: Database) -> None:
    said = votes()
    await plant(db, said, list(RATES))
    report = await audit(db, list(RATES))
    found: Any = report.findings
    assert found["right_share"] == pytest.approx(0.4, abs=0.05)
    for one in found["verifiers"]:
        false, missed = RATES[one["name"]]
        assert one["false_positive"] == pytest.approx(false, abs=0.05)
        assert one["false_negative"] == pytest.approx(missed, abs=0.07)
        assert one["true_pass_rate"]["rate"] == pytest.approx(0.4, abs=0.06)
        assert one["true_pass_rate"]["interval"][0] < one["true_pass_rate"]["rate"]
    kept = said[np.count_nonzero(~np.isnan(said), axis=1) >= 2]
    fit = dawid_skene(kept)
    rates = Rates.model_validate(report.rates)
    assert rates.source == "audit:A1"
    assert rates.pooled.false_positive == pytest.approx(fit.false_positive_rate(0), abs=1e-6)
    assert (found["samples"], report.origins) == (len(kept), {"consensus": len(kept)})
    pair = next(one for one in found["pairs"] if (one["first"], one["second"]) == ("math", "exact"))
    both = ~np.isnan(said[:, :2]).any(axis=1)
    assert pair["items"] == np.count_nonzero(both)
    assert pair["agreement"] == pytest.approx(np.mean(said[both, 0] == said[both, 1]))
    assert any("no label is behind these rates" in note for note in report.notes)
    assert [figure.kind for figure in report.figures] == ["bars", "bars"]


async def test_verifiers_that_share_their_errors_are_warned_of(db: Database) -> None:
    said = votes(800)
    said[:, 1] = said[:, 0]
    await plant(db, said, list(RATES))
    notes = (await audit(db, list(RATES))).notes
    assert any("share errors" in note for note in notes)
    assert "in these warnings 0 is math, 1 is exact, 2 is numeric, 3 is judge" in notes


async def test_three_verifiers_are_told_what_cannot_be_seen(db: Database) -> None:
    await plant(db, votes(200)[:, :3], list(RATES)[:3])
    assert any("with three voters" in note for note in (await audit(db, list(RATES)[:3])).notes)


async def test_two_verifiers_are_refused_with_what_the_majority_says(db: Database) -> None:
    await plant(db, np.array([[1, 1], [1, 0], [0, 0], [0, 0], [np.nan, 1.0]]), ["math", "exact"])
    with pytest.raises(InvalidRequest, match=r"Both accept 1 of 4 samples, both reject 2, .* on the other 1:"):
        await audit(db, ["math", "exact"])


async def test_what_says_nothing_is_refused_by_name(db: Database) -> None:
    said = np.full((4, 4), np.nan)
    said[:2, :3] = 1
    said[3, 3] = 0
    await plant(db, said, list(RATES))
    with pytest.raises(InvalidRequest, match="no sample was judged by judge and by another verifier"):
        await audit(db, list(RATES))
    with pytest.raises(InvalidRequest, match="nobody has accepted or rejected nothing"):
        await audit(db, ["math", "nobody", "exact"])


async def test_one_subject_may_stand_twice_with_two_thresholds(db: Database) -> None:
    judged = []
    for place in range(30):
        one = sample(f"{place}")
        judged += [(one, verdict(one, "scored", place / 30)), (one, verdict(one, verifier="exact"))]
    await put_judged(db, judged)
    subjects = [{"verifier": "math", "threshold": 0.3}, {"verifier": "math", "threshold": 0.6}, {"verifier": "exact"}]
    report = await consensus(ConsensusAudit.model_validate({"subjects": subjects}), work(db))
    found: Any = report.findings
    assert [one["name"] for one in found["verifiers"]] == ["math", "math (2)", "exact"]
