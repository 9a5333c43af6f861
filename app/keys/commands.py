"""``trueward keys`` and ``trueward projects``: directly in the database, for whoever has it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.keys.service import Keys
    from app.projects.service import Projects

T = TypeVar("T")
Model = TypeVar("Model", bound=BaseModel)
DataDir = Annotated[Path | None, typer.Option(help="Directory of the SQLite file; default: TRUEWARD_DATA_DIR or data.")]
KeyId = Annotated[str, typer.Argument(help="Its id, as `keys list` shows it.", show_default=False)]
ExpiresIn = Annotated[float | None, typer.Option(help="Seconds until the key ends; default: it does not.")]
Samples = Annotated[float | None, typer.Option(help="Samples a minute that it may send; 0: any number.", min=0)]
Cost = Annotated[float | None, typer.Option(help="Seconds of work a minute that it may cost; 0: any number.", min=0)]
Name = Annotated[str, typer.Argument(help="Its name: small letters, digits and hyphens.", show_default=False)]
Weight = Annotated[float | None, typer.Option(help="Its share of a full service, against other projects' weights.")]
Retention = Annotated[int | None, typer.Option(help="Days that its records are kept; 0: for ever.", min=0)]

keys = typer.Typer(no_args_is_help=True)
projects = typer.Typer(no_args_is_help=True)


@keys.command("create")
def create_key(
    name: Annotated[str, typer.Argument(help="Whose key it is, for people.", show_default=False)],
    scope: Annotated[list[str], typer.Option(help="score, view, label or admin; given again: these.")],
    project: Annotated[str | None, typer.Option(help="Whose data it works with; default: the default project.")] = None,
    expires_in_s: ExpiresIn = None,
    samples_per_minute: Samples = None,
    cost_per_minute: Cost = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key and print it; it is not shown again."""
    from trueward.wire.key import KeyRequest

    given = {
        "name": name,
        "scopes": scope,
        "project": project,
        "expires_in_s": expires_in_s,
        "samples_per_minute": samples_per_minute or None,
        "cost_per_minute": cost_per_minute or None,
    }
    request = _read(KeyRequest, given)
    typer.echo(_with_keys(data_dir, lambda service: service.create(request)).key)


@keys.command("list")
def list_keys(data_dir: DataDir = None) -> None:
    """List keys, without their text."""
    for view in _with_keys(data_dir, lambda service: service.list()):
        state = "revoked" if view.revoked_at else "expired" if view.expired else "active"
        shown = f"tw_{view.prefix}" if view.prefix else "-"
        quotas = {"samples/min": view.samples_per_minute, "s of work/min": view.cost_per_minute}
        bounds = [f"{most:g} {what}" for what, most in quotas.items() if most is not None]
        bounds += [f"until {view.expires_at:%Y-%m-%d %H:%M} UTC"] if view.expires_at else []
        scopes = ",".join(view.scopes)
        line = f"{view.id}  {state:8}  {shown:11}  {view.project:12}  {scopes:20}  {view.name}"
        typer.echo("  ".join([line, *bounds]))


@keys.command("change")
def change_key(
    key_id: KeyId,
    expires_in_s: ExpiresIn = None,
    samples_per_minute: Samples = None,
    cost_per_minute: Cost = None,
    data_dir: DataDir = None,
) -> None:
    """Change a key's quotas or its end; running services notice within five seconds."""
    from trueward.wire.key import KeyChange

    quotas = {"samples_per_minute": samples_per_minute, "cost_per_minute": cost_per_minute}
    given: dict[str, object] = {name: quota or None for name, quota in quotas.items() if quota is not None}
    if expires_in_s is not None:
        given["expires_in_s"] = expires_in_s
    change = _read(KeyChange, given)
    _with_keys(data_dir, lambda service: service.change(key_id, change))


@keys.command("rotate")
def rotate_key(
    key_id: KeyId,
    grace_s: Annotated[float, typer.Option(help="Seconds that the old key still works; 0: it is revoked.")] = 86_400.0,
    data_dir: DataDir = None,
) -> None:
    """Make a key with the same rights and print it; the old one ends after the grace."""
    from trueward.wire.key import Rotation

    rotation = _read(Rotation, {"grace_s": grace_s})
    typer.echo(_with_keys(data_dir, lambda service: service.rotate(key_id, rotation)).key)


@keys.command("revoke")
def revoke_key(key_id: KeyId, data_dir: DataDir = None) -> None:
    """Revoke a key; running services notice within five seconds."""
    _with_keys(data_dir, lambda service: service.revoke(key_id))


@projects.command("create")
def create_project(
    name: Name, weight: Weight = None, retention_days: Retention = None, data_dir: DataDir = None
) -> None:
    """Make a project; `keys create --project` makes keys for it."""
    from trueward.wire.project import ProjectRequest

    request = _read(ProjectRequest, {"name": name, **_rights_from_options(weight, retention_days)})
    _with_projects(data_dir, lambda service: service.create(request, None))


@projects.command("list")
def list_projects(data_dir: DataDir = None) -> None:
    """List projects."""
    from app.projects.visibility import EVERYTHING

    for view in _with_projects(data_dir, lambda service: service.all(EVERYTHING)).projects:
        kept = "for ever" if view.retention_days is None else f"{view.retention_days} days"
        typer.echo(f"{view.name:20}  weight {view.weight:g}  kept {kept}")


@projects.command("change")
def change_project(
    name: Name, weight: Weight = None, retention_days: Retention = None, data_dir: DataDir = None
) -> None:
    """Change a project's weight or how long its records are kept."""
    from trueward.wire.project import ProjectChange

    change = _read(ProjectChange, _rights_from_options(weight, retention_days))
    _with_projects(data_dir, lambda service: service.change(name, change, None))


@projects.command("delete")
def delete_project(name: Name, data_dir: DataDir = None) -> None:
    """Delete a project that never had a key or a run."""
    _with_projects(data_dir, lambda service: service.delete(name, None))


def _rights_from_options(weight: float | None, retention_days: int | None) -> dict[str, object]:
    given: dict[str, object] = {} if weight is None else {"weight": weight}
    return given if retention_days is None else {**given, "retention_days": retention_days or None}


def _read(model: type[Model], given: dict[str, Any]) -> Model:
    try:
        return model.model_validate(given)
    except ValidationError as refusal:
        wrong = refusal.errors()[0]
        where = str(wrong["loc"][0]) if wrong["loc"] else "options"
        raise typer.BadParameter(wrong["msg"], param_hint=where) from refusal


def _with_keys(data_dir: Path | None, use: Callable[[Keys], Coroutine[None, None, T]]) -> T:
    from app.keys.repository import KeysRepository
    from app.keys.secret import key_secret
    from app.keys.service import Keys
    from app.kit.db import Database

    def found(database: Database) -> Coroutine[None, None, T]:
        return use(Keys(KeysRepository(database), key_secret(settings)))

    from app.cli import settings_of

    settings = settings_of(data_dir=data_dir)
    return _in_database(settings.url, found)


def _with_projects(data_dir: Path | None, use: Callable[[Projects], Coroutine[None, None, T]]) -> T:
    from app.cli import settings_of
    from app.projects.service import Projects

    return _in_database(settings_of(data_dir=data_dir).url, lambda database: use(Projects(database)))


def _in_database(url: str, use: Callable[[Any], Coroutine[None, None, T]]) -> T:
    """What is done there. A database that was empty, or was not there, is named: the service may use another."""
    from app.kit.db import Database
    from app.kit.migrate import current, make_folder_of, upgrade
    from app.kit.terminal import explain_outages, redact_password
    from app.telemetry.logging import only_warnings

    async def run() -> T:
        make_folder_of(url)
        if not await current(url):
            typer.echo(f"{redact_password(url)} is new: made here, for a service of the same settings", err=True)
        await upgrade(url)
        async with Database(url) as database:
            return await use(database)

    # the standard output has the key alone
    with only_warnings(), _refusals(redact_password(url)), explain_outages(url):
        return asyncio.run(run())


@contextmanager
def _refusals(database: str) -> Iterator[None]:
    """What the API would answer 4xx with is a wrong argument here."""
    from trueward.errors import RequestRefused

    try:
        yield
    except RequestRefused as refusal:
        raise typer.BadParameter(f"{refusal.detail} (in {database})") from refusal
