"""An audit as a card of a Hub data set: Markdown under metadata in YAML, with the rates and what they come from.

Tables whose cells hold text of prompts and responses are left out: a card is public. Whatever somebody wrote (names,
notes) is escaped: it stays text where Markdown or HTML would read it otherwise.
"""

from __future__ import annotations

import html
import json
import re

from trueward.errors import Conflict
from trueward.numerals import number, share
from trueward.wire.audit import Audit, AuditReport, Cell, ConsensusAudit, Estimate, Table

_READ_OTHERWISE = re.compile(r"([\\`*_{}\[\]()#+!|~-])")
_LONGEST = 60
"""Characters of a cell of a table of numbers; one with more holds what somebody wrote."""
_MOST_ROWS = 50


def audit_card(audit: Audit) -> str:
    """The card of a completed audit. Raises :class:`Conflict` for another."""
    if audit.report is None:
        raise Conflict(f"audit {audit.id} is {audit.state}: a card tells what an audit found")
    spec = audit.spec
    subjects = spec.subjects if isinstance(spec, ConsensusAudit) else [spec.subject]
    title = f"Audit of {', '.join(subject.name for subject in subjects)}"
    parts = [
        _metadata({"pretty_name": title, "tags": ["trueward", "verifier-audit", f"audit-{spec.kind}"]}),
        f"# {_text(title)}",
        _about(audit, audit.report),
        *_rates(audit.report),
        *(_table(table) for table in audit.report.tables if _of_numbers(table)),
        "## What was asked for\n\n" + _code(spec.model_dump_json(indent=2, exclude_none=True)),
    ]
    return "\n\n".join(parts) + "\n"


def _metadata(fields: dict[str, str | list[str]]) -> str:
    """YAML reads JSON."""
    return "\n".join(["---", *(f"{name}: {json.dumps(value)}" for name, value in fields.items()), "---"])


def _about(audit: Audit, report: AuditReport) -> str:
    finished = audit.finished_at or audit.created_at
    lines = [f"Kind: {audit.spec.kind}", f"Audit: {_text(audit.id)}", f"Finished: {finished:%Y-%m-%d %H:%M} UTC"]
    if report.versions:
        judged = (f"{name} {', '.join(versions)}" for name, versions in report.versions.items())
        lines.append(f"Judged by: {_text(', '.join(judged))}")
    if report.origins:
        labels = (f"{count:,} {source}" for source, count in report.origins.items())
        lines.append(f"Labels: {_text(', '.join(labels))}")
    return "\n".join(f"- {line}" for line in [*lines, *(f"Note: {_text(note)}" for note in report.notes)])


def _rates(report: AuditReport) -> list[str]:
    named = [("false positives", one) for one in report.false_positives]
    named += [("false negatives", one) for one in report.false_negatives]
    if not named:
        return []
    columns = ["rate", "value", "interval", "errors of items", "method", "note"]
    return ["## Error rates\n\n" + _grid(columns, [_rate(name, one) for name, one in named])]


def _rate(name: str, one: Estimate) -> list[str]:
    value = "" if one.rate is None else share(one.rate)
    interval = "" if one.interval is None else " to ".join(share(end) for end in one.interval)
    counted = f"{number(one.errors)} of {number(one.items)}"
    return [name, value, interval, counted, one.method.replace("_", " "), one.note]


def _of_numbers(table: Table) -> bool:
    return all(not isinstance(cell, str) or len(cell) <= _LONGEST for row in table.rows for cell in row) and not any(
        column in ("prompt", "response") for column in table.columns
    )


def _table(table: Table) -> str:
    in_percent = [column in table.shares for column in table.columns]
    rows = [
        [_cell(cell, place < len(in_percent) and in_percent[place]) for place, cell in enumerate(row)]
        for row in table.rows[:_MOST_ROWS]
    ]
    more = len(table.rows) - _MOST_ROWS
    below = [*([f"{more:,} more rows are in the report."] if more > 0 else []), *([table.note] if table.note else [])]
    return "\n\n".join([f"## {_text(table.title)}", _grid(table.columns, rows), *map(_text, below)])


def _cell(cell: Cell, in_percent: bool) -> str:
    if cell is None or isinstance(cell, str):
        return cell or ""
    return share(cell) if in_percent else number(cell)


def _grid(columns: list[str], rows: list[list[str]]) -> str:
    head, *body = ["| " + " | ".join(_text(cell) for cell in row) + " |" for row in [columns, *rows]]
    return "\n".join([head, "|" + "---|" * len(columns), *body])


def _text(words: str) -> str:
    """On one line, and nothing but text."""
    line = " ".join(words.split())
    return _READ_OTHERWISE.sub(r"\\\1", html.escape(line, quote=False))


def _code(text: str) -> str:
    """Fenced by more back-ticks than it has in a row."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}json\n{text}\n{fence}"
