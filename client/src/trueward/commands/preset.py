"""``trueward preset``: what judges ask: list, look at, check a folder, try on a sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from trueward.commands.exits import ExitCode
from trueward.commands.jsonl import read_json, read_text
from trueward.commands.params import Param, read_params
from trueward.commands.report import add_row, new_table, plain, show, show_json
from trueward.commands.server import load_server
from trueward.commands.service import AsJson, Url, connect
from trueward.wire.preset import Exchange, PresetTried

app = typer.Typer(help="Presets of judges: look at one, check a folder, try one on a sample.", no_args_is_help=True)

_FILES = frozenset({".yaml", ".md", ".json"})
Name = Annotated[str, typer.Argument(help="Name of the preset.", show_default=False)]


@app.command("list")
def list_presets(url: Url = None, as_json: AsJson = False) -> None:
    """Every preset of a service: its mechanism, version and hash, and what it asks."""
    from trueward.client import preset_calls

    with connect(url) as client:
        found = client.call(preset_calls.listing())
    if as_json:
        show_json([one.model_dump(mode="json") for one in found])
        return
    table = new_table("preset", "mechanism", "version", "hash", "what it asks")
    for one in found:
        add_row(table, one.name, one.mechanism, one.version, one.hash[:19], one.summary)
    show(table)


@app.command("show")
def show_preset(name: Name, url: Url = None, as_json: AsJson = False) -> None:
    """A preset's files, as the service has them."""
    from trueward.client import preset_calls

    with connect(url) as client:
        found = client.call(preset_calls.show(name))
    if as_json:
        show_json(found.model_dump(mode="json"))
        return
    for file, text in found.files.items():
        typer.echo(plain(f"--- {file}"))
        typer.echo(plain(text.rstrip()))


@app.command("add")
def add_preset(
    folder: Annotated[
        Path, typer.Argument(help="Folder of the preset; its name is the preset's.", exists=True, file_okay=False)
    ],
    url: Url = None,
) -> None:
    """Store a preset in a service, which checks it. A name keeps its files: take another name for others."""
    from trueward.client import preset_calls

    files = {one.name: read_text(str(one), "FOLDER") for one in sorted(folder.iterdir()) if one.suffix in _FILES}
    with connect(url) as client:
        added = client.call(preset_calls.add(folder.resolve().name, files))
    typer.echo(f"{added.name}  {added.mechanism}  {added.hash[:19]}")


@app.command("check")
def check_preset(
    folder: Annotated[
        Path,
        typer.Argument(help="Folder of a preset, or of several.", exists=True, file_okay=False, show_default=False),
    ],
) -> None:
    """What is wrong with presets of your own: unknown slots, a judgement that cannot be read, a form that does not fit.

    Nothing is asked and no service is needed. Exit code: 0 nothing, 1 something.
    """
    found = load_server().check_presets(folder)
    for name, problems in found.items():
        typer.echo(plain(f"{name}: {'ok' if not problems else ''}".rstrip()))
        for problem in problems:
            typer.echo(plain(f"  {problem}"))
    raise typer.Exit(ExitCode.REJECTED if any(found.values()) else ExitCode.ACCEPTED)


@app.command("try")
def try_preset(
    name: Name,
    sample: Annotated[str, typer.Option(help="JSON file with a sample; - is stdin.")] = "-",
    model: Annotated[str | None, typer.Option(help="Model that judges.", show_default="judge")] = None,
    param: Param = None,
    deadline: Annotated[float | None, typer.Option(min=0.001, help="Seconds that it may take.")] = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Judge one sample by a preset of a service, and show each prompt, each raw reply, how it was read, and the cost.

    Nothing is recorded. Exit code: 0 a verdict, 3 none.
    """
    params = read_params(param or []) | ({} if model is None else {"model": model})
    from trueward.client import preset_calls

    with connect(url) as client:
        found = client.call(preset_calls.attempt(name, _sample(sample), params, deadline))
    if as_json:
        show_json(found.model_dump(mode="json"))
    else:
        _show(found)
    raise typer.Exit(ExitCode.MISSING if found.verdict.outcome.missing else ExitCode.ACCEPTED)


def _sample(source: str) -> dict[str, JsonValue]:
    value = read_json(source, "--sample")
    if not isinstance(value, dict):
        raise typer.BadParameter(f"{source} is no sample: a JSON object", param_hint="--sample")
    return value


def _show(found: PresetTried) -> None:
    for number, exchange in enumerate(found.exchanges, start=1):
        _show_exchange(number, exchange)
    verdict = found.verdict
    score = "none" if verdict.score is None else f"{verdict.score:.4g}"
    typer.echo(plain(f"{found.verifier}: {verdict.outcome}, score {score} ({verdict.reason_code}: {verdict.reason})"))
    costs = sum(one.cost for one in found.exchanges)
    read, written = (sum(getattr(one, name) for one in found.exchanges) for name in ("tokens_read", "tokens_written"))
    typer.echo(f"{len(found.exchanges)} questions, {read} tokens read, {written} written, cost {costs:.6g}")


def _show_exchange(number: int, exchange: Exchange) -> None:
    probe = ", about a harmless response" if exchange.probe else ""
    typer.echo(plain(f"--- question {number} to {exchange.model}{probe}"))
    for turn in exchange.prompt:
        typer.echo(plain(f"[{turn['role']}]\n{turn['content']}"))
    if exchange.failure:
        typer.echo(plain(f"--- no answer: {exchange.failure}"))
        return
    reading = "read" if exchange.read else "could not be read"
    typer.echo(plain(f"--- reply {number} ({reading}, {exchange.finish}, {exchange.elapsed_s:.2f} s)"))
    typer.echo(
        plain(exchange.reply or ", ".join(f"{one}: {chance:.4g}" for one, chance in exchange.alternatives.items()))
    )
