"""``trueward verify``: one response from the command line, or many from JSONL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from pydantic import JsonValue

from trueward.commands import references
from trueward.commands.exits import ExitCode, exit_code
from trueward.commands.jsonl import read_samples, write_lines
from trueward.commands.params import Param, params_of
from trueward.commands.report import bar, show_result, summary
from trueward.commands.scorer import Scoring, score
from trueward.commands.service import AsJson, Url


def verify(
    verifier: Annotated[str | None, typer.Option(help="Verifier that judges, such as math.")] = None,
    recipe: Annotated[
        str | None, typer.Option(help="Recipe that gives rewards, by its name, instead of a verifier.")
    ] = None,
    response: Annotated[str | None, typer.Option(help="The response to judge.")] = None,
    reference: Annotated[list[str] | None, typer.Option(help="The gold answer; given again: any of them.")] = None,
    prompt: Annotated[str | None, typer.Option(help="What the response answers.")] = None,
    file: Annotated[
        str | None, typer.Option(help="JSONL, one sample a line, instead of --response; - is stdin.")
    ] = None,
    out: Annotated[str, typer.Option(help="Where the results of --file go, one a line; - is stdout.")] = "-",
    check_references: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="JSONL, one sample a line, without responses: say which references --verifier cannot read.",
        ),
    ] = None,
    param: Param = None,
    deadline: Annotated[float | None, typer.Option(min=0.001, help="Seconds that all of it may take.")] = None,
    run: Annotated[str | None, typer.Option(help="Run that a service records them under; audits choose by it.")] = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Judge responses: with a verifier or a recipe, in this process or through a service.

    Exit code: 0 all accepted, 1 some rejected or invalid, 3 some without a verdict, 4 nothing was judged. With
    --check-references: 0 all can be read, 1 some cannot, 3 some could not be checked.
    """
    params = params_of(verifier, recipe, param)
    if [response, file, check_references].count(None) != 2:
        raise typer.BadParameter(
            "give one response, or a file, or references to check",
            param_hint="--response / --file / --check-references",
        )
    if run is not None and url is None:
        raise typer.BadParameter("only a service records under a run: name one by --url", param_hint="--run")
    scoring = Scoring(verifier, recipe, params, deadline, run)
    if check_references is not None:
        if verifier is None:
            raise typer.BadParameter("name the verifier that is to read them", param_hint="--verifier")
        raise typer.Exit(references.check_references(check_references, scoring, url, as_json))
    if file is not None:
        outcomes = _judge_file(file, out, scoring, url)
    else:
        outcomes = _judge_one(_sample(response, reference or [], prompt), scoring, url, as_json)
    raise typer.Exit(outcomes)


def _judge_file(file: str, out: str, scoring: Scoring, url: str | None) -> ExitCode:
    samples = read_samples(file)
    with bar(len(samples)) as progress:
        results = score(samples, scoring, url, progress)
    write_lines(out, results)
    typer.echo(summary(results), err=True)
    return exit_code(result.outcome for result in results)


def _judge_one(sample: Mapping[str, JsonValue], scoring: Scoring, url: str | None, as_json: bool) -> ExitCode:
    (result,) = score([sample], scoring, url, lambda done, total: None)
    if as_json:
        write_lines("-", [result])
    else:
        show_result(result)
    return exit_code([result.outcome])


def _sample(response: str | None, references: Sequence[str], prompt: str | None) -> dict[str, JsonValue]:
    sample: dict[str, JsonValue] = {"response": response}
    if references:
        sample["reference"] = references[0] if len(references) == 1 else list(references)
    if prompt is not None:
        sample["prompt"] = prompt
    return sample
