"""The ``trueward`` command: wiring only; each command is a file of ``commands/``.

Exit codes: 0 all accepted; 1 some rejected or invalid; 2 wrong usage; 3 some without a verdict (this wins
over 1); 4 nothing was done: the service refused, failed or could not be reached, or is not installed.
A gate (``audit check``) ends with 0 passed, 1 above a limit, 3 where the audit cannot say.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import typer

from trueward.commands.exits import ExitCode
from trueward.commands.lazy import CommandPlace, LazyGroup

_PASS_ON: Final = {
    "context_settings": {"allow_extra_args": True, "ignore_unknown_options": True},
    "add_help_option": False,
}
"""Of a command whose whole line the server reads."""


def _server(summary: str) -> CommandPlace:
    return CommandPlace("trueward.commands.serve", "pass_on", summary, {**_PASS_ON, "help": summary})


COMMANDS: Final[Mapping[str, CommandPlace]] = {
    "verify": CommandPlace(
        "trueward.commands.verify",
        "verify",
        "Judge responses: with a verifier or a recipe, in this process or through a service.",
    ),
    "jobs": CommandPlace("trueward.commands.jobs", "app", "Submit and follow jobs of a service."),
    "verifiers": CommandPlace("trueward.commands.verifiers", "app", "List and show verifiers."),
    "runs": CommandPlace(
        "trueward.commands.runs", "app", "The runs of a service and their rewards: list, show, follow, replay."
    ),
    "recipe": CommandPlace("trueward.commands.recipe", "app", "Recipes, and how a reward came about."),
    "rubric": CommandPlace(
        "trueward.commands.rubric", "app", "Rubrics: look at one, lint it, import others' formats, correlate criteria."
    ),
    "preset": CommandPlace(
        "trueward.commands.preset", "app", "Presets of judges: look at one, check a folder, try one on a sample."
    ),
    "audit": CommandPlace("trueward.commands.audit", "app", "Audits: how often a verifier or a recipe is wrong."),
    "labels": CommandPlace(
        "trueward.commands.labels", "app", "Labels: import, export, draw what to label next, agreement."
    ),
    "models": CommandPlace(
        "trueward.commands.models", "app", "Reward models, process reward models and language models of a service."
    ),
    "trainers": CommandPlace("trueward.commands.trainers", "app", "The lines that point a trainer at a service."),
    "train": CommandPlace("trueward.commands.train", "train", "Train a language model with rewards from a service."),
    "doctor": CommandPlace(
        "trueward.commands.doctor",
        "doctor",
        "Check this installation and, where one is named, the service. Exit code 1 where something is wrong.",
    ),
    "serve": CommandPlace(
        "trueward.commands.serve",
        "serve",
        "Run the service. What is not given, and every other setting, comes from TRUEWARD_ variables.",
    ),
    "mcp": CommandPlace(
        "trueward.commands.mcp",
        "mcp",
        "Speak the Model Context Protocol on stdin and stdout, for assistants that start it: verify, explain, audit.",
    ),
    "db": _server("Migrate, prune, export and import the database."),
    "keys": _server("Make, list, change, rotate and revoke API keys, directly in the database."),
    "projects": _server("Make, list, change and delete projects, directly in the database."),
    "ray": _server("Deploy the lanes on a Ray cluster, look at them, take them away."),
}


class _Commands(LazyGroup):
    places = COMMANDS


app = typer.Typer(
    name="trueward",
    cls=_Commands,
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


def main(args: Sequence[str] | None = None) -> None:
    """Entry point of the console script: runs, says what went wrong, and exits."""
    try:
        app(args=args)
    except Exception as error:  # ours are told apart below, for their tree takes long to import; all others go on
        from trueward.errors import AnsweredError, TruewardError

        if not isinstance(error, TruewardError):
            raise
        typer.echo(f"trueward: {error.detail}", err=True)
        places: dict[str, list[str]] = {}
        for problem in error.errors if isinstance(error, AnsweredError) else ():
            if problem.detail not in error.detail:
                places.setdefault(problem.detail, []).append(problem.field)
        for detail, fields in places.items():
            more = f" and {len(fields) - 3} more" if len(fields) > 3 else ""
            typer.echo(f"  {', '.join(fields[:3])}{more}: {detail}", err=True)
        sys.exit(ExitCode.FAILED)


if __name__ == "__main__":
    main()
