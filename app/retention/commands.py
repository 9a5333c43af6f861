"""``trueward db prune``: a deletion from the command line, for whoever has the database."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Annotated

import typer

from app.keys.commands import DataDir

if TYPE_CHECKING:
    from app.kit.db import Database
    from trueward.wire.deletion import Deletion, DeletionRequest

_UNITS = {"h": 1 / 24, "d": 1.0, "w": 7.0}
_LOOK_S = 1.0


def prune(
    older_than: Annotated[str | None, typer.Option(help="Records of that age: 90d, 12h, 8w.")] = None,
    run: Annotated[str | None, typer.Option(help="A whole run.")] = None,
    subject: Annotated[str | None, typer.Option(help="Samples whose metadata.subject is this.")] = None,
    project: Annotated[str | None, typer.Option(help="Of this project alone.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what would go; delete nothing.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Delete records by age, a run, or what is a subject's, and all that hangs on them; for good."""
    from pydantic import ValidationError

    from app.cli import settings_of
    from app.kit.terminal import explain_outages
    from app.telemetry.logging import only_warnings
    from trueward.wire.deletion import DeletionRequest

    asked: dict[str, object] = {"run": run, "subject": subject, "project": project}
    if older_than is not None:
        asked["older_than_days"] = _days(older_than)
    try:
        request = DeletionRequest.model_validate(asked)
    except ValidationError as refusal:
        raise typer.BadParameter("name one of --older-than, --run and --subject") from refusal
    url = settings_of(data_dir=data_dir).url
    with only_warnings(), explain_outages(url):
        rows = asyncio.run(_pruned(url, request, dry_run=dry_run))
    _tell(rows, "would go" if dry_run else "gone")


def _days(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([hdw])", text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no age: a number and h, d or w, such as 90d", param_hint="--older-than")
    return float(found[1]) * _UNITS[found[2]]


def _tell(rows: dict[str, int], word: str) -> None:
    for name, number in sorted(rows.items()):
        typer.echo(f"{number:>10}  {name}")
    typer.echo(f"{sum(rows.values()):>10}  rows {word}")


async def _pruned(url: str, request: DeletionRequest, *, dry_run: bool) -> dict[str, int]:
    from app.kit.db import Database
    from app.kit.migrate import upgrade
    from app.retention.counting import count
    from app.retention.repository import DeletionsRepository
    from app.retention.service import spec_of

    await upgrade(url)
    async with Database(url) as db:
        if dry_run:
            return await count(db, spec_of(request))
        made = await DeletionsRepository(db).add(spec_of(request), None)
        done = await _carried_out(db, made.id)
    if done.state == "failed":
        typer.echo(f"the deletion failed: {done.failure}", err=True)
        raise typer.Exit(1)
    return done.rows


async def _carried_out(db: Database, deletion: str) -> Deletion:
    """By us, or by the service that works on this database already."""
    from app.retention.repository import DeletionsRepository

    repository = DeletionsRepository(db)
    told = ""
    while True:
        await _work(db)
        found = await repository.find(deletion)
        assert found is not None
        if found.state in ("completed", "failed"):
            return found
        if found.failure and found.failure != told:
            told = found.failure
            typer.echo(f"waiting: {told}", err=True)
        await asyncio.sleep(_LOOK_S)


async def _work(db: Database) -> None:
    from app.kit.claim import claim, sole_server
    from app.retention.repository import DeletionsRepository
    from app.retention.service import CLAIM, work_on
    from trueward.errors import AlreadyServed

    try:
        with sole_server(db):
            async with claim(db, CLAIM) as granted:
                for row in await DeletionsRepository(db).list_unfinished() if granted is not None else ():
                    assert granted is not None
                    await work_on(db, row, granted)
    except AlreadyServed:
        return
