"""`make demo`: the main job on embedded defaults.

Starts the service on a free port with a fresh SQLite database, POSTs the shipped batch through the client, prints a
table a verifier and every disagreement with the batch's own labels, audits the verifiers, and writes the reports. On a
terminal the service then stays until Ctrl-C.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from app.demo import audits, batch
from app.demo.service import serving, stay, stoppable
from trueward import Client

REPORTS = Path("data") / "demo"


def main() -> None:
    console = Console(width=None if sys.stdout.isatty() else 120)
    cases = batch.read_batch()
    with tempfile.TemporaryDirectory(prefix="trueward-demo-") as folder, serving(Path(folder)) as url:
        with Client(url) as client:
            scored = batch.score(client, cases)
            console.print(batch.table(scored))
            _show_disagreements(console, scored)
            audits.label(client, scored)
            console.print("\nAuditing the verifiers with rewritten references and hostile answers: a minute or two.")
            with console.status("auditing"):
                audited = list(audits.audit(client, scored))
            console.print()
            console.print(audits.table(audited))
            console.print(
                "The batch's labels are its author's, so these are contract cases and no rates of your runs: label a "
                "run of your own (docs/labels.md)."
            )
            _write_reports(console, client, audited)
        stay(console, f"The service runs at {url} (pages: {url}/ui/, API documentation: {url}/docs)")


def _show_disagreements(console: Console, scored: dict[str, list[batch.ScoredCase]]) -> None:
    rows = [row for found in scored.values() for row in found]
    differing = [row for row in rows if row.differs]
    end = ":" if differing else "."
    console.print(f"\n{len(differing)} of {len(rows)} verdicts differ from the batch's own labels{end}")
    for row in differing:
        case, verdict = row.case, row.verdict
        said = "right" if case.right else "wrong"
        text = f"  {case.verifier} {case.sample.id}: labelled {said}, {verdict.outcome} ({verdict.reason_code}): "
        console.print(escape(text + repr(verdict.reason)[:100]), soft_wrap=True)


def _write_reports(console: Console, client: Client, audited: Sequence[audits.AuditedVerifier]) -> None:
    REPORTS.mkdir(parents=True, exist_ok=True)
    for one in audited:
        for audit in one.audits:
            if audit.report is not None:
                page = REPORTS / f"{one.verifier}-{audit.spec.kind}.html"
                page.write_text(client.audit_report(audit.id), encoding="utf-8")
    console.print(f"Reports: {REPORTS}/*.html")


if __name__ == "__main__":
    with stoppable():
        main()
