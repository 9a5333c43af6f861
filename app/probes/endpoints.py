"""How judges do on the probes that accompany live traffic."""

from __future__ import annotations

from fastapi import APIRouter

from app.http.operation import Operation
from app.keys.admission import Viewer
from app.kit.problems import PROBLEMS
from app.state import ProbesDep
from trueward.wire.probe import ProbeReport

router = APIRouter(route_class=Operation, prefix="/v1/judges", tags=["judges"], responses=PROBLEMS)


@router.get("/probes")
async def show_probes(probes: ProbesDep, key: Viewer) -> ProbeReport:
    """Of each judge how many of its probes it accepted since the service's start, by family."""
    return probes.report()
