"""The server's half of the ``trueward`` command; ``trueward.cli`` loads it where it is installed.

What is heavy is imported where it is used, so that `trueward --help` and the worker processes stay light.
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from app.deploy import ray
from app.keys.commands import DataDir, keys, projects
from app.retention.commands import prune
from app.transfer.commands import export, import_
from trueward.cli import COMMANDS
from trueward.commands.finding import DoctorFinding
from trueward.commands.parity import Plain
from trueward.wire.audit import Audit, AuditSpec
from trueward.wire.label_plan import LabelPlan, LabelQuestion
from trueward.wire.model import ModelEntry
from trueward.wire.recipe import RecipeValidation
from trueward.wire.record import Explanation
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest, RewardsResponse, VerifyRequest, VerifyResponse
from trueward.wire.verifier import Catalogue

if TYPE_CHECKING:
    from pydantic import JsonValue

    from app.settings import Settings
    from rewards.library import Library
    from rewards.recipe import Recipe

T = TypeVar("T")


def serve(host: str | None, port: int | None, data_dir: Path | None) -> None:
    """Runs the service until it is told to stop; what is None comes from the settings."""
    gc.disable()  # what start-up makes stays; once it has, the collector works again
    import structlog
    import uvicorn

    from app.http.beginnings import Beginnings
    from app.http.connection import Patience, ServerConnection
    from app.http.server import run
    from app.kit.tls import tls_context
    from app.main import create_app
    from app.settings import find_unknown_settings
    from app.telemetry import logging

    settings = settings_of(host=host, port=port, data_dir=data_dir)
    # before uvicorn says anything
    logging.configure(settings.log_level, settings.log_format, samples=settings.log_samples)
    tls = None
    if settings.tls_certificate is not None and settings.tls_key is not None:
        tls = tls_context(settings.tls_certificate, settings.tls_key)
    scheme = "http" if tls is None else "https"
    url, data = f"{scheme}://{settings.host}:{settings.port}", str(settings.data_dir.resolve())
    log = structlog.get_logger(__name__)
    log.info("Trueward starts", url=url, data_dir=data)
    for name, meant in find_unknown_settings(os.environ).items():
        log.warning("no setting has this name: it does nothing", variable=name, did_you_mean=meant)
    # until uvicorn takes the signal over, nothing is at work; after an orderly stop it raises the signal again, and
    # having been told to stop is no failure
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    patience = Patience(settings.read_s, settings.max_connections)
    run(
        uvicorn.Config(
            create_app(settings),
            host=settings.host,
            port=settings.port,
            access_log=False,
            log_config=None,
            http=partial(ServerConnection, patience=patience, beginnings=Beginnings()),  # type: ignore[arg-type]  # it is called, as a class would be
            ws="none",
            server_header=False,
            lifespan="on",
            timeout_keep_alive=75,
            timeout_graceful_shutdown=2,
        ),
        patience,
        drain_s=settings.drain_s,
        lame_duck_s=settings.lame_duck_s,
        tls=tls,
    )


def verify(request: VerifyRequest) -> VerifyResponse:
    """Judges in this process's own workers; nothing is recorded."""
    from app.path.caller import Caller
    from app.path.in_process import open_path

    async def run() -> VerifyResponse:
        async with open_path(settings_of()) as path:
            return VerifyResponse(verdicts=await path.verify(request, Caller()))

    return asyncio.run(run())


def rewards(request: RewardsRequest) -> RewardsResponse:
    """Prices in this process's own workers; nothing is recorded."""
    from app.path.caller import Caller
    from app.path.in_process import open_path

    async def run() -> RewardsResponse:
        async with open_path(settings_of()) as path:
            return await path.rewards(request, Caller())

    return asyncio.run(run())


def audit(spec: AuditSpec, name: str, progress: Callable[[int, int], None]) -> Audit:
    """Carries an audit out in this process's own workers; nothing is recorded."""
    from app.audits.in_process import audit_here

    async def told(done: int, total: int) -> None:
        progress(done, total)

    return asyncio.run(audit_here(settings_of(), spec, name, told))


def list_verifiers() -> Catalogue:
    """The catalogue, as the service would answer it."""
    from trueward.authoring.verifier import describe
    from verifiers import registry

    return Catalogue(verifiers=list(map(describe, registry.load_all().values())), failures=registry.failures())


def list_recipes() -> list[dict[str, JsonValue]]:
    """The recipes of files, as the service would answer them."""
    return [_describe_recipe(recipe) for recipe in _library().recipes()]


def show_recipe(reference: str) -> dict[str, JsonValue]:
    """Raises :class:`UnknownRecipe`."""
    return _describe_recipe(_library().find(reference))


def validate_recipe(text: str, estimator: str) -> RecipeValidation:
    """What is wrong with a recipe in YAML, as the service would answer it."""
    import asyncio

    from app.path.plan import NoRates, Planner
    from app.recipes.parsing import MEDIA_TYPES, read_body
    from app.recipes.service import valid
    from trueward.errors import InvalidRecipe, InvalidRequest
    from trueward.estimators.noise import Estimator

    if estimator not in list(Estimator):
        raise InvalidRequest(f"there is no estimator {estimator!r}; known: {', '.join(Estimator)}")

    async def validated() -> RecipeValidation:
        try:
            body = await read_body(text.encode(errors="replace"), MEDIA_TYPES[0])
        except InvalidRecipe as refusal:
            return RecipeValidation(valid=False, problems=refusal.errors)
        return await valid(body, Planner(_library(), NoRates()), Estimator(estimator))

    return asyncio.run(validated())


def explain(recipe: str | None, text: str, samples: Sequence[JsonValue]) -> list[Explanation]:
    """Judges samples in this process and explains their rewards; ``text`` is the recipe where no name is given."""
    from pydantic import ValidationError

    from app.kit.problems import list_problems
    from app.path.facts import FACTS
    from app.replay.in_process import explain_here
    from rewards.recipe_yaml import parse_document
    from trueward.errors import InvalidRequest

    body = recipe if recipe is not None else parse_document(text, facts=FACTS).model_dump(mode="json")
    try:
        request = RewardsRequest.model_validate({"recipe": body, "samples": list(samples)})
    except ValidationError as refusal:
        raise InvalidRequest("these are no samples", errors=list_problems(refusal)) from refusal
    return asyncio.run(explain_here(settings_of(), request))


def _library() -> Library:
    from app.path.facts import FACTS
    from rewards.library import Library

    return Library(settings_of().recipes_dir, FACTS)


def _describe_recipe(recipe: Recipe) -> dict[str, JsonValue]:
    return {"name": recipe.name, "hash": recipe.hash, "recipe": recipe.model_dump(mode="json")}


def plan_labels(question: LabelQuestion) -> LabelPlan:
    """How many labels it takes, as the service would answer it."""
    from audits.plan import plan

    return plan(question)


def plain_answers(entry: ModelEntry, samples: Sequence[Sample]) -> list[Plain]:
    """What a plain forward of the model in this process says. Raises :class:`NotInstalled` without the extra."""
    from app.models.plain_forward import plain_answers

    return plain_answers(entry, samples)


def check_presets(folder: Path) -> dict[str, list[str]]:
    """What is wrong with the presets in a folder, or with the one that it is, by name."""
    from judges.presets.check import check_folder

    return check_folder(folder)


def doctor() -> list[DoctorFinding]:
    """The server's settings, its database, and the verifiers' plug-ins."""
    from app.installation import examine

    return asyncio.run(examine(settings_of()))


def add_commands(app: typer.Typer) -> None:
    """Adds ``db``, ``keys``, ``projects`` and ``ray``."""
    for name, commands in (("db", db), ("keys", keys), ("projects", projects), ("ray", ray)):
        app.add_typer(commands, name=name, help=COMMANDS[name].summary)


db = typer.Typer(no_args_is_help=True)
db.command("prune")(prune)
db.command("export")(export)
db.command("import")(import_)


@db.command("upgrade")
def db_upgrade(revision: Annotated[str, typer.Option(help="Where to.")] = "head", data_dir: DataDir = None) -> None:
    """Migrate up; the service does this by itself when it starts."""
    from app.kit.migrate import upgrade

    url = settings_of(data_dir=data_dir).url
    _migrate(url, upgrade(url, revision))


@db.command("downgrade")
def db_downgrade(
    revision: Annotated[str, typer.Argument(help="Where to, such as 0004.", show_default=False)],
    data_dir: DataDir = None,
) -> None:
    """Migrate down to a revision; `base` drops every table."""
    from app.kit.migrate import downgrade

    url = settings_of(data_dir=data_dir).url
    _migrate(url, downgrade(url, revision))


@db.command("status")
def db_status(data_dir: DataDir = None) -> None:
    """Print the revision that the database has, and the one that this version brings it to."""
    from app.kit.migrate import current, head
    from app.kit.terminal import explain_outages, redact_password

    url = settings_of(data_dir=data_dir).url
    with explain_outages(url):
        stored = asyncio.run(current(url))
    typer.echo(f"database {stored or 'empty'}, this version {head()}: {redact_password(url)}")


def _migrate(url: str, move: Coroutine[None, None, None]) -> None:
    from alembic.util import CommandError

    from app.kit.terminal import explain_outages

    try:
        with explain_outages(url):
            asyncio.run(move)
    except CommandError as refusal:
        raise typer.BadParameter(
            f"{refusal}; the revisions are in migrations/versions", param_hint="revision"
        ) from refusal


def settings_of(**given: object) -> Settings:
    """The settings of the environment, with what the command line named. Bad ones end the command."""
    from pydantic import ValidationError

    from app.settings import Settings

    try:
        return Settings.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as refusal:
        for item in refusal.errors():
            where = "TRUEWARD_" + "_".join(str(part) for part in item["loc"]).upper()
            unread = re.search(r'error parsing value for field "(\w+)"', item["msg"])
            if unread is not None:
                typer.echo(f'TRUEWARD_{unread[1].upper()}: this is no JSON; a list reads as in ["a", "b"]', err=True)
            else:
                said = item["msg"].removeprefix("Value error, ")
                typer.echo(f"{where if item['loc'] else 'settings'}: {said}", err=True)
        raise typer.Exit(2) from None
