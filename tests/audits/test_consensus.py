"""Consensus of stored verdicts: planted error rates are found, and what cannot be told apart is refused."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from app.audits.records import read_records
from app.audits.votes import vote_patterns
from app.kit.db import Database
from audits.consensus import consensus
from audits.statistics.dawid_skene import dawid_skene
from rewards.noise.rates import Rates
from tests.audits.labelled.planted import put_judged, sample, verdict, work
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, ConsensusAudit, Population, Subject

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
    fit = dawid_skene(kept, iterations=5000, tolerance=1e-10)
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


async def test_verifiers_that_share_their_errors_count_as_one(db: Database) -> None:
    said = votes(800)
    said[:, 1] = said[:, 0]
    await plant(db, said, list(RATES))
    report = await audit(db, list(RATES))
    found: Any = report.findings
    assert (found["distinct"], found["families"]) == (3, [["math", "exact"], ["numeric"], ["judge"]])
    assert report.rates is None
    assert "only labels find them" in report.notes[0]
    assert any("math and exact share errors" in note for note in report.notes)
    assert any("no rates for recipes: of 3 distinct voters" in note for note in report.notes)
    assert "in these warnings 0 is math and exact, 1 is numeric, 2 is judge" in report.notes
    math, exact = found["verifiers"][:2]
    assert (math["false_positive"], math["right"]) == pytest.approx((exact["false_positive"], exact["right"]))
    assert math["false_positive"] > 0.02, "the others tell what the two get wrong"


@pytest.mark.parametrize("apart", [0.0, 0.005, 0.02])
async def test_three_of_a_family_and_one_other_are_refused(db: Database, apart: float) -> None:
    """As the documentation once called it: rules that read answers alike, and a judge. J was 1 without a warning."""
    generator = np.random.default_rng(5)
    right = generator.random(1500) < 0.6
    core = np.where(right, generator.random(1500) >= 0.0528, generator.random(1500) < 0.0263)
    said = [core ^ (generator.random(1500) < apart) for _ in range(3)]
    said.append(np.where(right, generator.random(1500) >= 0.1, generator.random(1500) < 0.15))
    names = ["math", "numeric", "exact", "judge"]
    await plant(db, np.stack(said, axis=1).astype(np.float64), names)
    with pytest.raises(
        InvalidRequest, match=r"4 verifiers are 2 distinct voters: .*\(math, numeric, exact\)"
    ) as refusal:
        await audit(db, names)
    assert "trueward labels draw" in str(refusal.value)


async def test_three_verifiers_give_no_rates_to_recipes(db: Database) -> None:
    await plant(db, votes(400)[:, :3], list(RATES)[:3])
    report = await audit(db, list(RATES)[:3])
    assert any("with three voters" in note for note in report.notes)
    assert report.rates is None
    found: Any = report.findings
    assert found["distinct"] == 3
    assert all(one["false_positive_interval"] for one in found["verifiers"])


async def test_of_a_sample_the_latest_verdict_that_decides_counts(db: Database) -> None:
    """As :meth:`Records.last_words` has it, read from all rows."""
    generator = np.random.default_rng(2)
    subjects = [
        Subject(verifier="math"),
        Subject(verifier="exact"),
        Subject(verifier="overlap", threshold=0.5),
        Subject(verifier="overlap"),
    ]
    judged = []
    for place in range(60):
        one = sample(f"{place}")
        for _ in range(int(generator.integers(1, 4))):
            outcome = str(generator.choice(["correct", "incorrect", "invalid", "timeout", "abstained"]))
            judged.append((one, verdict(one, outcome, verifier=str(generator.choice(["math", "exact"])))))
        share = float(generator.random())
        judged.append((one, verdict(one, "partial" if place % 2 else "scored", share, verifier="overlap")))
    await put_judged(db, judged)
    found = await vote_patterns(db, subjects, Population())
    said = [(await read_records(db, subject, Population())).last_words() for subject in subjects]
    samples = {one for words in said for one in words}
    expected = Counter(tuple(words.get(one) for words in said) for one in samples)
    rows = [tuple(None if np.isnan(vote) else float(vote) for vote in row) for row in found.votes]
    assert dict(zip(rows, found.counts.tolist(), strict=True)) == expected
    assert len(expected) > 6


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
