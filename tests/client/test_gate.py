"""The gate: rates against limits, by the most careful interval that an audit has."""

from __future__ import annotations

import pytest

from tests.audits.made import estimate
from trueward.errors import InvalidRequest
from trueward.gate import deciding, gate
from trueward.wire.audit import AuditReport, Estimate

WILSON = estimate("wilson", 1, 100, (0.002, 0.054))
EXACT = estimate("clopper_pearson", 1, 100, (0.0003, 0.0545))
CLUSTERED = estimate("cluster_bootstrap", 1, 100, (0.0, 0.08))
WEIGHTED = estimate("horvitz_thompson", 3.0, 100.0, (0.01, 0.07))
NOTHING = estimate("wilson", 0, 0, None, "no item of this kind")


def report(*false_positives: Estimate, false_negatives: tuple[Estimate, ...] = ()) -> AuditReport:
    return AuditReport(findings={}, false_positives=list(false_positives), false_negatives=list(false_negatives))


@pytest.mark.parametrize(
    ("estimates", "method", "value"),
    [
        ((WILSON,), "wilson", 0.054),
        ((WILSON, EXACT), "clopper_pearson", 0.0545),
        ((WILSON, EXACT, CLUSTERED), "cluster_bootstrap", 0.08),
        ((WILSON, estimate("clopper_pearson", 1, 100, (0, 0.09)), CLUSTERED), "clopper_pearson", 0.09),
        ((WILSON, EXACT, CLUSTERED, WEIGHTED), "horvitz_thompson", 0.07),
        ((WILSON, EXACT, estimate("horvitz_thompson", 0, 0, None)), "clopper_pearson", 0.0545),
    ],
)
def test_the_most_careful_estimate_decides(estimates: tuple[Estimate, ...], method: str, value: float) -> None:
    [check] = gate(report(*estimates), max_fpr=0.05, max_fnr=None).checks
    assert (check.method, check.value, check.passed) == (method, value, False)


@pytest.mark.parametrize(("limit", "passed"), [(0.0545, True), (0.0546, True), (0.0544, False)])
def test_a_rate_at_its_limit_passes_and_one_above_does_not(limit: float, passed: bool) -> None:
    found = gate(report(WILSON, EXACT), max_fpr=limit, max_fnr=None)
    assert found.passed is passed
    assert found.checks[0].passed is passed


def test_by_the_rate_the_interval_does_not_count() -> None:
    assert not gate(report(EXACT), 0.02, None, "upper").passed
    found = gate(report(EXACT), 0.02, None, "rate")
    assert (found.passed, found.checks[0].value) == (True, 0.01)


def test_what_the_audit_cannot_say_does_not_pass() -> None:
    found = gate(report(EXACT), max_fpr=0.1, max_fnr=0.1)
    assert [check.passed for check in found.checks] == [True, False]
    assert found.checks[1].value is None
    assert "no false-negative rate" in found.checks[1].reason
    assert not found.passed
    assert not gate(report(NOTHING), 1.0, None).passed
    assert deciding([NOTHING], "upper") is None


def test_no_errors_in_a_few_labels_are_no_proof() -> None:
    """0 of 20 has the upper end 0.168 (1 - 0.025^(1/20))."""
    assert not gate(report(estimate("clopper_pearson", 0, 20, (0.0, 0.1684))), 0.02, None).passed
    assert gate(report(estimate("clopper_pearson", 0, 20, (0.0, 0.1684))), 0.02, None, "rate").passed


def test_a_gate_without_a_limit_is_refused_for_it_would_always_pass() -> None:
    with pytest.raises(InvalidRequest, match="no limit"):
        gate(report(EXACT), None, None)


def test_a_reason_never_says_that_a_number_is_above_itself() -> None:
    [check] = gate(report(estimate("wilson", 1, 100, (0.0, 0.0200001))), 0.02, None).checks
    assert check.reason == "upper end 0.0200001 is above 0.02 (1 of 100)"


def test_a_weighted_rate_says_that_it_is_one_and_what_is_behind_it() -> None:
    found = estimate("horvitz_thompson", 1.111111, 9.111111, (0.02, 0.5), "5 labelled, worth 5")
    [check] = gate(AuditReport(findings={}, false_positives=[found]), 0.6, None).checks
    assert check.reason.endswith("at most 0.6 (weighted, about 1.111 of 9.111 in the run: 5 labelled, worth 5)")
