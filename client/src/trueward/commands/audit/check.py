"""``trueward audit check``: the gate of a pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from trueward.commands.audit.reading import valid_json
from trueward.commands.exits import ExitCode
from trueward.commands.jsonl import read_text
from trueward.commands.report import add_row, new_table, show, show_json
from trueward.commands.service import AsJson, Url, connect
from trueward.errors import Conflict
from trueward.gate import gate
from trueward.wire.audit import Audit, AuditReport, GateBound, GateReport

_OPTION = "AUDIT"


def check(
    audit: Annotated[
        str,
        typer.Argument(
            metavar=_OPTION,
            help="Id, latest, name, run, or how the id begins; or a file with its JSON report; - is stdin.",
        ),
    ],
    max_fpr: Annotated[float | None, typer.Option(min=0, max=1, help="Most false positives, in [0, 1].")] = None,
    max_fnr: Annotated[float | None, typer.Option(min=0, max=1, help="Most false negatives, in [0, 1].")] = None,
    bound: Annotated[GateBound, typer.Option(help="Compare the interval's upper end, or the rate.")] = "upper",
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Hold an audit's error rates against limits.

    Exit code: 0 all at most at their limits, 1 some above, 3 none above but some that the audit cannot say.
    """
    if max_fpr is None and max_fnr is None:
        raise typer.BadParameter("the gate has no limit: name one or both", param_hint="--max-fpr / --max-fnr")
    if audit == "-" or Path(audit).is_file():
        found = gate(_saved(audit), max_fpr, max_fnr, bound)
    else:
        with connect(url) as client:
            found = client.check_audit(audit, max_fpr=max_fpr, max_fnr=max_fnr, bound=bound)
    if as_json:
        show_json(found.model_dump(mode="json"))
    else:
        _show(found)
    raise typer.Exit(_code(found))


def _saved(source: str) -> AuditReport:
    """Of an audit as `report` saves it, or of a report alone."""
    text = read_text(source, _OPTION)
    try:
        audit = Audit.model_validate_json(text, extra="ignore")
    except ValidationError:
        return valid_json(AuditReport, text, _OPTION)
    if audit.report is None:
        raise Conflict(f"audit {audit.id} is {audit.state}: {audit.failure or 'it has no report yet'}")
    return audit.report


def _show(found: GateReport) -> None:
    table = new_table("", "rate", "limit", "why")
    for one in found.checks:
        word = "passed" if one.passed else "unknown" if one.value is None else "FAILED"
        add_row(table, word, one.rate.replace("_", " "), f"{one.limit:g}", one.reason)
    show(table)


def _code(found: GateReport) -> ExitCode:
    if any(not one.passed and one.value is not None for one in found.checks):
        return ExitCode.REJECTED
    return ExitCode.ACCEPTED if found.passed else ExitCode.MISSING
