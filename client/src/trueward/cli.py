"""The ``trueward`` command: wiring only; each command is a file of ``commands/``.

Exit codes: 0 all accepted; 1 some rejected or invalid; 2 wrong usage; 3 some without a verdict (this wins
over 1); 4 nothing was done: the service refused, failed or could not be reached, or is not installed.
A gate (``audit check``) ends with 0 passed, 1 above a limit, 3 where the audit cannot say.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from trueward.commands import (
    audit,
    doctor,
    jobs,
    labels,
    mcp,
    models,
    preset,
    recipe,
    rubric,
    runs,
    serve,
    train,
    trainers,
    verifiers,
    verify,
)
from trueward.commands.exits import ExitCode
from trueward.errors import AnsweredError, TruewardError

app = typer.Typer(
    name="trueward",
    help="Rewards and verifiers for reinforcement learning of language models.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 all accepted, 1 some rejected or invalid, 2 wrong usage, 3 some without a verdict, "
    "4 the service refused, failed, could not be reached or is not installed.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from trueward import __version__

        typer.echo(f"trueward {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Rewards and verifiers for reinforcement learning of language models."""


app.command("verify")(verify.verify)
app.add_typer(jobs.app, name="jobs")
app.add_typer(verifiers.app, name="verifiers")
app.add_typer(runs.app, name="runs")
app.add_typer(recipe.app, name="recipe")
app.add_typer(rubric.app, name="rubric")
app.add_typer(preset.app, name="preset")
app.add_typer(audit.app, name="audit")
app.add_typer(labels.app, name="labels")
app.add_typer(models.app, name="models")
app.add_typer(trainers.app, name="trainers")
app.command("train")(train.train)
app.command("doctor")(doctor.doctor)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
for name, summary in serve.SERVER_COMMANDS.items():
    app.command(name, help=summary, context_settings=serve.PASS_ON, add_help_option=False)(serve.pass_on)


def main(args: Sequence[str] | None = None) -> None:
    """Entry point of the console script: runs, says what went wrong, and exits."""
    try:
        app(args=args)
    except TruewardError as error:
        typer.echo(f"trueward: {error.detail}", err=True)
        for problem in error.errors if isinstance(error, AnsweredError) else ():
            if problem.detail not in error.detail:
                typer.echo(f"  {problem.field}: {problem.detail}", err=True)
        sys.exit(ExitCode.FAILED)


if __name__ == "__main__":
    main()
