"""Posts one try of a delivery, signed as a Standard Webhook. Redirects are not followed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from standardwebhooks import Webhook

from app.kit.clock import now
from app.webhooks.outbox import Due
from app.webhooks.target import WebhookRefused, address_of, parts_of

if TYPE_CHECKING:
    import httpx2

_TIMEOUT_S = 5.0
SENT = "sent"
GONE = "failed: status 410"
"""The receiver wants no more of it."""
REFUSED = "refused: "
"""How an outcome begins that another try would have, too."""


class WebhookSender:
    """``loopback``: whether addresses of this machine may be called."""

    def __init__(self, *, loopback: bool = True) -> None:
        self._loopback = loopback
        self._client: httpx2.AsyncClient | None = None

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def send(self, due: Due) -> str:
        """``sent``, or why not, without the URL: it may hold a token."""
        try:
            return await self._post(due.url, due.body.encode(), headers_of(due))
        except WebhookRefused as refusal:
            return f"{REFUSED}{refusal}"
        except Exception as failure:  # noqa: BLE001 - of a stranger's server, or a bug: each counts as a try, so they end
            return f"failed: {type(failure).__name__}"

    def _http(self) -> httpx2.AsyncClient:
        """Made at the first post, for it loads certificates; a connection is not kept, for an address may have several
        hosts."""
        if self._client is None:
            import httpx2

            limits = httpx2.Limits(max_keepalive_connections=0)
            trusted = httpx2.create_ssl_context()  # SSL_CERT_FILE is heard, the environment's proxies are not
            self._client = httpx2.AsyncClient(timeout=_TIMEOUT_S, trust_env=False, limits=limits, verify=trusted)
        return self._client

    async def _post(self, url: str, body: bytes, headers: dict[str, str]) -> str:
        parts = parts_of(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        named = {"Host": (f"[{host}]" if ":" in host else host) + port, **headers}
        # with the look-up of the name: a try ends before another server may take the delivery
        async with asyncio.timeout(2 * _TIMEOUT_S):
            address = await address_of(parts, loopback=self._loopback)
            target = f"[{address}]" if address.version == 6 else str(address)
            called = parts._replace(netloc=target + port, fragment="").geturl()
            sni = {"sni_hostname": host}
            async with self._http().stream("POST", called, content=body, headers=named, extensions=sni) as response:
                return SENT if response.is_success else f"failed: status {response.status_code}"


def headers_of(due: Due) -> dict[str, str]:
    """Those of a try that begins now."""
    at = now()
    headers = {"Content-Type": "application/json", "webhook-id": due.id, "webhook-timestamp": str(int(at.timestamp()))}
    if due.secret is not None:
        headers["webhook-signature"] = Webhook(due.secret).sign(due.id, at, due.body)
    return headers
