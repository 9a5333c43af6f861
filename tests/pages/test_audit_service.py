"""Of which verifier an audit's page corrects recipes: the one whose rates the report has."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.pages.audits.service import find_rated_verifier
from trueward.wire.audit import (
    Audit,
    AuditReport,
    AuditSpec,
    ConsensusAudit,
    LabelledAudit,
    Subject,
)

RATES = AuditReport(findings={}, rates={"by": []})
LABELLED = LabelledAudit(subject=Subject(verifier="math"))
CONSENSUS = ConsensusAudit(subjects=[Subject(verifier=name) for name in ("choice", "math", "qa", "regex")])
OF_A_RECIPE = LabelledAudit(subject=Subject(recipe="math"))


def audit(spec: AuditSpec, report: AuditReport | None) -> Audit:
    return Audit(id="a", name="", spec=spec, state="completed", created_at=datetime.now(UTC), report=report)


@pytest.mark.parametrize(
    ("spec", "report", "verifier"),
    [
        (LABELLED, RATES, "math"),
        (CONSENSUS, RATES, "choice"),
        (OF_A_RECIPE, RATES, ""),
        (CONSENSUS, AuditReport(findings={}), ""),
        (LABELLED, None, ""),
    ],
)
def test_a_recipe_is_corrected_with_the_rates_that_the_report_has(
    spec: AuditSpec, report: AuditReport | None, verifier: str
) -> None:
    assert find_rated_verifier(audit(spec, report)) == verifier
