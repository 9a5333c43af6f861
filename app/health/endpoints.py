"""Is the process alive, does scoring work, and what has been counted."""

from __future__ import annotations

from fastapi import APIRouter, Response

from app.health.service import Readiness
from app.http.openapi import NO_KEY
from app.http.operation import Operation
from app.keys.admission import SharedViewer
from app.kit.problems import PROBLEMS
from app.state import HealthDep, MetricsDep


class ProbeRoute(Operation):
    strict = False


router = APIRouter(route_class=ProbeRoute, tags=["operations"])


@router.get("/health/live", openapi_extra=NO_KEY)
async def live() -> dict[str, str]:
    """200 while the process answers."""
    return {"status": "live"}


@router.get(
    "/health/ready", openapi_extra=NO_KEY, responses={503: {"model": Readiness, "description": "a part is down"}}
)
async def ready(health: HealthDep, response: Response) -> Readiness:
    """200 when scoring works: the ledger can be written and a worker judges; 503 names what does not."""
    found = await health.readiness()
    response.status_code = 200 if found.ready else 503
    return found


@router.get("/metrics", responses={**PROBLEMS, 200: {"content": {"text/plain": {}}}}, response_class=Response)
async def metrics(metrics: MetricsDep, health: HealthDep, key: SharedViewer) -> Response:
    """Counters, gauges and histograms in Prometheus' text format, of all projects: for keys of the default one."""
    health.refresh()
    return Response(metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")
