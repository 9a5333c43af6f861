"""``trueward runs follow``: a run's numbers, samples and alarms written to sinks as they come."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from trueward.commands.service import Url, connect
from trueward.errors import ConnectionFailed, ServiceFailed
from trueward.printing import plain

if TYPE_CHECKING:
    from trueward.sinks.follower import Follower
    from trueward.wire.run import Run


def follow(
    run: Annotated[str, typer.Argument(metavar="ID", help="Id of the run.", show_default=False)],
    sink: Annotated[
        list[str],
        typer.Option(metavar="NAME[:TARGET]", help="Where to: wandb, mlflow, tensorboard, opentelemetry, ..."),
    ],
    samples: Annotated[int, typer.Option(min=0, max=8, help="Samples of each step that are shown.")] = 4,
    every_s: Annotated[float, typer.Option(min=1, max=3600, help="Seconds between looks.")] = 10.0,
    settle_s: Annotated[
        float, typer.Option(min=0, max=86_400, help="Age of the last step from which it counts as whole.")
    ] = 60.0,
    once: Annotated[bool, typer.Option("--once", help="Write what there is, and end.")] = False,
    state: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where it is kept what each sink has.", show_default=False)
    ] = None,
    url: Url = None,
) -> None:
    """Write a run's numbers, a few samples and its alarms to sinks, each step once, until Ctrl-C.

    Started again it goes on from the last step of each sink.
    """
    from trueward.sinks.follower import Follower, Progress
    from trueward.sinks.registry import open_sink

    folder = state or Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "trueward/sinks"
    with connect(url) as client, ExitStack() as stack:
        config = _config(client.run(run))
        opened = []
        for spec in dict.fromkeys(sink):
            made = open_sink(spec, run, folder, config)
            stack.callback(made.close)
            opened.append((made, Progress.of(folder, client.url, run, spec)))
        follower = Follower(client, run, opened, settle_s, samples)
        if once:
            typer.echo(_count_steps(follower.follow()))
            return
        try:
            while True:
                _look(follower)
                time.sleep(every_s)
        except KeyboardInterrupt:
            typer.echo("stopped; started again it goes on from here", err=True)


def _look(follower: Follower) -> None:
    """A service that is down, or has no room, is asked again at the next look."""
    try:
        written = follower.follow()
    except (ServiceFailed, ConnectionFailed) as failure:
        typer.echo(f"not this time: {plain(failure.detail)}", err=True)
    else:
        if written:
            typer.echo(_count_steps(written))


def _count_steps(written: int) -> str:
    return f"{written:,} {'step' if written == 1 else 'steps'} written"


def _config(run: Run) -> dict[str, JsonValue]:
    return {"run": plain(run.id), "recipe": run.recipe, "verifiers": dict(run.verifiers), "began": run.created_at}
