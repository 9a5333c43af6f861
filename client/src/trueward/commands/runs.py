"""``trueward runs``: the runs that a service knows, their rewards, and these computed again."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import JsonValue

from trueward.commands.exits import ExitCode
from trueward.commands.report import add_row, new_table, show, show_json
from trueward.commands.service import AsJson, Url, connect
from trueward.errors import ConnectionFailed, ServiceFailed
from trueward.printing import plain
from trueward.wire.watch import Finding, Power

if TYPE_CHECKING:
    from trueward.sinks.follower import Follower
    from trueward.wire.run import Run


app = typer.Typer(help="The runs of a service and their rewards: list, show, follow, replay.", no_args_is_help=True)


@app.command("list")
def list_runs(
    after: Annotated[str | None, typer.Option(help="List from after this run.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Runs at most.")] = 100,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Runs by id, with what they pinned."""
    with connect(url) as client:
        runs = client.runs(after=after, limit=limit)
        recipes = [] if as_json else client.recipes()
    if as_json:
        show_json([run.model_dump(mode="json") for run in runs])
        return
    names: dict[str, list[str]] = {}
    for recipe in recipes:
        names.setdefault(recipe.hash, []).append(recipe.name)
    table = new_table("run", "recipe", "verifiers", "strict")
    for run in runs:
        versions = ", ".join(f"{name} {version}" for name, version in run.verifiers.items())
        # a recipe that its name no longer stands for has its hash
        recipe_names = ", ".join(names.get(run.recipe or "", [])) or (run.recipe or "")[:19]
        add_row(table, run.id, recipe_names, versions, "yes" if run.strict else "no")
    show(table)


@app.command("show")
def show_run(
    run: Annotated[str, typer.Argument(metavar="ID", help="Id of the run.", show_default=False)], url: Url = None
) -> None:
    """A run, what it pinned, its marks, and what its judges have cost of their budget, as JSON."""
    with connect(url) as client:
        show_json(client.run(run).model_dump(mode="json"))


@app.command("rewards")
def list_rewards(
    run: Annotated[str, typer.Argument(metavar="ID", help="Id of the run.", show_default=False)],
    after: Annotated[str | None, typer.Option(help="List from behind this record: the page before names it.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Rewards at most.")] = 100,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """A run's recorded rewards, newest first; `trueward recipe explain RECORD` shows how one came about."""
    with connect(url) as client:
        page = client.run_rewards(run, after=after, limit=limit)
    if as_json:
        show_json(page.model_dump(mode="json"))
        return
    table = new_table("record", "step", "id", "outcome", "reward", "reason")
    for one in page.rewards:
        said = one.reward
        step, reward = ("none" if value is None else value for value in (one.step, said.reward))
        add_row(table, one.record, step, said.id or "", said.outcome.value, reward, said.reason_code)
    show(table, whole=True)
    if page.next is not None:
        typer.echo(f"older ones: --after {page.next}")


@app.command("watch")
def watch_run(
    run: Annotated[str, typer.Argument(metavar="ID", help="Id of the run.", show_default=False)],
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """What watches a run, its open alarms, and how soon a fault would be found.

    Exit code: 0 all clear, 1 an alarm is open, 3 nothing is watching or nothing was looked at yet.
    """
    with connect(url) as client:
        status = client.watch_status(run)
    if as_json:
        show_json(status.model_dump(mode="json"))
    else:
        typer.echo(status.sentence)
        if status.alarms:
            table = new_table("signal", "what was found", "since step", "found at")
            for one in status.alarms:
                found = one.finding
                since = "" if found.first_step is None else found.first_step
                add_row(table, found.signal, found.detail, since, _found_at(found))
            show(table)
        for power in status.power:
            typer.echo(_of_power(power))
        for note in status.notes:
            typer.echo(f"not looked at: {note}")
    codes = {"clear": ExitCode.ACCEPTED, "alarm": ExitCode.REJECTED}
    raise typer.Exit(codes.get(status.state, ExitCode.MISSING))


def _found_at(found: Finding) -> str:
    """The step after which a test found it; of what is looked at window by window, the last step of these."""
    if found.found_step is not None:
        return str(found.found_step)
    return "" if found.last_step is None else f"by {found.last_step}"


def _of_power(power: Power) -> str:
    steps = (
        "would not be found"
        if power.steps is None
        else f"would be found within about {power.steps:,} {'step' if power.steps == 1 else 'steps'}"
    )
    return f"{power.fault}: {steps}"


@app.command("replay")
def replay_run(
    run: Annotated[str, typer.Argument(metavar="ID", help="Id of the run.", show_default=False)],
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Compute a run's rewards, and what it learned, again from the ledger, and compare.

    Exit code: 0 all the same, 1 some came out another way.
    """
    with connect(url) as client:
        report = client.replay(run)
    if as_json:
        show_json(report.model_dump(mode="json"))
    else:
        if report.differing:
            table = new_table("record", "differs in", "recorded", "computed")
            for one in report.differing:
                add_row(table, one.recorded.record, ", ".join(one.fields), one.recorded.reward, one.computed.reward)
            show(table)
        typer.echo(
            f"{report.rewards:,} rewards, {report.differ:,} differ; {report.states:,} states, "
            f"{report.states_differ:,} differ" + (f"; {report.unknown:,} cannot be replayed" if report.unknown else "")
        )
    raise typer.Exit(ExitCode.ACCEPTED if report.same else ExitCode.REJECTED)


@app.command("follow")
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
