"""``trueward jobs``: many samples, scored by a service that keeps what is done."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from trueward.commands.exits import exit_code
from trueward.commands.jsonl import read_samples, write_lines
from trueward.commands.params import Param, params_of
from trueward.commands.report import bar, show_json
from trueward.commands.service import Url, connect
from trueward.wire.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueward.client import JobState
    from trueward.client.job import Job, Result
    from trueward.client.plan import JobContext

app = typer.Typer(help="Submit and follow jobs of a service.", no_args_is_help=True)

JobId = Annotated[str, typer.Argument(metavar="ID", help="Id of the job.", show_default=False)]
Out = Annotated[str, typer.Option(help="Where the results go, one a line; - is stdout.")]


@app.command()
def submit(
    file: Annotated[str, typer.Argument(help="JSONL, one sample a line; - is stdin.", show_default=False)],
    verifier: Annotated[str | None, typer.Option(help="Verifier that judges.")] = None,
    recipe: Annotated[str | None, typer.Option(help="Recipe that gives rewards, by its name, instead.")] = None,
    param: Param = None,
    run: Annotated[str | None, typer.Option(help="Run that the samples belong to.")] = None,
    webhook: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Told when it has ended; signed with TRUEWARD_WEBHOOK_SECRET, where that is."),
    ] = None,
    url: Url = None,
) -> None:
    """Hand a file over as a job; prints the job's id."""
    params = params_of(verifier, recipe, param)
    with connect(url) as client:
        samples = read_samples(file)
        secret = os.environ.get("TRUEWARD_WEBHOOK_SECRET") if webhook else None
        told: JobContext = {"run": run, "webhook": webhook, "webhook_secret": secret}
        job = client.submit(samples, verifier=verifier, recipe=recipe, params=params, **told)
    typer.echo(job.id)


@app.command()
def status(job: JobId, url: Url = None) -> None:
    """State and counts of a job, as JSON."""
    with connect(url) as client:
        _show(client.job(job).status())


@app.command()
def wait(
    job: JobId,
    timeout: Annotated[float | None, typer.Option(min=0, help="Seconds to wait at most.")] = None,
    url: Url = None,
) -> None:
    """Wait until a job has ended. Exit code as for verify; 4 where it was cancelled, failed or goes on."""
    with connect(url) as client, bar(0) as progress:
        state = client.job(job).wait(timeout, progress)
    _show(state)
    raise typer.Exit(_code(state))


@app.command()
def results(job: JobId, out: Out = "-", url: Url = None) -> None:
    """The results of a job, JSONL in the order of its samples. Exit code as for verify."""
    seen: set[Outcome] = set()
    with connect(url) as client:
        write_lines(out, _noted(client.job(job), seen))
    raise typer.Exit(exit_code(seen))


@app.command()
def cancel(job: JobId, url: Url = None) -> None:
    """Stop a job; what is done stays."""
    with connect(url) as client:
        _show(client.job(job).cancel())


def _noted(job: Job, seen: set[Outcome]) -> Iterator[Result]:
    for result in job.results():
        seen.add(result.outcome)
        yield result


def _show(state: JobState) -> None:
    show_json(state.model_dump(mode="json", exclude_none=True))


def _code(state: JobState) -> int:
    from trueward.commands.exits import ExitCode

    if state.state != "completed":
        return ExitCode.FAILED
    return exit_code(outcome for outcome in Outcome if state.counts.get(outcome.value))
