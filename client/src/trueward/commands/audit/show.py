"""``trueward audit list``, ``show``, ``cancel``, ``report`` and ``card``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from trueward.card import audit_card
from trueward.commands.audit.carry import present
from trueward.commands.report import add_row, new_table, show, show_json
from trueward.commands.service import AsJson, Url, connect

AuditId = Annotated[
    str,
    typer.Argument(metavar="AUDIT", help="Id, latest, name, run, or how the id begins.", show_default=False),
]


def list_audits(
    kind: Annotated[str | None, typer.Option(help="Only audits of this kind.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only of this verifier, or of `recipe NAME`.")] = None,
    after: Annotated[str | None, typer.Option(help="List from after this audit.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Audits at most.")] = 100,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Audits, newest first."""
    with connect(url) as client:
        found = client.audits(kind=kind, subject=subject, after=after, limit=limit)
    if as_json:
        show_json(found.model_dump(mode="json"))
        return
    table = new_table("audit", "kind", "of", "state", "done", "asked for", "name")
    for one in found.audits:
        done = f"{one.done:,} of {one.total:,}"
        add_row(table, one.id, one.kind, one.subject, one.state, done, f"{one.created_at:%Y-%m-%d %H:%M}", one.name)
    show(table, whole=True)


def show_audit(audit: AuditId, url: Url = None, as_json: AsJson = False) -> None:
    """How far an audit is, why it failed, or what it found. Exit code 4 where it failed."""
    with connect(url) as client:
        found = client.audit(audit)
    present(found, as_json)


def cancel(audit: AuditId, url: Url = None, as_json: AsJson = False) -> None:
    """End an audit; what it judged stays in the ledger. Exit code 4, or 0 where it was completed before."""
    with connect(url) as client:
        found = client.cancel_audit(audit)
    present(found, as_json)


def report(
    audit: AuditId,
    out: Annotated[str, typer.Option(help="Where to; a name that ends with .json gets JSON; - is stdout.")] = "-",
    form: Annotated[
        Literal["html", "json"] | None, typer.Option("--format", help="Default: by the name of --out, else html.")
    ] = None,
    url: Url = None,
) -> None:
    """The report as one HTML page that needs nothing else, or as JSON that `trueward audit check` reads."""
    with connect(url) as client:
        text = client.audit_report(audit, form or ("json" if out.endswith(".json") else "html"))
    _write(out, text)


def card(
    audit: AuditId,
    out: Annotated[str, typer.Option(help="Where to, such as README.md of a data set; - is stdout.")] = "-",
    url: Url = None,
) -> None:
    """The audit as a card for a data set of the Hugging Face Hub: Markdown under metadata, without any response."""
    with connect(url) as client:
        found = client.audit(audit)
    _write(out, audit_card(found))


def _write(out: str, text: str) -> None:
    if out == "-":
        typer.echo(text)
        return
    try:
        Path(out).write_text(text, encoding="utf-8")
    except OSError as failure:
        raise typer.BadParameter(f"{out}: {failure.strerror}", param_hint="--out") from failure
