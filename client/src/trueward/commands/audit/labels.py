"""``trueward audit plan``: how many labels it takes; with ``--verifier`` it draws them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from trueward.commands.audit.options import parse_verifier
from trueward.commands.audit.reading import valid
from trueward.commands.exits import ExitCode
from trueward.commands.report import plain, show_json
from trueward.commands.server import load_server
from trueward.commands.service import AsJson, Url, connect
from trueward.wire.aim import AimState, LabelAim
from trueward.wire.label_plan import LabelQuestion

_POWER = 0.8


def plan(
    max_fpr: Annotated[float | None, typer.Option(help="Limit of the gate on false positives.")] = None,
    max_fnr: Annotated[float | None, typer.Option(help="Limit of the gate on false negatives.")] = None,
    expected_fpr: Annotated[float | None, typer.Option(help="What the rate is thought to be.")] = None,
    expected_fnr: Annotated[float | None, typer.Option(help="What the rate is thought to be.")] = None,
    width: Annotated[float | None, typer.Option(help="Width that the intervals shall have.")] = None,
    share_wrong: Annotated[float | None, typer.Option(help="Share of the responses that are truly wrong.")] = None,
    group_size: Annotated[float, typer.Option(help="Responses to one prompt.")] = 1,
    correlation: Annotated[float, typer.Option(help="Of the errors of responses to one prompt.")] = 0,
    power: Annotated[float, typer.Option(help="Probability with which the gate shall be passed.")] = _POWER,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = 0.95,
    verifier: Annotated[
        str | None, typer.Option(help="Draw what to label for it until the target is reached; or name@version.")
    ] = None,
    second: Annotated[str | None, typer.Option(help="Another verifier, which tells where errors may be.")] = None,
    by: Annotated[
        str | None, typer.Option(help="Feature that tells where errors may be, such as data_source, length or form.")
    ] = None,
    run: Annotated[str | None, typer.Option(help="Only responses of this run.")] = None,
    at_large: Annotated[
        bool, typer.Option("--at-large", help="Speak of the verifier, not of these responses alone; takes more.")
    ] = False,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """How many responses to label before a gate can pass, or an interval is narrow enough; with --verifier, which.

    With a verifier it draws a first batch and prints its labelling page; called again when that is labelled it looks,
    and draws more where the rate's side of its limit, or its interval's width, is not what was asked for. The width is
    that of the false-positive rate. Exit code then: 0 reached, 1 above the limit, 3 more to label.
    """
    if verifier is not None:
        _refuse_assumptions([expected_fpr, expected_fnr, share_wrong], [group_size - 1, correlation, power - _POWER])
        limits = {"false_positive": max_fpr, "false_negative": max_fnr}
        rate = "false_negative" if max_fnr is not None else "false_positive"
        if max_fpr is not None and max_fnr is not None:
            raise typer.BadParameter("one limit at a time where labels are drawn", param_hint="--max-fpr / --max-fnr")
        aim = {"population": {"run": run}, "rate": rate, "width": width, "limit": limits[rate], "at_large": at_large}
        pursue({**aim, "by": by, "level": level}, verifier, second, url, as_json=as_json)
    if second is not None or by is not None or run is not None or at_large:
        raise typer.BadParameter("labels are drawn for a verifier: name it", param_hint="--verifier")
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


def _refuse_assumptions(assumed: list[float | None], changed: list[float]) -> None:
    """Where labels are drawn nothing is assumed of the rates."""
    if any(one is not None for one in assumed) or any(changed):
        raise typer.BadParameter(
            "with --verifier what was labelled says this: leave expected rates, share-wrong, group-size, correlation "
            "and power out",
            param_hint="--verifier",
        )


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
