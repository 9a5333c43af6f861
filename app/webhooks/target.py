"""Where a webhook may lead: the service fetches a URL that a user gave, so it must not reach what only the service can.

Link-local addresses (where clouds keep credentials), their metadata services elsewhere, multicast and unspecified ones
are refused, by the address that the name stands for at the moment of the call, which is also the one that is called.
Private addresses are allowed: that is where most people's own services are. Loopback ones are, where the service asks
for no keys: whoever holds a key need not be somebody of this machine.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit

from app.kit.addresses import Address, is_closed, is_this_machine, parse_address
from trueward.errors import FieldProblem, InvalidRequest


class WebhookRefused(Exception):
    """The URL is not to be called."""


def check_url(url: str, *, loopback: bool = True) -> None:
    """Raises :class:`InvalidRequest` for what can be seen to be wrong without asking for the name."""
    try:
        found = parse_address(parts_of(url).hostname or "")
        if found is not None:
            _check_address(found, loopback=loopback)
    except WebhookRefused as refusal:
        detail = f"the webhook is refused: {refusal}"
        problem = FieldProblem(field="webhook", code="webhook_refused", detail=detail)
        raise InvalidRequest(detail, errors=[problem]) from None


def redact_url(url: str) -> str:
    """The URL without its path and query, which may be a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}/***"


def parts_of(url: str) -> SplitResult:
    """Raises :class:`WebhookRefused`."""
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


async def address_of(parts: SplitResult, *, loopback: bool) -> Address:
    """The first address of the host. Raises :class:`WebhookRefused` unless all of them are allowed."""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    found = await asyncio.get_running_loop().getaddrinfo(parts.hostname or "", port, type=socket.SOCK_STREAM)
    addresses = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    for address in addresses:
        _check_address(address, loopback=loopback)
    return addresses[0]


def _check_address(address: Address, *, loopback: bool) -> None:
    if is_closed(address):
        raise WebhookRefused(f"{address} is a link-local, metadata, multicast or unspecified address")
    if not loopback and is_this_machine(address):
        raise WebhookRefused(f"{address} is an address of the service's own machine, which asks for keys")
