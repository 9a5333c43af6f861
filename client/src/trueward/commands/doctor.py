"""``trueward doctor``: what is here, what works, and what to do about the rest."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version

import typer

from trueward.commands.exits import ExitCode
from trueward.commands.finding import Finding
from trueward.commands.report import add_row, new_table, show, show_json
from trueward.commands.server import installed, load_server, packages
from trueward.commands.service import AsJson, Url, connect
from trueward.errors import TruewardError

_SHOWN = ("trueward", "pydantic", "httpx2")


def doctor(url: Url = None, as_json: AsJson = False) -> None:
    """Check this installation and, where one is named, the service. Exit code 1 where something is wrong."""
    findings = list(_findings(url))
    if as_json:
        show_json([asdict(finding) for finding in findings])
    else:
        table = new_table("check", "", "detail")
        for finding in findings:
            add_row(table, finding.check, "ok" if finding.ok else "WRONG", finding.detail)
        show(table)
    raise typer.Exit(0 if all(finding.ok for finding in findings) else ExitCode.REJECTED)


def _findings(url: str | None) -> Iterator[Finding]:
    yield Finding("Python", True, f"{platform.python_version()} on {platform.system()}, {os.cpu_count()} CPUs")
    yield Finding("client", True, ", ".join(f"{name} {version(name)}" for name in _SHOWN))
    yield from _server_findings(named=url is not None)
    if url is not None:
        yield from _service_findings(url)


def _server_findings(*, named: bool) -> Iterator[Finding]:
    """Where only the client is installed, a server that is not here is no fault if a service is named."""
    found = packages()
    yield found if installed() else Finding(found.check, named, found.detail)
    if found.ok:
        yield from load_server().doctor()


def _service_findings(url: str) -> Iterator[Finding]:
    try:
        with connect(url) as client:
            readiness = client.health()
            yield Finding("service", readiness.ready, f"{client.url} {'is' if readiness.ready else 'is not'} ready")
            for check in readiness.checks:
                yield Finding(f"service: {check.name}", check.ok, check.detail)
            yield Finding("API key", True, f"accepted; {len(client.verifiers())} verifiers")
    except TruewardError as error:
        yield Finding("service", False, error.detail)
