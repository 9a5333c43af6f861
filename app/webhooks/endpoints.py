"""Deliveries of webhooks: how each went."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.http.operation import Operation
from app.keys.admission import Viewer
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.state import DeliveriesDep
from trueward.wire.webhook import Delivery, DeliveryPage, DeliveryState

router = APIRouter(prefix="/v1/deliveries", route_class=Operation, tags=["webhooks"], responses=PROBLEMS)


@router.get("")
async def list_deliveries(
    deliveries: DeliveriesDep,
    key: Viewer,
    wanted: SliceDep,
    subject: Annotated[str | None, Query(description="id of a job, audit or alarm")] = None,
    state: Annotated[DeliveryState | None, Query()] = None,
) -> DeliveryPage:
    """What was, is and will be posted to webhooks, newest first; what ended is kept for a week."""
    return await deliveries.page(wanted, subject, state)


@router.get("/{delivery}")
async def show_delivery(delivery: str, deliveries: DeliveriesDep, key: Viewer) -> Delivery:
    """How often it was tried, how the latest try went, and when the next one is."""
    return await deliveries.show(delivery)
