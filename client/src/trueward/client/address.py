"""Where the service is and who asks: URL and key, from arguments or the environment."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

import httpx2

from trueward.errors import FieldProblem, InvalidRequest

URL_VARIABLE = "TRUEWARD_URL"
KEY_VARIABLE = "TRUEWARD_API_KEY"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_SECRET_PATH = re.compile(r"/k/[^/]+")


@dataclass(frozen=True)
class Address:
    """``shown`` is the URL as it may appear in messages: without any credential."""

    url: httpx2.URL
    api_key: str | None = field(repr=False)

    @property
    def shown(self) -> str:
        plain = self.url.copy_with(username=None, password=None, query=None, fragment=None)
        return _SECRET_PATH.sub("/k/...", str(plain)).rstrip("/")

    @property
    def trust_env(self) -> bool:
        """A proxy of the environment is for the network, never for a service on this machine."""
        return self.url.host not in _LOOPBACK

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}


def find_address(url: str | None, api_key: str | None) -> Address:
    """Raises :class:`InvalidRequest` where no service is named, or not by a URL."""
    named = url or os.environ.get(URL_VARIABLE)
    if not named:
        raise _wrong("url", f"no service is named: pass url= or set {URL_VARIABLE}")
    try:
        parsed = httpx2.URL(named.strip())
    except httpx2.InvalidURL as refusal:
        raise _wrong("url", f"the URL of the service cannot be read: {refusal}") from refusal
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise _wrong("url", "the URL of the service has to start with http:// or https:// and name a host")
    key = (api_key or os.environ.get(KEY_VARIABLE) or "").strip()
    if not key.isascii() or not key.isprintable():
        raise _wrong("api_key", "an API key is printable ASCII")
    return Address(parsed, key or None)


def _wrong(name: str, detail: str) -> InvalidRequest:
    return InvalidRequest(detail, errors=[FieldProblem(field=name, code="invalid", detail=detail)])
