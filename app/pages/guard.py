"""What a browser is told of our pages, and which requests of a browser are believed.

A page may load, run and send nothing but what this service serves: no inline script or style, no frame, no other
site. A request that changes something must come from a page of ours: browsers say so themselves
(``Sec-Fetch-Site``, else ``Origin``), and the form carries a token that only our pages know.
"""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import urlsplit

from fastapi import Request

from trueward.errors import Forbidden

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    # with no-referrer, browsers would hide the origin of our own forms
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), "
    "clipboard-read=(), clipboard-write=(self)",
}
PAGE_HEADERS = {**_ALWAYS, "Content-Security-Policy": POLICY, "Cache-Control": "no-store", "Vary": "Accept"}
TEXT_HEADERS = {**PAGE_HEADERS, "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox"}
"""Of plain text that a stranger wrote."""
ASSET_HEADERS = {**_ALWAYS, "Cache-Control": "public, max-age=31536000, immutable"}

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def refuse_other_sites(request: Request) -> None:
    """Raises :class:`Forbidden` for a request that changes something and that another site made a browser send."""
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        own = site in ("same-origin", "none")
    else:  # an old browser, one on plain HTTP, or no browser
        origin = request.headers.get("origin")
        own = origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
    if not own:
        raise Forbidden("this form was sent by a page of another site")


def form_token(secret: bytes, holder: str) -> str:
    """What the forms of one session, or of one browser that has none, carry."""
    return hmac.new(secret, b"form " + holder.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def refuse_foreign_form(given: str, expected: str) -> None:
    """Raises :class:`Forbidden` for a form without the token of whoever sends it."""
    if not hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode()):
        raise Forbidden("this form has expired: reload the page, and send it again")
