"""``trueward doctor``: what is here, what works, and what to do about the rest."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

import typer

from trueward.commands.exits import ExitCode
from trueward.commands.finding import DoctorFinding
from trueward.commands.jsonl import read_samples
from trueward.commands.report import add_row, new_table, show, show_json
from trueward.commands.server import is_installed, load_server, packages
from trueward.commands.service import AsJson, Url, connect
from trueward.errors import TruewardError

if TYPE_CHECKING:
    from trueward.client import Client


from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from typing import TYPE_CHECKING

from pydantic import JsonValue

from trueward.trainers import pasting, tried
from trueward.trainers.first_batch import diagnosis
from trueward.wire.reward import Reward

if TYPE_CHECKING:
    from trueward.client import Client


_SHOWN = ("trueward", "pydantic", "httpx2")
_BATCH = 256


def doctor(
    url: Url = None,
    as_json: AsJson = False,
    trainer: Annotated[
        str | None, typer.Option(help="Name of the trainer that will ask: its recipe and a first batch are checked.")
    ] = None,
    recipe: Annotated[str, typer.Option(help="With --trainer: the recipe that it names.")] = "math",
    file: Annotated[str | None, typer.Option(help="With --trainer: JSONL, a sample of your data a line.")] = None,
    run: Annotated[
        str | None, typer.Option(help="A run of the service: what is wrong with it, and what to change.")
    ] = None,
) -> None:
    """Check this installation and, where one is named, the service. Exit code 1 where something is wrong."""
    asked = (("--trainer", trainer, "a trainer asks a service"), ("--run", run, "a run is a service's"))
    for option, value, why in asked:
        if value is not None and url is None:
            raise typer.BadParameter(f"{why}: name it with --url or TRUEWARD_URL", param_hint=option)
    findings = list(_findings(url))
    if trainer is not None and all(finding.ok for finding in findings):
        samples = read_samples(file) if file is not None else []
        with connect(url) as client:
            findings += trainer_findings(client, trainer, recipe, samples, run)
    if run is not None:
        with connect(url) as client:
            findings += run_findings(client, run)
    if as_json:
        show_json([asdict(finding) for finding in findings])
    else:
        table = new_table("check", "", "detail")
        for finding in findings:
            add_row(table, finding.check, "ok" if finding.ok else "WRONG", finding.detail)
        show(table)
    raise typer.Exit(0 if all(finding.ok for finding in findings) else ExitCode.REJECTED)


def _findings(url: str | None) -> Iterator[DoctorFinding]:
    yield DoctorFinding("Python", True, f"{platform.python_version()} on {platform.system()}, {os.cpu_count()} CPUs")
    yield DoctorFinding("client", True, ", ".join(f"{name} {version(name)}" for name in _SHOWN))
    yield from _server_findings(named=url is not None)
    if url is not None:
        yield from _service_findings(url)


def _server_findings(*, named: bool) -> Iterator[DoctorFinding]:
    """Where only the client is installed, a server that is not here is no fault if a service is named."""
    found = packages()
    yield found if is_installed() else DoctorFinding(found.check, named, found.detail)
    if found.ok:
        yield from load_server().doctor()


def _service_findings(url: str) -> Iterator[DoctorFinding]:
    try:
        with connect(url) as client:
            readiness = client.health()
            yield DoctorFinding(
                "service", readiness.ready, f"{client.url} {'is' if readiness.ready else 'is not'} ready"
            )
            for check in readiness.checks:
                yield DoctorFinding(f"service: {check.name}", check.ok, check.detail)
            yield DoctorFinding("API key", True, f"accepted; {len(client.verifiers())} verifiers")
    except TruewardError as error:
        yield DoctorFinding("service", False, error.detail)


def run_findings(client: Client, run: str) -> Iterator[DoctorFinding]:
    """``trueward doctor --run``: what a service's records of a run say is wrong with its set-up.

    One a fault, the most costly first; one that is right where there is no fault.
    """
    try:
        said = client.diagnose(run)
    except TruewardError as error:
        yield DoctorFinding("run", False, error.detail)
        return
    if not said.faults:
        yield DoctorFinding("run", said.records > 0, said.sentence)
    for fault in said.faults:
        records = f" Records: {', '.join(fault.records)}." if fault.records else ""
        yield DoctorFinding(f"run: {fault.kind}", False, f"{fault.sentence}. To do: {fault.advice}.{records}")
    for note in said.notes:
        yield DoctorFinding("run: note", True, note)


def trainer_findings(
    client: Client, trainer: str, recipe: str, samples: Sequence[dict[str, JsonValue]], run: str | None
) -> Iterator[DoctorFinding]:
    """The trainer here, the recipe, and a batch: ``samples``, else the newest of ``run`` in the ledger, else none.

    Raises :class:`NotFound` for a trainer that is not known.
    """
    pasting.find(trainer)
    yield from _package(trainer)
    try:
        found = client.recipe(recipe)
    except TruewardError as error:
        yield DoctorFinding("recipe", False, error.detail)
        return
    yield DoctorFinding("recipe", True, f"{recipe}, {found.hash}")
    try:
        rewards = _ask_rewards(client, recipe, samples) if samples else _recorded(client, run) if run else None
    except TruewardError as error:
        yield DoctorFinding("first batch", False, error.detail)
        return
    if rewards is None:
        yield DoctorFinding(
            "first batch", True, "not looked at: name a JSONL of samples with --file, or the run with --run"
        )
        return
    said = diagnosis(trainer, found.recipe, rewards, [str(sample.get("response", "")) for sample in samples])
    yield DoctorFinding("first batch", said.ok, said.sentence)


def _package(trainer: str) -> Iterator[DoctorFinding]:
    known = tried.find(trainer)
    if known is None or known.package is None:
        return
    try:
        here = version(known.package)
    except PackageNotFoundError:
        detail = f"{known.package} is not in this environment; tried with {known.version}"
    else:
        same = here == known.version
        detail = f"{known.package} {here}" + ("" if same else f"; tried with {known.version}, so compare its page")
    yield DoctorFinding("trainer", True, detail)


def _ask_rewards(client: Client, recipe: str, samples: Sequence[dict[str, JsonValue]]) -> list[Reward]:
    return client.reward(list(samples), recipe=recipe).rewards


def _recorded(client: Client, run: str) -> list[Reward]:
    """The newest of a run."""
    return [record.reward for record in client.run_rewards(run, limit=_BATCH).rewards]
