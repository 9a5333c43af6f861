"""Where the service is and who asks: URL and key, from arguments or the environment.

A credential in the URL (``/k/<key>``, user info) becomes a header: URLs are written to logs, which trainers publish.
"""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote_to_bytes

import httpx2

from trueward.errors import InvalidRequest

URL_VARIABLE = "TRUEWARD_URL"
KEY_VARIABLE = "TRUEWARD_API_KEY"
KEY_FILE_VARIABLE = "TRUEWARD_API_KEY_FILE"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_KEY_IN_PATH = re.compile(r"/k/([^/]+)(?=/|$)")


@dataclass(frozen=True)
class Address:
    """``url`` has no credential; ``authorization`` is the header that carries it."""

    url: httpx2.URL
    authorization: str | None = field(repr=False)

    @property
    def shown(self) -> str:
        return str(self.url).rstrip("/")

    @property
    def trust_env(self) -> bool:
        """A proxy of the environment is for the network, never for a service on this machine."""
        return self.url.host not in _LOOPBACK

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": self.authorization} if self.authorization else {}


def find_address(url: str | None, api_key: str | None, key_file: str | Path | None = None) -> Address:
    """Raises :class:`InvalidRequest` where no service is named, or not by a URL, or the key's file cannot be read."""
    named = url or os.environ.get(URL_VARIABLE)
    if not named:
        raise InvalidRequest.at_field("url", "invalid", f"no service is named: pass url= or set {URL_VARIABLE}")
    try:
        parsed = httpx2.URL(named.strip())
    except httpx2.InvalidURL as refusal:
        raise InvalidRequest.at_field(
            "url", "invalid", f"the URL of the service cannot be read: {refusal}"
        ) from refusal
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise InvalidRequest.at_field(
            "url",
            "invalid",
            "the URL of the service has to start with http:// or https:// and name a host, as http://127.0.0.1:8421",
        )
    within = _KEY_IN_PATH.search(parsed.path)
    in_url = within[1] if within else str(parsed.params.get("key", ""))
    key = (api_key or _key_in(key_file) or _key_around() or in_url).strip()
    if not key.isascii() or not key.isprintable():
        raise InvalidRequest.at_field("api_key", "invalid", "an API key is printable ASCII")
    plain = parsed.copy_with(
        username=None, password=None, query=None, fragment=None, path=_KEY_IN_PATH.sub("", parsed.path, count=1) or "/"
    )
    return Address(plain, f"Bearer {key}" if key else _basic(parsed.userinfo))


def _key_around() -> str:
    """The environment's."""
    return os.environ.get(KEY_VARIABLE) or _key_in(os.environ.get(KEY_FILE_VARIABLE))


def _key_in(file: str | Path | None) -> str:
    """The text of a file, which an orchestrator may have put there; nothing where none is named."""
    if not file:
        return ""
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as refusal:
        raise InvalidRequest.at_field(
            "key_file", "invalid", f"no API key can be read from {file}: {refusal}"
        ) from refusal


def _basic(userinfo: bytes) -> str | None:
    """The header that browsers and trainers make of a URL's user info."""
    return f"Basic {base64.b64encode(unquote_to_bytes(userinfo)).decode()}" if userinfo else None
