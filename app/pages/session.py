"""Who is signed in: a signed token in a cookie that names a key's id, never the key, and ends with either.

The token is ``id.expiry.nonce.signature``. It is accepted under ``/ui`` alone. Signing out deletes it from the browser;
a copy of it is good until it expires, or until its key is revoked (at once here, within five seconds on a replica).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from time import time

from fastapi import Request, Response

from app.keys.service import Keys
from trueward.wire.key import KeyView

COOKIE = "trueward_session"
FORM_COOKIE = "trueward_form"
PATH = "/ui"
_LONGEST = 400


class Sessions:
    """``lasts_s``: seconds from the signing in to the end."""

    def __init__(self, secret: bytes, keys: Keys, lasts_s: float) -> None:
        self.secret = hmac.new(secret, b"trueward pages", hashlib.sha256).digest()
        self._keys = keys
        self._lasts_s = lasts_s

    def begin(self, key_id: str) -> str:
        """A new token for whoever showed the key."""
        body = f"{key_id}.{int(time() + self._lasts_s)}.{secrets.token_urlsafe(12)}"
        return f"{body}.{self._signature(body)}"

    async def key(self, token: str) -> KeyView | None:
        """The key behind a token; None where the token is forged or expired, or the key revoked."""
        body, _, signature = token[:_LONGEST].rpartition(".")
        if not hmac.compare_digest(self._signature(body).encode(), signature.encode("utf-8", "replace")):
            return None
        key_id, expiry, _ = body.split(".")
        return await self._keys.by_id(key_id) if int(expiry) > time() else None

    def keep(self, response: Response, request: Request, name: str, value: str) -> None:
        """Sets a cookie that scripts cannot read and other sites cannot make a browser send."""
        response.set_cookie(
            name,
            value,
            max_age=int(self._lasts_s),
            path=PATH,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )

    def forget(self, response: Response, request: Request) -> None:
        secure = request.url.scheme == "https"
        for name in (COOKIE, FORM_COOKIE):
            response.delete_cookie(name, path=PATH, secure=secure, httponly=True, samesite="strict")

    def _signature(self, body: str) -> str:
        return hmac.new(self.secret, b"session " + body.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
