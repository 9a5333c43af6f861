"""Audits and reports that tests make by hand."""

from __future__ import annotations

from datetime import UTC, datetime

from trueward.wire.audit import (
    Audit,
    AuditReport,
    Estimate,
    Figure,
    FigureLine,
    Interval,
    LabelledAudit,
    Method,
    Population,
    Subject,
    Table,
)

WHEN = datetime(2026, 11, 21, 18, 30, tzinfo=UTC)


def estimate(method: Method, errors: float, items: float, interval: Interval | None, note: str = "") -> Estimate:
    rate = errors / items if items else None
    return Estimate(method=method, rate=rate, errors=errors, items=items, interval=interval, note=note)


def audit(report: AuditReport | None = None, name: str = "math, step 4000") -> Audit:
    return Audit(
        id="01JABC",
        name=name,
        spec=LabelledAudit(
            subject=Subject(verifier="math", version="1", params={"tolerance": 1e-6}, threshold=0.5),
            population=Population(run="r1", split="train"),
        ),
        state="running" if report is None else "completed",
        done=10,
        total=10,
        created_at=WHEN,
        finished_at=None if report is None else WHEN,
        report=report,
    )


def figures() -> list[Figure]:
    """One of each kind, with gaps, bands and marks."""
    step = [float(index) for index in range(60)]
    shares = [None if index == 10 else index / 100 for index in range(60)]
    band = {
        "low": [None if y is None else y / 2 for y in shares],
        "high": [None if y is None else y + 0.1 for y in shares],
    }
    return [
        Figure(
            kind="matrix",
            title="Confusion",
            x="verdict",
            y="truth",
            labels=["accepted", "rejected", "no verdict"],
            lines=[
                FigureLine(name="right", x=[0, 1, 2], y=[460, 40, 3]),
                FigureLine(name="wrong", x=[0, 1, 2], y=[12, 964, None]),
            ],
        ),
        Figure(
            kind="lines",
            title="Over steps",
            x="step",
            y="rate",
            lines=[
                FigureLine(name="invalid", x=step, y=shares, **band),
                FigureLine(name="null", x=step[:3], y=[0.1, 0.2, 0.3]),
            ],
            marks=[(40.0, "alarm"), (1e9, "out of sight")],
        ),
        Figure(
            kind="bars",
            title="By slice",
            y="false-positive rate",
            lines=[
                FigureLine(name="gsm8k", x=[1.0], y=[0.3], low=[0.2], high=[0.4]),
                FigureLine(name="aime", x=[0.0], y=[0.1], low=[0.0], high=[0.25]),
                FigureLine(name="empty", x=[2.0], y=[None], low=[None], high=[None]),
            ],
            marks=[(0.2, "limit")],
        ),
        Figure(
            kind="reliability",
            title="Reliability",
            x="stated",
            y="observed",
            lines=[FigureLine(name="judge", x=[0.1, 0.5, 0.9], y=[0.2, 0.45, 0.8])],
        ),
        Figure(kind="lines", title="Nothing", lines=[]),
    ]


def report() -> AuditReport:
    """Everything that a report can hold."""
    return AuditReport(
        findings={"accuracy": 0.97, "slices": {"gsm8k": [1, 2]}},
        false_positives=[
            estimate("wilson", 12, 976, (0.0070, 0.0214)),
            estimate("clopper_pearson", 12, 976, (0.0064, 0.0213)),
            estimate("cluster_bootstrap", 12, 976, (0.0051, 0.0261), "122 groups"),
        ],
        false_negatives=[estimate("wilson", 40, 500, (0.059, 0.107)), estimate("clopper_pearson", 0, 0, None, "none")],
        origins={"human": 1200, "oracle": 276},
        versions={"math": ["1", "2"]},
        tables=[
            Table(
                title="Slices, worst first",
                columns=["slice", "false positives", "items", "p"],
                rows=[["source=gsm8k", 0.021, 412, 0.003], ["source=aime", None, 0, None]],
                shares=["false positives"],
                note="Holm over 14 slices",
            )
        ],
        figures=figures(),
        notes=["98 records had no verdict."],
    )
