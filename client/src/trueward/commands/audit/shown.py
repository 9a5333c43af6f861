"""An audit as a terminal shows it: notes first, rates with their intervals, tables. Figures are for the page."""

from __future__ import annotations

import typer

from trueward.commands.report import add_row, new_table, plain, show
from trueward.numerals import number, share
from trueward.wire.audit import Audit, AuditReport, Cell, Estimate, Table

MOST_ROWS = 20
_LONGEST_CELL = 40
_HEAD = 12
"""What is kept of the beginning of a long response: its answer stands at its end."""
_NOTHING = "-"


def show_audit(audit: Audit, *, recorded: bool = True) -> None:
    """Its state, and its report where it has one; ``recorded``: whether a service has it."""
    typer.echo(plain(f"audit {audit.id}  {audit.spec.kind}  {audit.state}  {audit.name}".rstrip()))
    if audit.failure is not None:
        typer.echo(plain(audit.failure))
    elif audit.report is None:
        typer.echo(f"{audit.done:,} of {audit.total:,}")
    else:
        show_report(audit.report, "--json, or `trueward audit report`, has" if recorded else "--json has")


def show_report(report: AuditReport, whole: str) -> None:
    """``whole`` says what has the rows that are not shown."""
    for note in report.notes:
        typer.echo(plain(f"note: {note}"))
    if report.versions:
        judged = (f"{name} {', '.join(versions)}" for name, versions in report.versions.items())
        typer.echo(plain("judged by: " + ", ".join(judged)))
    if report.origins:
        typer.echo(plain("labels: " + ", ".join(f"{count:,} {source}" for source, count in report.origins.items())))
    _show_rates(report)
    for table in report.tables:
        _show_table(table, whole)


def _show_rates(report: AuditReport) -> None:
    rates = [("false positives", report.false_positives), ("false negatives", report.false_negatives)]
    if not any(estimates for _, estimates in rates):
        return
    table = new_table("", "rate", "value", "interval", "errors of items", "method", "note")
    for name, estimates in rates:
        for one in estimates:
            counted = f"{number(one.errors)} of {number(one.items)}"
            mark = "claim" if one.claim else ""
            add_row(
                table, mark, name, _share(one.rate), _interval(one), counted, one.method.replace("_", " "), one.note
            )
    show(table, whole=True)


def _show_table(table: Table, whole: str) -> None:
    typer.echo(plain(table.title))
    shown = new_table(*table.columns)
    in_percent = [column in table.shares for column in table.columns]
    for row in table.rows[:MOST_ROWS]:
        add_row(shown, *map(_cell, row, table.columns, in_percent))
    show(shown, whole=True)
    if len(table.rows) > MOST_ROWS:
        typer.echo(f"... and {len(table.rows) - MOST_ROWS:,} rows more: {whole} them all")
    if table.note:
        typer.echo(plain(table.note))


def _cell(cell: Cell, column: str, in_percent: bool) -> str:
    if cell is None:
        return _NOTHING
    if isinstance(cell, str):
        line = " ".join(cell.split())
        if len(line) <= _LONGEST_CELL:
            return line
        head = _HEAD if column == "response" else _LONGEST_CELL - 3
        return f"{line[:head]}...{line[len(line) - _LONGEST_CELL + 3 + head :]}"
    return share(cell) if in_percent else number(cell)


def _share(value: float | None) -> str:
    return _NOTHING if value is None else share(value)


def _interval(estimate: Estimate) -> str:
    return _NOTHING if estimate.interval is None else " to ".join(share(end) for end in estimate.interval)
