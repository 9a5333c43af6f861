"""Posts an alarm to a URL that a user gave: bounded in time and number, never in anybody's way.

The URL is fetched by the service, so it must not reach what only the service can reach: link-local addresses (where
clouds keep credentials), their metadata services elsewhere, multicast and unspecified ones are refused, by the address
that the name stands for at the moment of the call, which is also the one that is called. Redirects are not followed.
Private addresses are allowed: that is where most people's own services are. Loopback ones are, where the service asks
for no keys: whoever holds a key need not be somebody of this machine.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

import structlog

from app.kit.addresses import Address, is_closed, is_this_machine, literal
from trueward.errors import FieldProblem, InvalidRequest
from trueward.watch import Alarm

if TYPE_CHECKING:
    import httpx2

_TIMEOUT_S = 5.0
_WAITS_S = (1.0, 5.0)
_AT_ONCE = 50
log = structlog.get_logger(__name__)


class WebhookRefused(Exception):
    """The URL is not to be called."""


class Webhooks:
    """``told(alarm, how)`` is called when a post has ended: ``sent``, or why not. ``waits_s`` lie between attempts.

    ``loopback``: whether addresses of this machine may be called.
    """

    def __init__(
        self,
        told: Callable[[str, str], Awaitable[None]],
        waits_s: tuple[float, ...] = _WAITS_S,
        *,
        loopback: bool = True,
    ) -> None:
        self._told = told
        self._loopback = loopback
        self._waits_s = waits_s
        self._tasks: set[asyncio.Task[None]] = set()
        self._client: httpx2.AsyncClient | None = None

    def post(self, url: str, alarm: Alarm) -> None:
        """Returns at once. With too many under way the alarm is not posted, which its ``webhook`` says."""
        late = len(self._tasks) >= _AT_ONCE
        self._spawn(self._give_up(alarm.id) if late else self._deliver(url, alarm))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            log.warning("how a webhook ended was not written down", error=failure)

    def _http(self) -> httpx2.AsyncClient:
        """Made at the first post, for it loads certificates; a connection is not kept, for an address may have several
        hosts."""
        if self._client is None:
            import httpx2

            limits = httpx2.Limits(max_keepalive_connections=0)
            self._client = httpx2.AsyncClient(timeout=_TIMEOUT_S, trust_env=False, limits=limits)
        return self._client

    async def _give_up(self, alarm: str) -> None:
        await self._told(alarm, f"not posted: {_AT_ONCE} others were under way")

    async def _deliver(self, url: str, alarm: Alarm) -> None:
        import httpx2

        how = "never tried"
        for wait_s in (*self._waits_s, None):
            try:
                how = await self._post(url, alarm.model_dump_json().encode())
            except WebhookRefused as refusal:
                how, wait_s = f"refused: {refusal}", None
            except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as failure:
                # the URL may hold a token: only the kind of the failure is told
                how = f"failed: {type(failure).__name__}"
            if how == "sent" or wait_s is None:
                break
            await asyncio.sleep(wait_s)
        if how != "sent":
            log.warning("a webhook was not posted", alarm=alarm.id, why=how)
        await self._told(alarm.id, how)

    async def _post(self, url: str, body: bytes) -> str:
        parts = _parts(url)
        host = parts.hostname or ""
        address = await _address(host, parts.port or (443 if parts.scheme == "https" else 80), loopback=self._loopback)
        target = f"[{address}]" if address.version == 6 else str(address)
        port = f":{parts.port}" if parts.port else ""
        called = parts._replace(netloc=target + port, fragment="").geturl()
        headers = {"Host": (f"[{host}]" if ":" in host else host) + port, "Content-Type": "application/json"}
        answer = self._http().stream("POST", called, content=body, headers=headers, extensions={"sni_hostname": host})
        async with asyncio.timeout(2 * _TIMEOUT_S), answer as response:
            return "sent" if response.is_success else f"failed: status {response.status_code}"


def check_url(url: str, *, loopback: bool = True) -> None:
    """Raises :class:`InvalidRequest` for what can be seen to be wrong without asking for the name."""
    try:
        parts = _parts(url)
        found = literal(parts.hostname or "")
        if found is not None:
            _check_address(found, loopback=loopback)
    except WebhookRefused as refusal:
        detail = f"the webhook is refused: {refusal}"
        problem = FieldProblem(field="webhook", code="webhook_refused", detail=detail)
        raise InvalidRequest(detail, errors=[problem]) from None


def shown(url: str) -> str:
    """The URL without its path and query, which may be a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}/***"


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as refusal:
        raise WebhookRefused(f"it is no URL ({refusal})") from refusal
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise WebhookRefused("it must be an http or https URL with a host")
    if parts.username is not None or parts.password is not None:
        raise WebhookRefused("it must not hold a user or password; put a token into the path")
    if not url.isprintable() or not url.isascii() or " " in url:
        raise WebhookRefused("it holds characters that no URL has")
    return parts


async def _address(host: str, port: int, *, loopback: bool) -> Address:
    """The first address of the host; all of them must be allowed."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    for address in addresses:
        _check_address(address, loopback=loopback)
    return addresses[0]


def _check_address(address: Address, *, loopback: bool) -> None:
    if is_closed(address):
        raise WebhookRefused(f"{address} is a link-local, metadata, multicast or unspecified address")
    if not loopback and is_this_machine(address):
        raise WebhookRefused(f"{address} is an address of the service's own machine, which asks for keys")
