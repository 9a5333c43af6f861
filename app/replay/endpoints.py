"""The ledger computed again: a whole run, or one reward line by line."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from app.http.operation import Operation
from app.keys.admission import Viewer
from app.kit.db import Database
from app.kit.problems import PROBLEMS
from app.replay.explain import explain_record
from app.replay.service import replay
from app.state import DatabaseDep, RunsDep
from trueward.wire.record import Explanation
from trueward.wire.replay import ReplayLine, ReplayProgress

NDJSON = "application/x-ndjson"
router = APIRouter(route_class=Operation, tags=["ledger"], responses=PROBLEMS)


@router.get("/v1/verdicts/{record}/explanation")
async def explain_reward(record: str, db: DatabaseDep, key: Viewer) -> Explanation:
    """How a recorded reward came about: its route, what was said, and every step of the arithmetic."""
    return await explain_record(db, record)


@router.post("/v1/runs/{run:path}/replay", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def replay_run(run: str, runs: RunsDep, db: DatabaseDep, key: Viewer) -> StreamingResponse:
    """Computes every reward of a run again from the ledger, and every state that it learned, and compares.

    Lines of ``{"progress": ...}``, and ``{"report": ...}`` last; without that line the answer was cut off.
    """
    await runs.show(run)
    return StreamingResponse(_lines(db, run), media_type=NDJSON)


async def _lines(db: Database, run: str) -> AsyncIterator[str]:
    async for report in replay(db, run):
        progress = ReplayProgress(rewards=report.rewards, states=report.states)
        yield ReplayLine(progress=progress).model_dump_json(exclude_none=True) + "\n"
    yield '{"report":' + report.model_dump_json() + "}\n"
