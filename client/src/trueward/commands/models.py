"""``trueward models``: the models of a service: register, look at, give weights, check against a plain forward."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from trueward.commands.exits import ExitCode
from trueward.commands.jsonl import read_samples
from trueward.commands.params import read_params
from trueward.commands.parity import check_parity, show_parity
from trueward.commands.report import add_row, new_table, show, show_json
from trueward.commands.server import load_server
from trueward.commands.service import AsJson, Url, connect
from trueward.errors import Conflict
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample

app = typer.Typer(help="Reward models, process reward models and language models of a service.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name of the model.", show_default=False)]
SAMPLES = (
    Sample(prompt="What is 2 + 3?", response="2 + 3 = 5.\n\nThe answer is 5."),
    Sample(prompt="Name a prime above 10.", response="11 is only divisible by 1 and itself.\n\nSo 11 is a prime."),
    Sample(prompt="Warum ist der Himmel blau?", response="Kurzwelliges Licht wird stärker gestreut. \u2600"),
)


class Kind(StrEnum):
    REWARD = "reward"
    PROCESS = "process"
    CAUSAL = "causal"


@app.command("add")
def add_model(
    name: Name,
    kind: Annotated[Kind, typer.Option(help="What it gives: a row a text, a row a step, or next tokens.")],
    path: Annotated[str | None, typer.Option(help="Directory with safetensors, or name of a repository.")] = None,
    server: Annotated[str | None, typer.Option(help="URL of another model server that has it.")] = None,
    backend: Annotated[
        str, typer.Option(help="What that server speaks: vllm, sglang, tei, openai, or the protocol of a plug-in.")
    ] = "local",
    secret: Annotated[
        str | None, typer.Option(metavar="TRUEWARD_SECRET_...", help="The service's variable with that server's key.")
    ] = None,
    price_read: Annotated[float | None, typer.Option(min=0, help="Cost of a million tokens that it reads.")] = None,
    price_written: Annotated[float | None, typer.Option(min=0, help="Cost of a million that it writes.")] = None,
    field: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Another field of the entry; may be repeated.")
    ] = None,
    url: Url = None,
) -> None:
    """Register a model with a running service."""
    if path is not None and Path(path).is_dir():
        path = str(Path(path).resolve())
    said = {**read_params(field or []), "name": name, "kind": kind.value, "path": path, "url": server}
    if secret is not None:
        said["secret"] = secret
    if price_read is not None or price_written is not None:
        said["price"] = {"read": price_read or 0.0, "written": price_written or 0.0}
    try:
        entry = ModelEntry.model_validate({**said, "backend": backend})
    except ValidationError as refusal:
        wrong = refusal.errors()[0]
        raise typer.BadParameter(wrong["msg"], param_hint=".".join(map(str, wrong["loc"])) or "NAME") from refusal
    with connect(url) as client:
        added = client.add_model(entry)
    typer.echo(f"{added.id}  {added.kind}  {added.digest[:19]}")


@app.command("list")
def list_models(url: Url = None, as_json: AsJson = False) -> None:
    """Every model: its kind, how it is doing, the version of its weights."""
    with connect(url) as client:
        models = client.models()
    if as_json:
        show_json([model.model_dump(mode="json") for model in models])
        return
    table = new_table("model", "kind", "state", "weights", "from", "detail")
    for model in models:
        where = model.entry.path or model.entry.url
        add_row(table, model.id, model.kind, model.state, model.weights, where, model.detail)
    show(table)


@app.command("show")
def show_model(name: Name, url: Url = None) -> None:
    """A model, its entry and how it is doing, as JSON."""
    with connect(url) as client:
        show_json(client.model(name).model_dump(mode="json"))


@app.command("remove")
def remove_model(name: Name, url: Url = None) -> None:
    """Delete a model from a service; what was recorded with it stays."""
    with connect(url) as client:
        client.delete_model(name)


@app.command("weights")
def give_weights(
    name: Name,
    path: Annotated[str, typer.Argument(help="Directory or file of safetensors.", show_default=False)],
    version: Annotated[int | None, typer.Option(min=1, help="Above the present one; default: the next.")] = None,
    adapter: Annotated[bool, typer.Option(help="A LoRA adapter.")] = False,
    upload: Annotated[bool, typer.Option(help="Send the file: the service sees no disk of this machine.")] = False,
    url: Url = None,
) -> None:
    """Give a model new weights, between two of its batches."""
    if adapter and upload:
        raise typer.BadParameter("an adapter is a directory, and an upload one file", param_hint="--upload")
    with connect(url) as client:
        if upload:
            weights = client.upload_weights(name, path, version=version)
        else:
            there = str(Path(path).resolve()) if Path(path).exists() else path
            weights = client.push_weights(name, there, version=version, adapter=adapter)
    typer.echo(f"{name}: version {weights.version}, {weights.tensors} tensors in {weights.swap_s:.3f} s")


@app.command("check")
def check_model(
    name: Name,
    path: Annotated[str | None, typer.Option(help="Its weights on this machine; default: the entry's path.")] = None,
    file: Annotated[str | None, typer.Option(help="JSONL, a prompt and a response a line; - is stdin.")] = None,
    tolerance: Annotated[float, typer.Option(min=0, help="Largest difference of two numbers that passes.")] = 1e-3,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Compare what the service says with a plain transformers forward in this process, sample by sample.

    Exit code: 0 within the tolerance, 1 beyond it.
    """
    samples = SAMPLES if file is None else [Sample.model_validate(line) for line in read_samples(file)]
    server = load_server()
    with connect(url) as client:
        model = client.model(name)
        if model.weights and path is None:
            raise Conflict(f"{name} has version {model.weights} of its weights: name where they lie with --path")
        entry = model.entry.model_copy(update={} if path is None else {"path": path})
        plain = server.plain_answers(entry, samples)
        found = check_parity(plain, [client.ask_model(name, one.question) for one in plain])
    if as_json:
        show_json([one.model_dump(mode="json") for one in found])
    else:
        show_parity(found, tolerance)
    within = all(one.difference <= tolerance for one in found)
    raise typer.Exit(ExitCode.ACCEPTED if within else ExitCode.REJECTED)
