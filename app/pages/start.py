"""The first page: what needs a person now, how the recent runs go, and what to send first."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import Field, JsonValue

from app.audits.population import RUN
from app.kit.db import Database
from app.kit.paging import PageRange
from app.labels.draws import DrawsService
from app.labels.draws_repository import DrawsRepository
from app.pages.labelling.views import DrawRow
from app.pages.playground.sharing import curl_of
from app.pages.runs.listing import RunRow, rows
from app.pages.visit import Visit, visitor
from app.state import DatabaseDep, FreezesDep, RunsDep, WatchesDep
from trueward.wire.base import Wire
from trueward.wire.watch import Alarm
from verifiers import registry

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
RECENT = 10
ALARMS = 5
DRAWS = 20
_FIRST: dict[str, JsonValue] = {
    "recipe": "math",
    "run": "first-run",
    "step": 0,
    "samples": [{"prompt": "What is 6 * 7?", "response": "The answer is \\boxed{42}.", "reference": "42"}],
}


class StartView(Wire):
    url: str = Field(description="where this service answers, as the browser was sent to it")
    needs_keys: bool
    curl: str = Field(description="a first call")
    python: str
    runs: list[RunRow] = Field(description="the newest 10, newest first, without the audits' own")
    alarms: list[Alarm] = Field(description="the newest 5 that are open")
    draws: list[DrawRow] = Field(description="with items that wait for a label; of the newest 20")
    verifiers: int
    failures: int = Field(description="plug-ins that could not be loaded")


@router.get("/")
async def start(visit: Viewing, db: DatabaseDep, runs: RunsDep, watches: WatchesDep, freezes: FreezesDep) -> Response:
    """For a person: what waits, what runs, and how to begin."""
    base = visit.request.base_url
    url = f"{base.scheme}://{base.netloc}"
    needs_keys = visit.request.state.settings.needs_keys
    recent = await runs.recent(RECENT, without=RUN)
    view = StartView(
        url=url,
        needs_keys=needs_keys,
        curl=curl_of(url, "recipe", _FIRST, needs_keys),
        python=_python(url),
        runs=await rows(db, recent, await freezes.list_frozen(visit.principal.sight)),
        alarms=(await watches.alarms(None, "open", PageRange(limit=ALARMS))).alarms,
        draws=await _waiting(db) if visit.may("label") else [],
        verifiers=len(registry.names()),
        failures=len(registry.failures()),
    )
    return visit.show("start.html", view)


def _python(url: str) -> str:
    """The same with the client, which finds the key in the environment."""
    return (
        "from trueward import Client, Sample\n"
        'sample = Sample(prompt="What is 6 * 7?", response="The answer is \\\\boxed{42}.", reference="42")\n'
        f'print(Client({url!r}).reward([sample], recipe="math", run="first-run", step=0).rewards[0].reward)\n'
    )


async def _waiting(db: Database) -> list[DrawRow]:
    page = await DrawsService(db).page(PageRange(limit=DRAWS))
    states = await DrawsRepository(db).states([draw.id for draw in page.draws])
    found = [DrawRow.of(draw, states[draw.id], views=True) for draw in page.draws]
    return [row for row in found if row.progress.left]
