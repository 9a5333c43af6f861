"""Jobs: batches of any size, stored before they are accepted, worked off whatever happens."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse

from app.http.operation import Operation
from app.jobs.examples import JOBS
from app.keys.admission import Scorer, Viewer
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.state import JobsDep
from trueward.wire.job import JobList, JobView

NDJSON = "application/x-ndjson"
EVENTS = "text/event-stream"
router = APIRouter(route_class=Operation, prefix="/v1/jobs", tags=["jobs"], responses=PROBLEMS)

IdempotencyKey = Annotated[
    str | None, Header(alias="Idempotency-Key", description="sent again, the same job is answered")
]


@router.post("", status_code=202, openapi_extra=JOBS)
async def create_job(request: Request, jobs: JobsDep, key: Scorer, idempotency_key: IdempotencyKey = None) -> JobView:
    """Takes a batch of any size: the body of `/v1/verify` or `/v1/rewards`, or NDJSON whose first line is that
    body without samples and whose further lines are one sample each. `deadline_s` holds for each chunk.

    Answered when the job is stored; from then on no stop of the service loses it.
    """
    idempotency = None if idempotency_key is None else (f"{key.owner or ''} {request.url.path}", idempotency_key)
    lines = NDJSON in request.headers.get("content-type", "")
    return await jobs.accept(request.stream(), lines=lines, owner=key.owner, idempotency=idempotency)


@router.get("")
async def list_jobs(jobs: JobsDep, key: Viewer, wanted: SliceDep) -> JobList:
    """Jobs, newest first."""
    return await jobs.page(wanted)


@router.get("/{job}")
async def show_job(job: str, jobs: JobsDep, key: Viewer) -> JobView:
    """A job's state and counts: `total`, `done`, and one number an outcome."""
    return await jobs.show(job)


@router.get("/{job}/events", response_class=StreamingResponse, responses={200: {"content": {EVENTS: {}}}})
async def watch_job(job: str, jobs: JobsDep, key: Viewer) -> StreamingResponse:
    """Server-sent events: `progress` with the job at each change, `end` with it when it has ended.

    The first event tells the present state, so a client that reconnects misses nothing.
    """
    return StreamingResponse(
        jobs.events(await jobs.show(job)), media_type=EVENTS, headers={"Cache-Control": "no-store"}
    )


@router.get("/{job}/results", response_class=StreamingResponse, responses={200: {"content": {NDJSON: {}}}})
async def read_results(job: str, jobs: JobsDep, key: Viewer) -> StreamingResponse:
    """One verdict or reward a line, in input order: those that are done, all where the job is completed."""
    return StreamingResponse(jobs.results(await jobs.show(job)), media_type=NDJSON)


@router.delete("/{job}")
async def cancel_job(job: str, jobs: JobsDep, key: Scorer) -> JobView:
    """Ends a job. What it recorded stays; a job that has ended is answered as it is.

    A key without the scope `view` knows, and ends, the jobs that it submitted alone.
    """
    return await jobs.cancel(job, None if key.scopes & {"view", "admin"} else key.owner)
