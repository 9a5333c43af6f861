"""``trueward audit plan --verifier``: draws what to label, batch after batch, until an error rate is known so well."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from trueward.commands.audit.options import parse_verifier
from trueward.commands.audit.reading import valid
from trueward.commands.exits import ExitCode
from trueward.commands.report import plain, show_json
from trueward.commands.service import connect
from trueward.wire.aim import AimState, LabelAim


def pursue(said: Mapping[str, object], verifier: str, second: str | None, url: str | None, *, as_json: bool) -> None:
    """Ends the command with 0 where the target is reached (the rate below its limit), 1 where the rate is above it, 3
    where there is more to label, or nothing more to draw."""
    from trueward.client.label_calls import pursue as call

    aim = valid(
        LabelAim,
        {**said, "subject": parse_verifier(verifier), "second": None if second is None else parse_verifier(second)},
    )
    with connect(url) as client:
        found = client.call(call(aim))
        page = f"{client.url.rstrip('/')}/ui/labels/{found.draw}"
    if as_json:
        show_json(found.model_dump(mode="json"))
    else:
        for line in _lines(found, page):
            typer.echo(plain(line))
        for note in found.notes:
            typer.echo(plain(f"note: {note}"), err=True)
    raise typer.Exit(_code(found))


def _lines(found: AimState, page: str) -> list[str]:
    lines = [] if not found.claim or found.level is None else [f"{found.claim} (level {found.level:.2%} at this look)"]
    had = f"{found.labelled:,} of {found.population:,} responses are drawn and labelled"
    if found.state == "label":
        lines.append(f"batch {found.batch}: {found.left:,} to label, {had}: {page}")
        return [*lines, "then: the same command again"]
    return [*lines, f"{found.state}: {had}, in {found.batch} batches"]


def _code(found: AimState) -> ExitCode:
    if found.state != "reached":
        return ExitCode.MISSING
    return ExitCode.REJECTED if found.below is False else ExitCode.ACCEPTED
