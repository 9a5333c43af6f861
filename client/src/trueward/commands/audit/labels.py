"""``trueward audit plan``: how many labels it takes."""

from __future__ import annotations

from typing import Annotated

import typer

from trueward.audits import LabelQuestion
from trueward.commands.audit.reading import valid
from trueward.commands.report import plain, show_json
from trueward.commands.server import load_server
from trueward.commands.service import AsJson, Url, connect


def plan(
    max_fpr: Annotated[float | None, typer.Option(help="Limit of the gate on false positives.")] = None,
    max_fnr: Annotated[float | None, typer.Option(help="Limit of the gate on false negatives.")] = None,
    expected_fpr: Annotated[float | None, typer.Option(help="What the rate is thought to be.")] = None,
    expected_fnr: Annotated[float | None, typer.Option(help="What the rate is thought to be.")] = None,
    width: Annotated[float | None, typer.Option(help="Width that the intervals shall have.")] = None,
    share_wrong: Annotated[float | None, typer.Option(help="Share of the responses that are truly wrong.")] = None,
    group_size: Annotated[float, typer.Option(help="Responses to one prompt.")] = 1,
    correlation: Annotated[float, typer.Option(help="Of the errors of responses to one prompt.")] = 0,
    power: Annotated[float, typer.Option(help="Probability with which the gate shall be passed.")] = 0.8,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """How many responses to label before a gate can pass, or an interval is narrow enough."""
    asked = {
        "max_fpr": max_fpr,
        "max_fnr": max_fnr,
        "expected_fpr": expected_fpr,
        "expected_fnr": expected_fnr,
        "width": width,
        "share_wrong": share_wrong,
        "group_size": group_size,
        "correlation": correlation,
        "power": power,
        "level": level,
    }
    question = valid(LabelQuestion, asked)
    if url is None:
        found = load_server().plan_labels(question)
    else:
        with connect(url) as client:
            found = client.plan_labels(question)
    if as_json:
        show_json(found.model_dump(mode="json"))
        return
    for kind, labels in (("wrong", found.wrong), ("right", found.right)):
        if labels is not None:
            typer.echo(f"{labels:,} truly {kind} responses")
    typer.echo(f"{found.responses:,} responses to label, drawn at random")
    for note in found.notes:
        typer.echo(plain(f"note: {note}"))
