"""``trueward recipe``: list, show, put, correct, validate and compare recipes, and explain a reward line by line."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from trueward.commands.exits import ExitCode
from trueward.commands.jsonl import read_json, read_text
from trueward.commands.report import add_row, new_table, plain, show, show_json
from trueward.commands.server import load_server
from trueward.commands.service import AsJson, Url, connect
from trueward.wire.recipe import RecipeValidation
from trueward.wire.record import Explanation

app = typer.Typer(help="Recipes, and how a reward came about.", no_args_is_help=True)

File = Annotated[str, typer.Argument(help="YAML (or JSON) file; - is stdin.", show_default=False)]
Name = Annotated[str, typer.Argument(help="Name of the recipe.", show_default=False)]
Estimator = Annotated[
    str, typer.Option(help="What the trainer makes of rewards: raw, centred, leave_one_out, standardised, ...")
]


@app.command("list")
def list_recipes(url: Url = None, as_json: AsJson = False) -> None:
    """Every recipe at hand, of a service or of this installation."""
    if url is None:
        found = load_server().list_recipes()
    else:
        with connect(url) as client:
            found = [info.model_dump(mode="json") for info in client.recipes()]
    if as_json:
        show_json(found)
        return
    table = new_table("recipe", "hash", "what it pays")
    for entry in found:
        body = entry["recipe"]
        add_row(table, entry["name"], str(entry["hash"])[:19], body["description"] if isinstance(body, dict) else "")
    show(table)


@app.command("show")
def show_recipe(
    reference: Annotated[str, typer.Argument(help="Name, or name@hash.", show_default=False)], url: Url = None
) -> None:
    """A recipe in full, defaults included, as JSON."""
    if url is None:
        show_json(load_server().show_recipe(reference))
        return
    with connect(url) as client:
        show_json(client.recipe(reference).model_dump(mode="json"))


@app.command("put")
def put_recipe(name: Name, file: File, estimator: Estimator = "standardised", url: Url = None) -> None:
    """Store a recipe in a service, and print its hash."""
    with connect(url) as client:
        stored = client.put_recipe(name, read_text(file, "FILE"), estimator=estimator)
    _warn(stored.warnings)
    typer.echo(f"{stored.hash}  {'new' if stored.new else 'as it was'}")


@app.command("correct")
def correct_recipe(
    reference: Annotated[str, typer.Argument(metavar="RECIPE", help="Name, or name@hash.", show_default=False)],
    audit: Annotated[
        str, typer.Option(help="Of one of its verifiers: id, latest, name, run, or how the id begins.")
    ] = "latest",
    name: Annotated[
        str | None, typer.Option("--as", help="Name of the corrected recipe; default: with -corrected behind it.")
    ] = None,
    estimator: Estimator = "standardised",
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Make a recipe that is corrected with what an audit measured, store it in a service, and print its hash.

    The terms of the audited verifier get the audit's rates, by its id; an earlier correction keeps its other settings.
    """
    with connect(url) as client:
        found = client.correct_recipe(reference, audit=audit, name=name, estimator=estimator)
    if as_json:
        show_json(found.model_dump(mode="json"))
        return
    _warn(found.warnings)
    typer.echo(plain(f"{found.hash}  {found.name}, corrected with audit {found.audit}"))
    typer.echo(plain(f"use it: trueward verify --recipe {shlex.quote(found.name)} --file samples.jsonl"), err=True)


@app.command("validate")
def validate_recipe(
    file: File, estimator: Estimator = "standardised", url: Url = None, as_json: AsJson = False
) -> None:
    """What is wrong with a recipe, by field and line, and what in it has no effect.

    Exit code: 0 valid, 1 not valid.
    """
    text = read_text(file, "FILE")
    if url is None:
        found = load_server().validate_recipe(text, estimator)
    else:
        with connect(url) as client:
            found = client.validate_recipe(text, estimator=estimator)
    if as_json:
        show_json(found.model_dump(mode="json"))
    else:
        _show_validation(found)
    raise typer.Exit(ExitCode.ACCEPTED if found.valid else ExitCode.REJECTED)


@app.command("diff")
def compare(
    name: Name,
    before: Annotated[str | None, typer.Option("--from", help="Hash; default: the content before.")] = None,
    after: Annotated[str | None, typer.Option("--to", help="Hash; default: the present content.")] = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """What differs between two contents of a recipe, place by place."""
    with connect(url) as client:
        found = client.recipe_difference(name, before, after)
    if as_json:
        show_json(found.model_dump(mode="json"))
        return
    table = new_table("place", found.before[:19], found.after[:19])
    for change in found.changes:
        add_row(table, change.place, change.before, change.after)
    show(table)


@app.command("explain")
def explain(
    record: Annotated[str | None, typer.Argument(help="Record of a reward in a service.", show_default=False)] = None,
    recipe: Annotated[
        str | None, typer.Option(help="Recipe to explain: a file, or a name; of the service, where one is named.")
    ] = None,
    sample: Annotated[
        str | None, typer.Option(help="JSON file with a sample, or a list of a group's; - is stdin.")
    ] = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """A reward's arithmetic, line by line: of a record in a service, or of a sample that is judged here."""
    if (record is None) == (recipe is None) or (recipe is None) != (sample is None):
        raise typer.BadParameter("give a record, or --recipe with --sample", param_hint="RECORD")
    if record is not None:
        with connect(url) as client:
            found: Sequence[Explanation] = [client.explain(record)]
    else:
        assert recipe is not None
        assert sample is not None
        given = read_json(sample, "--sample")
        samples = given if isinstance(given, list) else [given]
        name, text = _content(recipe, url)
        found = load_server().explain(name, text, samples)
    if as_json:
        show_json([one.model_dump(mode="json") for one in found])
        return
    for one in found:
        _show_explanation(one, alone=len(found) == 1)


def _content(recipe: str, url: str | None) -> tuple[str | None, str]:
    """The name of a recipe to look for here, or the text of one: of a file, or of the service that is named."""
    if recipe == "-" or Path(recipe).is_file():
        return None, read_text(recipe, "--recipe")
    if not url:
        return recipe, ""
    with connect(url) as client:
        return None, json.dumps(client.recipe(recipe).recipe)


def _warn(warnings: list[str]) -> None:
    for warning in warnings:
        typer.echo(plain(f"warning: {warning}"), err=True)


def _show_validation(found: RecipeValidation) -> None:
    for problem in found.problems:
        typer.echo(plain(f"{problem.field}: {problem.detail}"))
    _warn(found.warnings)
    if found.hash is not None:
        typer.echo(f"valid  {found.hash}")


def _show_explanation(found: Explanation, *, alone: bool) -> None:
    if not alone:
        typer.echo(plain(f"sample {found.id} of group {found.group}"))
    for line in found.lines:
        typer.echo(plain(line if alone else f"  {line}"))
    if not found.agrees:
        typer.echo("this is not what was recorded: the ledger or the arithmetic changed since", err=True)
