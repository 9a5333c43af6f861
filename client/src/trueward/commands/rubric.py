"""``trueward rubric``: look at one, find what is wrong with it, import others' formats, see what the ledger says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer
from pydantic import JsonValue, ValidationError

from trueward.commands.exits import ExitCode
from trueward.commands.jsonl import read_text, write_lines
from trueward.commands.report import add_row, new_table, plain, show, show_json
from trueward.commands.service import AsJson, Url, connect
from trueward.rubrics import FOREIGN, Rubric, explain_refusal, lint
from trueward.rubrics.correlation import CriteriaReport
from trueward.rubrics.rubric import document

app = typer.Typer(
    help="Rubrics: look at one, lint it, import others' formats, correlate criteria.", no_args_is_help=True
)

File = Annotated[str, typer.Argument(help="JSON or YAML file; - is stdin.", show_default=False)]


class Format(StrEnum):
    HEALTHBENCH = "healthbench"
    OPEN_INSTRUCT = "open-instruct"


@app.command("show")
def show_rubric(file: File, as_json: AsJson = False) -> None:
    """A rubric's criteria and their shares of the score."""
    found = _document(file)
    try:
        rubric = Rubric.of(found)
    except ValidationError as refusal:
        raise typer.BadParameter(f"{file}: {explain_refusal(refusal)}", param_hint="FILE") from refusal
    if as_json:
        show_json({**rubric.model_dump(exclude_none=True), "hash": rubric.hash})
        return
    typer.echo(plain(f"{rubric.name or 'rubric'} {rubric.version}  {rubric.hash}"))
    typer.echo(f"{len(rubric.criteria)} criteria, {rubric.scores}, weights {rubric.weight_mode}")
    table = new_table("id", "weight", "share", "criterion")
    for one in rubric.criteria:
        share = f"{one.weighs / rubric.best:.1%}" if rubric.best else "-"
        add_row(table, one.id, f"{one.weighs:g}", share, f"(hidden) {one.text}" if one.hidden else one.text)
    show(table)


@app.command("lint")
def lint_rubric(file: File, as_json: AsJson = False) -> None:
    """What is wrong with a rubric: errors, likely mistakes (warnings), and notes.

    Exit code: 0 no errors, 1 some.
    """
    found = lint(_document(file))
    if as_json:
        show_json([asdict(one) for one in found])
    elif found:
        table = new_table("level", "place", "code", "")
        for one in found:
            add_row(table, one.level, one.place or "-", one.code, one.words)
        show(table)
    else:
        typer.echo("nothing found")
    raise typer.Exit(ExitCode.REJECTED if any(one.level == "error" for one in found) else ExitCode.ACCEPTED)


@app.command("import")
def import_rubrics(
    file: Annotated[
        str, typer.Argument(help="JSON, or JSON lines, in the other format; - is stdin.", show_default=False)
    ],
    form: Annotated[Format, typer.Option("--from", help="Whose format it is.", show_default=False)],
    out: Annotated[str, typer.Option(help="File for one rubric a line; - is stdout.")] = "-",
) -> None:
    """Rubrics of others in our format, one a line, with the weight mode that gives their scores."""
    read = FOREIGN[form.value]
    rubrics = []
    for place, row in enumerate(_rows(read_text(file, "FILE"), file), start=1):
        try:
            rubrics.append(read(row))
        except ValidationError as refusal:
            raise typer.BadParameter(f"{file}, row {place}: {explain_refusal(refusal)}", param_hint="FILE") from refusal
        except ValueError as refusal:
            raise typer.BadParameter(f"{file}, row {place}: {refusal}", param_hint="FILE") from refusal
    write_lines(out, rubrics)


@app.command("correlate")
def correlate(
    run: Annotated[str | None, typer.Option(help="Only verdicts of this run.")] = None,
    verifier: Annotated[str, typer.Option(help="Whose verdicts.")] = "rubric",
    rubric: Annotated[str | None, typer.Option(help="Hash of a rubric; default: the one with most verdicts.")] = None,
    after: Annotated[str | None, typer.Option(help="List pairs from after this one, first~second.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Pairs at most.")] = 20,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Which criteria go together in the ledger, and which are always or never met."""
    from trueward.client import ledger_calls

    with connect(url) as client:
        found = client.call(ledger_calls.correlation(run, verifier, rubric, after, limit))
    if as_json:
        show_json(found.model_dump(mode="json"))
    else:
        _show_report(found)


def _show_report(found: CriteriaReport) -> None:
    left_out = f" ({found.left_out:,} older ones left out)" if found.left_out else ""
    typer.echo(f"{found.verdicts:,} verdicts by {found.rubric or 'no rubric'}{left_out}")
    criteria = new_table("criterion", "n", "met", "")
    for one in found.criteria:
        add_row(criteria, one.id, f"{one.n:,}", f"{one.mean:.1%}", (one.flag or "").replace("_", " "))
    show(criteria)
    pairs = new_table("criterion", "criterion", "n", "correlation", "")
    for pair in found.pairs:
        value = "-" if pair.correlation is None else f"{pair.correlation:+.3f}"
        add_row(pairs, pair.first, pair.second, f"{pair.n:,}", value, pair.flag or "")
    show(pairs)
    if found.next:
        typer.echo(plain(f"more with --after {found.next}"))


def _document(file: str) -> JsonValue:
    try:
        return document(read_text(file, "FILE"))
    except ValueError as refusal:
        raise typer.BadParameter(f"{file}: {refusal}", param_hint="FILE") from refusal


def _rows(text: str, file: str) -> Iterator[JsonValue]:
    """The elements of a list, the one object, or the lines."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        for number, line in lines:
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as refusal:
                raise typer.BadParameter(f"{file}, line {number}: no JSON: {refusal}", param_hint="FILE") from refusal
        return
    yield from whole if isinstance(whole, list) else [whole]
