"""An audit from the command line: started, followed, shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NoReturn

import typer

from trueward.commands.audit.shown import show_audit
from trueward.commands.exits import ExitCode
from trueward.commands.report import bar, plain, show_json
from trueward.commands.server import load_server
from trueward.commands.service import AsJson, Url, connect
from trueward.wire.audit import Audit, AuditSpec, LabelledAudit


@dataclass(frozen=True, slots=True)
class Carry:
    """Where an audit is carried out, and what is shown of it."""

    name: Annotated[str, typer.Option(help="What to call the audit; recipes and gates go by its id.")] = ""
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for its end, or print its id and leave it.")] = (
        True
    )
    timeout: Annotated[float | None, typer.Option(min=0, help="Seconds to wait at most; the audit goes on.")] = None
    url: Url = None
    as_json: AsJson = False

    def out(self, spec: AuditSpec) -> None:
        """Carries it out in the service, or in this process where none is named; ends the command with 0 where it was
        completed, 4 where it failed."""
        if self.url is None:
            present(self._here(spec), self.as_json, recorded=False)
        with connect(self.url) as client:
            audit = client.start_audit(spec, name=self.name)
            if not self.wait:
                typer.echo(audit.id)
                return
            typer.echo(f"audit {audit.id}", err=True)
            with bar(0) as progress:
                audit = client.wait_for_audit(audit.id, self.timeout, progress)
        present(audit, self.as_json)

    def _here(self, spec: AuditSpec) -> Audit:
        """What needs records fails with the sentence that says so."""
        if not self.wait:
            raise typer.BadParameter("nothing goes on when this process ends: name a service", param_hint="--no-wait")
        with bar(0) as progress:
            return load_server().audit(spec, self.name, progress)


def present(audit: Audit, as_json: bool, *, recorded: bool = True) -> NoReturn:
    if as_json:
        show_json(audit.model_dump(mode="json"))
    else:
        show_audit(audit, recorded=recorded)
        for line in _next(audit):
            typer.echo(plain(line))
    raise typer.Exit(ExitCode.FAILED if audit.state == "failed" else ExitCode.ACCEPTED)


def _next(audit: Audit) -> list[str]:
    """What a completed audit of labels is good for, ready to be copied."""
    if not isinstance(audit.spec, LabelledAudit) or audit.report is None or audit.report.rates is None:
        return []
    return [
        f"gate:   trueward audit check {audit.id} --max-fpr 0.05",
        f"recipe: trueward recipe correct RECIPE --audit {audit.id}",
    ]
