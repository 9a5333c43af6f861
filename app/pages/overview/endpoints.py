"""The overview's page, and the stream that keeps it fresh."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from fastapi.responses import StreamingResponse

from app.pages.guard import PAGE_HEADERS
from app.pages.overview.live import Pulse
from app.pages.session import COOKIE
from app.pages.visit import Visit, visitor
from app.state import part

router = APIRouter(prefix="/ui/overview", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view", shared=True))]
PulseDep = Annotated[Pulse, Depends(part("pulse"))]


@router.get("")
async def overview(visit: Viewing, pulse: PulseDep) -> Response:
    """Throughput, outcomes, latency, queues, causes of null, and alarms, at this moment."""
    return visit.show("overview/overview.html", await pulse.view())


@router.get("/events")
async def events(visit: Viewing, pulse: PulseDep) -> StreamingResponse:
    """Server-sent events, the same for all viewers: about every two seconds."""
    token = visit.request.cookies.get(COOKIE, "") if visit.name else ""
    sessions = visit.request.state.sessions

    async def allowed() -> bool:
        return not token or await sessions.key(token) is not None

    headers = {**PAGE_HEADERS, "X-Accel-Buffering": "no"}
    viewer = pulse.admit(token)
    return StreamingResponse(pulse.events(viewer, allowed), media_type="text/event-stream", headers=headers)
