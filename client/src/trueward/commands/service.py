"""Options that name a service, and the connection to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from trueward.client import Client

_ATTEMPTS = 4

Url = Annotated[
    str | None,
    typer.Option(
        envvar="TRUEWARD_URL",
        help="URL of a running service; its key, if it asks for one, comes from TRUEWARD_API_KEY.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def connect(url: str | None) -> Client:
    """A client that gives up soon, and that keeps its retries to itself: stdout is for results."""
    import stamina.instrumentation

    from trueward.client import Client, outage

    stamina.instrumentation.set_on_retry_hooks([])
    outage.log.setLevel("ERROR")
    if url is None:
        raise typer.BadParameter("name a service with --url or TRUEWARD_URL", param_hint="--url")
    return Client(url, attempts=_ATTEMPTS)
