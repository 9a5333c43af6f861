"""Closed forms against statsmodels and scikit-learn to 1e-9, Dawid-Skene against crowd-kit to 1e-6."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from audits.statistics.agreement import cohen_kappa
from audits.statistics.calibration import calibration
from audits.statistics.comparisons import benjamini_hochberg, holm
from audits.statistics.confusion import confusion
from audits.statistics.dawid_skene import dawid_skene
from audits.statistics.mcnemar import mcnemar
from audits.statistics.proportion import clopper_pearson, difference, wilson
from audits.statistics.threshold import auc, average_precision, threshold_curve
from tests.audits.statistics.oracles import Oracles, listening

pytestmark = pytest.mark.oracle

COUNTS = [(0, 1), (1, 1), (0, 20), (3, 50), (50, 50), (1, 100), (99, 100), (7, 13), (20, 100_000), (499_999, 1_000_000)]
ADJUSTMENTS = ("holm", "fdr_bh")
LEVELS = (0.5, 0.9, 0.95, 0.999)


@pytest.fixture(scope="module")
def oracles() -> Iterator[Oracles]:
    with listening() as found:
        yield found


def exactly(expected: Any) -> Any:
    return pytest.approx(expected, abs=1e-9, rel=1e-9)


def test_intervals_of_a_rate(oracles: Oracles) -> None:
    cases = [(errors, trials, level) for errors, trials in COUNTS for level in LEVELS]
    ours = [tuple(form(*case)) for form in (wilson, clopper_pearson) for case in cases]
    theirs = oracles.ask(
        [
            ("proportion", {"errors": errors, "trials": trials, "level": level, "method": method})
            for method in ("wilson", "beta")
            for errors, trials, level in cases
        ]
    )
    for one, other in zip(ours, theirs, strict=True):
        assert one == exactly(tuple(other))


def test_interval_of_a_difference(oracles: Oracles) -> None:
    generator = np.random.default_rng(1)
    sizes = generator.integers(2, 400, size=(40, 2)).tolist()
    cases = [[(int(generator.integers(0, trials + 1)), trials) for trials in pair] for pair in sizes]
    theirs = oracles.ask([("newcombe", {"first": one, "second": other, "level": 0.95}) for one, other in cases])
    for (one, other), expected in zip(cases, theirs, strict=True):
        assert tuple(difference(one, other)) == exactly(tuple(expected))


def test_adjusted_p_values(oracles: Oracles) -> None:
    generator = np.random.default_rng(2)
    cases = [generator.random(size).round(2).tolist() for size in (1, 2, 5, 30, 200)]
    theirs = oracles.ask([("adjusted", {"p_values": p, "method": method}) for p in cases for method in ADJUSTMENTS])
    ours = [form(p) for p in cases for form in (holm, benjamini_hochberg)]
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_mcnemar(oracles: Oracles) -> None:
    cases = [(0, 1), (1, 0), (5, 5), (3, 17), (40, 12), (500, 431)]
    theirs = oracles.ask([("mcnemar", {"gained": gained, "lost": lost}) for gained, lost in cases])
    assert [mcnemar(*case)[0] for case in cases] == exactly(theirs)


def test_kappa_of_many_classes(oracles: Oracles) -> None:
    tables = np.random.default_rng(3).integers(0, 30, size=(10, 4, 4)).tolist()
    theirs = oracles.ask([("kappa", {"table": table}) for table in tables])
    assert [cohen_kappa(table) for table in tables] == exactly(theirs)


def test_metrics_of_a_confusion_matrix(oracles: Oracles) -> None:
    generator = np.random.default_rng(4)
    cases = [(generator.integers(0, 2, 60).tolist(), generator.integers(0, 2, 60).tolist()) for _ in range(10)]
    theirs = oracles.ask([("classes", {"truth": truth, "said": said}) for truth, said in cases])
    for (truth, said), expected in zip(cases, theirs, strict=True):
        counts = confusion(truth, said)
        for name, value in expected.items():
            assert getattr(counts, name) == exactly(value), name


@pytest.mark.parametrize("decimals", [1, 12], ids=["many ties", "no ties"])
def test_threshold_curves(oracles: Oracles, decimals: int) -> None:
    generator = np.random.default_rng(5)
    truth = generator.integers(0, 2, 200)
    score = (truth * 0.5 + generator.normal(size=200)).round(decimals)
    [expected] = oracles.ask([("scores", {"truth": truth.tolist(), "score": score.tolist()})])
    curve = threshold_curve(score, truth)
    assert auc(score, truth) == exactly(expected["auc"])
    assert average_precision(score, truth) == exactly(expected["average_precision"])
    np.testing.assert_allclose(curve.thresholds[1:], expected["thresholds"])
    np.testing.assert_allclose(curve.false_positive_rate, expected["false_positive_rate"], atol=1e-12)
    np.testing.assert_allclose(curve.recall, expected["recall"], atol=1e-12)


def test_brier_score(oracles: Oracles) -> None:
    generator = np.random.default_rng(6)
    truth, confidence = generator.integers(0, 2, 100).tolist(), generator.random(100).tolist()
    [expected] = oracles.ask([("brier", {"truth": truth, "confidence": confidence})])
    assert calibration(confidence, truth).brier == exactly(expected)


VOTERS = [(2, 3, 0.0), (2, 6, 0.3), (3, 5, 0.2)]
ITERATIONS = (1, 7, 60)


def votes(classes: int, voters: int, missing: float) -> list[list[int | None]]:
    """Of 300 items whose voters are right more often than not; items without a vote are left out."""
    generator = np.random.default_rng(7)
    truth = generator.integers(0, classes, 300)
    skill = generator.uniform(0.6, 0.95, size=voters)
    cast = np.where(
        generator.random((300, voters)) < skill, truth[:, None], generator.integers(0, classes, (300, voters))
    )
    silent = generator.random(cast.shape) < missing
    rows = [
        [None if off else int(vote) for vote, off in zip(*row, strict=True)] for row in zip(cast, silent, strict=True)
    ]
    return [row for row in rows if any(vote is not None for vote in row)]


def test_dawid_skene(oracles: Oracles) -> None:
    cases = [(case, iterations) for case in VOTERS for iterations in ITERATIONS]
    theirs = oracles.ask([("dawid_skene", {"votes": votes(*case), "iterations": count}) for case, count in cases])
    for ((classes, *rest), iterations), expected in zip(cases, theirs, strict=True):
        cast = votes(classes, int(rest[0]), rest[1])
        ours = dawid_skene(cast, classes=classes, smoothing=0, iterations=iterations, tolerance=-1.0)
        assert ours.iterations == iterations
        np.testing.assert_allclose(ours.posterior, expected["posterior"], atol=1e-6)
        np.testing.assert_allclose(ours.prior, expected["prior"], atol=1e-6)
        np.testing.assert_allclose(ours.confusion, expected["confusion"], atol=1e-6)
