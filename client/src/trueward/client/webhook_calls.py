"""The calls of webhooks' deliveries."""

from __future__ import annotations

from trueward.client.call import Call, segment
from trueward.client.paging import Pages, Period, pages
from trueward.client.plan import model
from trueward.wire.webhook import Delivery, DeliveryPage, DeliveryState


class DeliveryFilters(Period, total=False):
    """``subject`` is the id of a job, audit or alarm."""

    subject: str | None
    state: DeliveryState | None


def deliveries(asked: DeliveryFilters) -> Pages[Delivery]:
    return pages("/v1/deliveries", DeliveryPage, lambda page: (page.deliveries, page.next), asked)


def delivery(name: str) -> Call[Delivery]:
    return Call("GET", f"/v1/deliveries/{segment(name)}", model(Delivery))
