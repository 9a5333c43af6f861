"""Webhooks on the wire: where an event is posted, and how each delivery goes.

A delivery is a Standard Webhook: ``webhook-id`` is the delivery's id and stays the same from try to try,
``webhook-signature`` signs id, time and body with the secret that the caller named.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StrictStr, model_validator

from trueward.wire.base import Wire
from trueward.wire.scoring import RewardsRequest, VerifyRequest

EventType = Literal["job.ended", "job.failed", "audit.ended", "audit.failed", "alarm.raised"]
DeliveryState = Literal["waiting", "pending", "delivered", "failed"]
SECRET_PREFIX = "whsec_"  # noqa: S105 - the beginning of every secret is none


def _check_secret(secret: str) -> str:
    try:
        size = len(b64decode(secret.removeprefix(SECRET_PREFIX), validate=True))
    except binascii.Error:
        size = 0
    if not secret.startswith(SECRET_PREFIX) or not 24 <= size <= 64:
        raise ValueError("a webhook's secret is whsec_ and 24 to 64 random bytes in base64")
    return secret


WebhookUrl = Annotated[StrictStr, Field(max_length=2000, description="http or https URL that events are posted to")]
WebhookSecret = Annotated[
    StrictStr,
    Field(description="`whsec_` and 24 to 64 random bytes in base64, which sign each delivery; never shown again"),
    AfterValidator(_check_secret),
]


class WebhookFields(Wire):
    """Where the event is posted that ends this, and what it is signed with."""

    webhook: WebhookUrl | None = None
    webhook_secret: WebhookSecret | None = None

    @model_validator(mode="after")
    def _signs_something(self) -> Self:
        if self.webhook is None and self.webhook_secret is not None:
            raise ValueError("`webhook_secret` signs what is posted to `webhook`, which is missing")
        return self


class VerifyJob(VerifyRequest, WebhookFields):
    """A job that gives verdicts."""


class RewardsJob(RewardsRequest, WebhookFields):
    """A job that gives rewards."""


class Delivery(Wire):
    """What is posted to a webhook for one event. ``waiting``: what it is about has not ended; ``pending``: it will be
    tried, or tried again; ``failed``: it will not. ``outcome`` is how the latest try went. Of ``url`` the host is
    shown."""

    id: str = Field(description="the header `webhook-id`")
    subject: str = Field(description="id of the job, audit or alarm")
    event: EventType | None = Field(description="null while it waits")
    state: DeliveryState
    url: str
    signed: bool
    attempts: int
    outcome: str | None = Field(description="`sent`, or why not")
    created_at: datetime
    next_attempt_at: datetime | None
    ended_at: datetime | None


class DeliveryPage(Wire):
    deliveries: list[Delivery]
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")
